"""`pointree parse --to trace` writes what `Parser.trace` returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pointree
from pointree.treebank.conllu import read_conllu

from ..helpers import tiny_parser
from .conftest import Outcome


@pytest.fixture
def model(tmp_path: Path) -> Path:
    tiny_parser(seed=3).save(tmp_path / "model")
    return tmp_path / "model"


def test_one_trace_a_line_with_the_options_given(
    run: Callable[..., Outcome], model: Path, ewt: Path, tmp_path: Path
) -> None:
    some = tmp_path / "some.conllu"
    some.write_text("\n\n".join(ewt.read_text(encoding="utf-8").split("\n\n")[:8]) + "\n\n", encoding="utf-8")
    outcome = run("parse", "--model", model, some, "--to", "trace", "--beam", 2, "--projective", "--precision", "fp32")
    assert (outcome.code, outcome.err) == (0, "")
    parser = pointree.load(model, precision="fp32")
    expected = [parser.trace(sentence, beam=2, projective=True).to_object() for sentence in read_conllu(some)]
    assert json.loads(outcome.out) == expected
    assert len(outcome.out.splitlines()) == len(expected) + 2


def test_it_tells_of_one_tree_a_sentence(run: Callable[..., Outcome], model: Path, ewt: Path) -> None:
    outcome = run("parse", "--model", model, ewt, "--to", "trace", "--n-best", 2)
    assert outcome.code == 2
    assert outcome.err == "pointree: error: output format trace cannot be combined with n_best\n"
