"""Text is cut without the rest of the model, and several processes parse without it in the first one."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
import torch

from pointree.config import SegmenterConfig
from pointree.engines.segmenting import load_segmenter
from pointree.errors import ModelError
from pointree.models.folder import read_folder, save_folder
from pointree.models.graphs import write_graphs
from pointree.nn.segmenter import SegmenterNetwork
from pointree.parser import Parser, load
from pointree.pipeline import parse_files
from pointree.text.alphabet import Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion
from pointree.text.reading import segment_text

from ..helpers import tiny_parser

TEXT = "abc. de fgh. a b " * 20


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model with graphs and a segmenter, both with random weights."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    tiny_parser().save(folder)
    torch.manual_seed(1)
    rules = SegmenterRules(Alphabet("abcdefgh. "), Expansion())
    network = SegmenterNetwork(SegmenterConfig(size=16, layers=3), rules)
    files = read_folder(folder)
    added = {f"segmenter.{name}": tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    save_folder(folder, files.config, files.vocabularies, files.weights | added, "", segmenter=rules)
    write_graphs(folder)
    return folder


def test_text_is_cut_as_by_the_whole_model(model: Path) -> None:
    expected = list(segment_text(TEXT, load(model).require_segmenter()))
    assert list(segment_text(TEXT, load_segmenter([str(model)]))) == expected


def test_the_first_model_that_can_read_text_does(model: Path, tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "without")
    assert list(segment_text("ab. c", load_segmenter([str(tmp_path / "without"), str(model)])))
    with pytest.raises(ModelError, match="it has no segmenter; give it words"):
        load_segmenter([str(tmp_path / "without")])


def test_a_damaged_segmenter_is_refused(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "damaged")
    path = tmp_path / "damaged" / "segmenter.json"
    path.write_text(path.read_text(encoding="utf-8").replace("abc", "cba"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"segmenter\.json: damaged"):
        load_segmenter([str(tmp_path / "damaged")])


@pytest.mark.slow
def test_workers_parse_without_the_model_in_the_first_process(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, together = io.StringIO(), io.StringIO()
    parse_files(TEXT, alone, model=model)

    def refuse(*_given: object, **_options: object) -> None:
        raise AssertionError("the first process loads the model")

    monkeypatch.setattr(Parser, "load", refuse)
    report = parse_files(TEXT, together, model=model, workers=2)
    assert together.getvalue() == alone.getvalue()
    assert report.sentences
