"""Training a segmenter: it learns, resumes to the same weights, and says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pointree.config import SegmenterConfig
from pointree.errors import TrainingError
from pointree.models.layout import SEGMENTER_CHECKPOINT
from pointree.text.reading import segment_text
from pointree.training.segmenter import SegmenterStage, segmentation_scores
from pointree.treebank.sentence import Sentence

CONFIG = SegmenterConfig(size=16, layers=2, epochs=3, min_count=1, dropout=0.0, learning_rate=0.02)


def treebank(n: int = 60) -> list[Sentence]:
    found = []
    for number in range(n):
        words = [*["ab", "cd", "efg"][: number % 3 + 1], "."]
        made = Sentence.from_words(words)
        made.tokens[-2].misc = "SpaceAfter=No"
        made.comments = [f"# text = {' '.join(words[:-1])}."]
        found.append(made)
    return found


def stage(folder: Path, config: SegmenterConfig = CONFIG, data: list[Sentence] | None = None) -> SegmenterStage:
    return SegmenterStage(config, data or treebank(), treebank(9), folder, seed=3)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> SegmenterStage:
    made = stage(tmp_path_factory.mktemp("segmenter"), SegmenterConfig(**{**vars_of(CONFIG), "epochs": 60}))
    made.run()
    return made


def vars_of(config: SegmenterConfig) -> dict[str, object]:
    return {name: getattr(config, name) for name in config.__slots__}


def test_it_learns(trained: SegmenterStage) -> None:
    assert segmentation_scores(trained.network.segmenter(), trained.dev) == {"tokens": 100.0, "sentences": 100.0}
    found = segment_text("ab cd. efg ab. cd.", trained.network.segmenter())
    assert [sentence.forms for sentence in found] == [["ab", "cd", "."], ["efg", "ab", "."], ["cd", "."]]


def test_a_stopped_run_ends_with_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stage(tmp_path / "whole").run()
    stopped = stage(tmp_path / "stopped")
    epoch = stopped._run_epoch

    def stop(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt
        epoch(number)

    monkeypatch.setattr(stopped, "_run_epoch", stop)
    with pytest.raises(KeyboardInterrupt):
        stopped.run()
    resumed = stage(tmp_path / "stopped").run()
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, resumed.state_dict()[name]), name


def test_another_treebank_cannot_be_resumed(trained: SegmenterStage) -> None:
    with pytest.raises(TrainingError, match="other settings or other data"):
        stage(trained.folder, data=treebank(61)).run()
    (trained.folder / SEGMENTER_CHECKPOINT).write_bytes(b"junk")
    with pytest.raises(TrainingError, match="the checkpoint is damaged"):
        stage(trained.folder).run()


def test_a_treebank_without_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="`# text`"):
        stage(tmp_path, data=[Sentence.from_words(["a"])])
