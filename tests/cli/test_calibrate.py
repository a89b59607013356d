"""`pointree calibrate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.cli.main import main
from pointree.models.layout import CALIBRATION

from ..helpers import tiny_parser


def test_the_command_shows_the_errors(tmp_path: Path, ewt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny_parser().save(tmp_path / "model")
    with pytest.raises(SystemExit) as caught:
        main(["calibrate", str(tmp_path / "model"), "--dev", str(ewt)])
    assert caught.value.code == 0
    assert (tmp_path / "model" / CALIBRATION).exists()
    shown = capsys.readouterr().out
    assert "HEAD" in shown
    assert "DEPREL" in shown


def test_a_folder_that_is_no_model(tmp_path: Path, ewt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["calibrate", str(tmp_path), "--dev", str(ewt)])
    assert caught.value.code == 2
    assert "pointree.json is missing" in capsys.readouterr().err


def test_a_bundled_model_is_not_changed(ewt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["calibrate", "en", "--dev", str(ewt)])
    assert caught.value.code == 2
    assert "en: no such model folder" in capsys.readouterr().err
