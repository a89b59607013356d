"""A run that version 0.1 began goes on in this one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pointree.config import load_config
from pointree.models.folder import write_manifest
from pointree.models.layout import CONFIG, METRICS
from pointree.parser import Parser
from pointree.training.trainer import Trainer
from pointree.treebank.conllu import read_conllu

CHECKPOINT_01 = Path(__file__).resolve().parents[1] / "fixtures" / "checkpoint-0.1"


def test_a_checkpoint_of_0_1_is_resumed_with_the_losses_of_0_1(tmp_path: Path, ewt: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(CHECKPOINT_01, folder)
    notices: list[str] = []
    config = load_config(folder / CONFIG, on_notice=notices.append)
    assert len(notices) == 4
    sentences = list(read_conllu(ewt))
    trainer = Trainer(config, sentences, sentences, folder)
    trainer.resume()
    assert trainer.progress.epoch == 1
    assert trainer.run().epoch == 2
    lines = (folder / METRICS).read_text().splitlines()
    expected = json.loads((CHECKPOINT_01 / "metrics-of-0.1.jsonl").read_text().splitlines()[1])
    found = json.loads(lines[1])
    for name in ("arc_loss", "label_loss", "learning_rate", "dev_uas", "dev_las"):
        assert found[name] == pytest.approx(expected[name], abs=1e-4)
    assert "rest" not in (folder / CONFIG).read_text()
    assert Parser.load(folder).config == config


def test_a_model_of_0_1_with_a_removed_setting_is_loaded_silently(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(CHECKPOINT_01, folder)
    path = folder / CONFIG
    path.write_text(path.read_text().replace("restarts = []", "restarts = [1]").replace("rest = 0.0", "rest = 0.5"))
    write_manifest(folder)
    parser = Parser.load(folder)
    assert capfd.readouterr() == ("", "")
    assert parser.parse([["It", "rains"]])
