"""UDPipe 1 as the baseline: trained part by part, resumed, and scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import TrainingError
from pointree.release.baseline import PARTS, train_baseline
from pointree.release.scores import score_splits

FAST = {
    "tokenizer": "epochs=1;dimension=16;segment_size=10;batch_size=200",
    "tagger": "models=1;iterations=1",
    "parser": "iterations=1;hidden_layer=20",
}


@pytest.mark.slow
def test_parts_are_trained_once_and_scored(ewt: Path, tmp_path: Path) -> None:
    told: list[str] = []
    train_baseline(ewt, ewt, tmp_path / "udpipe", options=FAST, on_part=told.append)
    assert told == list(PARTS)
    told.clear()
    (tmp_path / "udpipe" / "parser.udpipe").unlink()
    udpipe = train_baseline(ewt, ewt, tmp_path / "udpipe", options=FAST, on_part=told.append)
    assert told == ["parser"]
    scores = score_splits({"dev": ewt}, udpipe)["dev"]
    assert scores["gold"]["words"] == 100.0
    assert scores["gold"]["las"] > 20
    assert 0 < scores["raw"]["las"] <= scores["gold"]["las"]


def test_a_trainer_that_fails_names_its_log(ewt: Path, tmp_path: Path) -> None:
    with pytest.raises(
        TrainingError, match=r"tokenizer\.udpipe: UDPipe's trainer ended with code 1; see .*tokenizer\.log"
    ):
        train_baseline(ewt, ewt, tmp_path, options={"tokenizer": "epochs=none"})
