"""A session of Ray leaves the process as it was; tests/bulk has the tests with real clusters."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from pointree.running import ray_session as module
from pointree.running.ray_session import ray_session


def test_sigterm_stays_with_whoever_handled_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray takes the signal for itself, and a command that was stopped would not say so in its exit code."""

    def init(**_settings: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: None)

    monkeypatch.setattr(
        module,
        "_import_ray",
        lambda _settings: SimpleNamespace(
            is_initialized=lambda: False, init=init, shutdown=lambda: None, exceptions=SimpleNamespace()
        ),
    )
    before = signal.getsignal(signal.SIGTERM)
    with ray_session("local", cpus=1):
        assert signal.getsignal(signal.SIGTERM) == before
