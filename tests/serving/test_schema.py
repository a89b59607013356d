"""Requests made from the OpenAPI description, right and wrong ones: none may end in a fault of the service."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own dependencies warn of each other
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")

from hypothesis import HealthCheck, Phase, given, seed, settings

EXAMPLES = 15
PLAIN = [("GET", "/v1/models"), ("GET", "/models"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")]
WITH_DATA = [
    ("POST", "/v1/parse"),
    ("POST", "/v1/draw"),
    ("POST", "/v1/trace"),
    ("GET", "/process"),
    ("POST", "/process"),
]
CASES = [
    *((method, path, "POSITIVE") for method, path in PLAIN + WITH_DATA),
    *((method, path, "NEGATIVE") for method, path in WITH_DATA),
]


@pytest.fixture(scope="module")
def description(served: Any) -> Any:
    return served.client.get("/openapi.json").json()


def test_every_operation_is_described_and_fuzzed(description: Any) -> None:
    described = [(method.upper(), path) for path, methods in description["paths"].items() for method in methods]
    assert sorted(PLAIN + WITH_DATA) == sorted(described)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "path", "mode"), CASES)
def test_nothing_makes_the_service_fail(served: Any, description: Any, method: str, path: str, mode: str) -> None:
    operation = schemathesis.openapi.from_dict(description)[path][method]

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=getattr(schemathesis.GenerationMode, mode)))
    def fuzz(case: Any) -> None:
        reply = case.call(base_url=str(served.client.base_url), timeout=60)
        assert reply.status_code < 500, reply.text
        if reply.status_code >= 400:
            assert reply.json()["error"]["message"]

    fuzz()
