"""The names of a model's files, which models on disk depend on."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pointree
from pointree.models import layout
from pointree.vocabulary import Vocabularies

SRC = Path(pointree.__file__).parent


def test_names_stay_as_they_are_on_disk() -> None:
    assert (layout.FORMAT, layout.MANIFEST, layout.CONFIG, layout.CARD) == (
        1,
        "pointree.json",
        "config.toml",
        "README.md",
    )
    assert (layout.WEIGHTS, layout.TEXT_MODEL) == ("weights.safetensors", "text.udpipe")
    assert (layout.PRETRAINED, layout.PRETRAINED_IDENTITY) == ("encoder", "encoder.json")
    assert {*layout.VOCABULARIES, "columns"} == {field.name for field in fields(Vocabularies)}  # columns: HEADS


def test_no_other_module_spells_a_name() -> None:
    names = [layout.MANIFEST, layout.CONFIG, layout.WEIGHTS, layout.CARD, layout.TEXT_MODEL]
    names += [layout.PRETRAINED_IDENTITY, layout.CHECKPOINT, layout.METRICS, *layout.VOCABULARIES.values()]
    literal = re.compile("|".join(rf"""["']{re.escape(name)}["']""" for name in names))
    modules = (path for path in SRC.rglob("*.py") if path != Path(layout.__file__))
    assert [path.name for path in modules if literal.search(path.read_text(encoding="utf-8"))] == []
