"""UDPipe is imported when it is needed, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pointree.errors import MissingExtraError
from pointree.text.udpipe_library import ufal


@pytest.mark.slow
def test_nothing_imports_udpipe_before_it_is_needed() -> None:
    code = (
        "import sys, pointree.parser, pointree.training.run, pointree.serving.app, pointree.cli.main\n"
        "sys.exit('ufal' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ufal.udpipe", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pointree\[udpipe\]'"):
        ufal.Model  # noqa: B018 - the access is what is tested
