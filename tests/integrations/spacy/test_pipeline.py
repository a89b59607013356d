"""A whole pipeline: from the entry points alone, on disk, and for models that cannot read text."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy")

from pointree.errors import ModelError  # noqa: E402
from pointree.integrations.spacy import load  # noqa: E402

from ...helpers import tiny_parser  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def test_the_language_is_that_of_the_model(raw: Any) -> None:
    assert raw.lang == "en"
    assert raw.pipe_names == ["pointree"]


def test_a_language_that_spacy_does_not_know_or_cannot_tokenise() -> None:
    from pointree.integrations.spacy.pipeline import _known

    assert (_known("tr"), _known("q")) == ("tr", "xx")
    # spaCy's own tokeniser of Japanese needs a package that is not here.
    japanese = load("en", language="ja")
    assert [token.dep_ for token in japanese("It rains.")] == ["nsubj", "ROOT", "punct"]


def test_a_model_without_a_segmenter_is_refused(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path)
    with pytest.raises(ModelError, match="cannot read raw text"):
        load(tmp_path)


@pytest.mark.slow
def test_spacy_finds_the_component_by_its_entry_points(raw: Any, tmp_path: Path) -> None:
    raw.to_disk(tmp_path / "pipeline")
    assert not (tmp_path / "pipeline" / "pointree" / "model").exists()  # the tokeniser has the weights
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    info = tmp_path / "site" / "pointree_entry_points-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pointree-entry-points\nVersion: 1\n")
    lines = [f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points[group].items()) for group in points]
    (info / "entry_points.txt").write_text("\n".join(lines))
    code = """
import sys, spacy
assert "pointree" not in sys.modules
nlp = spacy.blank("en")
nlp.add_pipe("pointree", config={"model": "en"})
print([token.dep_ for token in nlp("It rains.")])
print([token.dep_ for token in spacy.load(sys.argv[1])("It rains.")])
"""
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pipeline"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "['nsubj', 'ROOT', 'punct']\n" * 2, done.stderr
