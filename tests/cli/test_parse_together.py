"""`pointree parse` with several models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.ensemble import Ensemble
from pointree.parser import Parser
from pointree.treebank.conllu import read_conllu

from ..helpers import tiny_config, tiny_parser

Run = Callable[..., Any]


def parsers() -> list[Parser]:
    combinations = [("left-to-right", "simple", "gate1"), ("outside-in", "full", "gate2")]
    return [tiny_parser(tiny_config(combination), seed=seed) for seed, combination in enumerate(combinations)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    for number, parser in enumerate(parsers()):
        parser.save(folder / str(number))
    return [folder / "0", folder / "1"]


def test_several_models_parse_together(run: Run, ewt: Path, models: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "parsed.conllu"
    chosen = [word for model in models for word in ("--model", model)]
    code, _out, err = run("parse", ewt, *chosen, "--output", output, "--precision", "fp32")
    assert (code, err) == (0, "")
    expected = Ensemble(parsers()).parse(list(read_conllu(ewt)))
    assert [sentence.heads for sentence in read_conllu(output)] == [sentence.heads for sentence in expected]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beam", "4"], "beam 4: expected 1, since 2 models together parse greedily, to one tree"),
        (["--n-best", "2"], "n_best 2: expected 1, since 2 models together parse greedily, to one tree"),
        (["--to", "trace"], "trace: expected one model, found 2 that parse together"),
    ],
)
def test_what_several_models_cannot_do(
    run: Run, ewt: Path, models: list[Path], options: list[str], message: str
) -> None:
    chosen = [word for model in models for word in ("--model", model)]
    assert run("parse", ewt, *chosen, *options) == (2, "", f"pointree: error: {message}\n")
