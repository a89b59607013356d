"""The speed of sequential decoding and of the three orders, measured in one run."""

from __future__ import annotations

import json

import pytest

from pointree.bench.decoders import DECODERS, PAPER_SPEEDS, compare_decoders
from pointree.cli.main import main
from pointree.config import load_config
from pointree.errors import UsageError

from .test_run import TINY


@pytest.mark.slow
def test_all_four_are_measured_in_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "--decoders", "--beam", "3", "--quick", "--json", *(f"--set={each}" for each in TINY)])
    assert left.value.code == 0
    report = json.loads(capsys.readouterr().out)
    assert report["beam"] == 3
    assert report["paper"] == PAPER_SPEEDS
    for way in ("batched", "alone"):
        speeds, ratio = report[way]["sentences_per_s"], report[way]["ratio"]
        assert list(speeds) == list(ratio) == list(DECODERS)
        assert ratio["sequential"] == 1.0
        assert ratio["outside-in"] == pytest.approx(speeds["outside-in"] / speeds["sequential"], abs=0.01)


@pytest.mark.slow
def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "--decoders", "--quick", *(f"--set={each}" for each in TINY)])
    out = capsys.readouterr().out
    assert "Sentences per second, beam 10" in out
    assert "22.57" in out


def test_an_encoder_is_refused() -> None:
    with pytest.raises(UsageError, match="the bench has no text for a pretrained model"):
        compare_decoders(load_config(None, ["embeddings.pretrained.model=bert"]))
