"""What a client is told of an error."""

from __future__ import annotations

import pytest

from pointree.errors import InputError
from pointree.serving.failures import RequestError, error_body, from_error, over_limit
from pointree.serving.limits import Limits


def test_errors_on_purpose_are_told_and_defects_are_not() -> None:
    told = from_error(InputError("conllu:3: HEAD 9 is outside\na sentence of 7 words"))
    assert (told.status, told.code) == (422, "invalid")
    assert told.message == "conllu:3: HEAD 9 is outside a sentence of 7 words"
    hidden = from_error(ZeroDivisionError("secret"))
    assert (hidden.status, hidden.code) == (500, "internal")
    assert "secret" not in hidden.message
    assert from_error(told) is told


@pytest.mark.parametrize(("name", "again"), [("words", False), ("queue", True)])
def test_a_limit_is_named_with_its_value(name: str, again: bool) -> None:
    limits = Limits()
    failure = over_limit(limits, name, "too many")
    assert ("retry-after" in {header.lower() for header in failure.headers}) == again
    assert error_body(failure, "id1") == {
        "error": {
            "code": name,
            "message": "too many",
            "limit": {"name": name, "value": getattr(limits, name)},
            "request_id": "id1",
        }
    }


def test_a_failure_without_a_limit() -> None:
    assert error_body(RequestError(404, "unknown", "no such model"))["error"]["limit"] is None
