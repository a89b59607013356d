"""`pointree compact`: a smaller pretrained model, a parser trained with it, and its wheel."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.training.trainer import Trainer
from pointree.treebank.conllu import read_conllu

from ..helpers import tiny_config
from ..pretrained.small_models import make_pretrained

Run = Callable[..., Any]


@pytest.mark.slow
def test_from_a_pretrained_model_to_a_small_wheel(
    run: Run, ewt: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = make_pretrained(tmp_path / "large", hidden_size=32)
    capfd.readouterr()
    code, out, err = run("compact", source, tmp_path / "small", "--layers", 2)
    assert (code, err) == (0, "")
    assert " ".join(out.split()).startswith(f"{tmp_path / 'small'}: 2 layers, 0.")
    pretrained = {"model": str(tmp_path / "small"), "layers": [2], "fine_tune": True, "fine_tune_table": False}
    config = tiny_config(
        ("left-to-right", "simple", "gate1"), {"embeddings": {"pretrained": pretrained}, "training": {"epochs": 1}}
    )
    corpus = list(read_conllu(ewt))[:5]
    Trainer(config, corpus, corpus, tmp_path / "parser").run()
    code, _out, err = run("package", tmp_path / "parser", "--latin-pieces", "--bits", 8, "-o", tmp_path)
    assert (code, err) == (0, "")
    with zipfile.ZipFile(tmp_path / "pointree_model_parser-1.0.0-py3-none-any.whl") as wheel:
        card = wheel.read("pointree_model_parser/README.md").decode()
    assert "word pieces, those of Latin and Greek script, were kept and weights were rounded to 8 bits" in card


def test_what_is_refused_is_one_line(run: Run, tmp_path: Path) -> None:
    code, out, err = run("compact", tmp_path / "none", tmp_path / "small", "--layers", 2)
    assert (code, out) == (2, "")
    assert err.startswith("pointree: error: ")
    assert err.count("\n") == 1
    assert "Missing option '--layers'" in run("compact", tmp_path, tmp_path / "small").err
