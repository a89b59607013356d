"""A model with a segmenter, from its training to all that is done with models."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.models.layout import MODEL_FILES, SEGMENTER, TEXT_MODEL
from pointree.models.summary import model_files
from pointree.training.observer import TrainingObserver
from pointree.treebank.conllu import write_conllu
from pointree.treebank.sentence import Sentence

from .runs import small_config, small_data

TEXT = "The cat sat on the mat. It slept there.\n\nNo stop here"
SETTINGS = {"segmenter.size": 8, "segmenter.layers": 2, "segmenter.epochs": 2, "training.epochs": 1}


class Notices(TrainingObserver):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def notice(self, line: str) -> None:
        self.lines.append(line)


def treebank(path: Path, sentences: list[Sentence]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        write_conllu(sentences, stream)
    return path


def train(folder: Path, sentences: list[Sentence], **options: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = treebank(folder / "train.conllu", sentences)
    config = small_config(heads=True)
    return pointree.train(path, path, folder / "model", config=config, settings=SETTINGS, **options).folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("run"), small_data()[0])


def forms(parser: Any) -> list[list[str]]:
    return [sentence.forms for sentence in parser.parse_text(TEXT)]


def test_the_model_reads_raw_text_without_udpipe(model: Path) -> None:
    assert (model / SEGMENTER).is_file()
    assert not (model / TEXT_MODEL).exists()
    assert SEGMENTER in [path.name for path in model_files(model)], MODEL_FILES
    sentences = pointree.load(model).parse_text(TEXT)
    words = [word for sentence in sentences for word in sentence.words]
    assert [TEXT[word.start : word.end] for word in words] == [word.form for word in words]
    assert all(word.upos != "_" and word.head is not None for word in words)
    assert pointree.evaluate(model.parent / "train.conllu", model=model, from_text=True).scores["tokens"].f1 > 0


def test_copies_cut_alike(model: Path, tmp_path: Path) -> None:
    parser = pointree.load(model)
    expected = forms(parser)
    assert forms(pickle.loads(pickle.dumps(parser))) == expected
    parser.save(tmp_path / "saved")
    assert forms(pointree.load(tmp_path / "saved")) == expected
    for bits in (16, 8):
        pointree.shrink_model(model, tmp_path / str(bits), bits=bits)  # type: ignore[arg-type]
        assert sum(map(len, forms(pointree.load(tmp_path / str(bits))))) > 0


def test_a_run_can_be_resumed_and_started_from(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "model")
    shutil.copy(model.parent / "train.conllu", tmp_path)
    assert train(tmp_path, small_data()[0], resume=True) == tmp_path / "model"
    path = tmp_path / "train.conllu"
    tuned = pointree.train(path, path, tmp_path / "tuned", init=model, settings={"training.epochs": 1}).folder
    assert forms(pointree.load(tuned)) == forms(pointree.load(model))


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    sentences = [sentence.copy() for sentence in small_data()[0]]
    sentences[0].comments = []
    notices = Notices()
    folder = train(tmp_path / "some", sentences, observer=notices)
    assert (folder / SEGMENTER).exists()
    assert "the segmenter is trained without 1 sentences without a `# text` that has their tokens" in notices.lines
    for sentence in sentences:
        sentence.comments = []
    folder = train(tmp_path / "none", sentences, observer=notices)
    assert not (folder / SEGMENTER).exists()
    assert "the training data has no `# text` comments, so the model will not read raw text" in notices.lines
