"""Running the command line as a user does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from pointree.cli.main import main


class Outcome(NamedTuple):
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `pointree` with these arguments in this process."""

    def run_main(*args: object) -> Outcome:
        with pytest.raises(SystemExit) as left:
            main([str(arg) for arg in args])
        out, err = capfd.readouterr()
        return Outcome(int(left.value.code or 0), out, err)

    return run_main
