"""Every package of the folder `models` is small and complete, and parses its language where torch is not installed.

`.ci/run` runs this file in an environment without torch. Elsewhere each model runs in a process in which torch cannot
be imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pointree.models.card import read_card
from pointree.models.language import fitting_model, read_language
from pointree.models.registry import resolve_model
from pointree.models.summary import model_files
from pointree.treebank.validity import tree_faults

MODELS = Path(__file__).resolve().parents[2] / "models"
PACKAGES = sorted(path.parent for path in MODELS.glob("*/pointree.json"))
MOST_BYTES = 6_000_000

SENTENCES = {
    "da": ("Vejret bliver koldt i morgen.", "Min søster bor i et lille hus ved havet."),
    "ja": ("彼女は毎朝公園を散歩する。", "この町には古い寺がたくさんある。"),
    "ko": ("그는 어제 친구와 함께 영화를 보았다.", "이 도시는 바다에서 가깝다."),
    "nn": ("Vêret vert kaldt i morgon.", "Søstera mi bur i eit lite hus ved sjøen."),
    "pt": ("O tempo vai ficar frio amanhã.", "A minha irmã mora numa casa pequena perto do mar."),
    "ru": ("Завтра будет холодная погода.", "Моя сестра живёт в маленьком доме у моря."),
    "sv": ("Vädret blir kallt i morgon.", "Min syster bor i ett litet hus vid havet."),
    "zh": ("他昨天和朋友一起看了電影。", "這個城市離海很近。"),
}
"""Two sentences of each language."""
WITHOUT_SPACES = ("ja", "zh")

SCRIPT = """
import json, sys
sys.modules["torch"] = None
import pointree
from pointree.rendering import render

parser = pointree.load(sys.argv[1])
parsed = parser.parse_text(sys.argv[2])
drawn = [[sentence.to_dict(), sentence.heads, render(sentence, "svg"), render(sentence, "tree")] for sentence in parsed]
print(json.dumps([parser.engine.name, drawn]))
"""

pytestmark = pytest.mark.parametrize(
    "package",
    PACKAGES or [pytest.param(MODELS, marks=pytest.mark.skip(reason="the folder models has no packages"))],
    ids=lambda path: path.name,
)


def text_of(package: Path) -> str:
    """Two sentences of the language of a package, with blanks and line ends around them."""
    assert package.name in SENTENCES, f"add two sentences of {package.name} to {Path(__file__).name}"
    return f"\n {('' if package.name in WITHOUT_SPACES else ' ').join(SENTENCES[package.name])}\n"


@cache
def parsed(package: Path) -> Any:
    """What a model makes of its text; one process a model, for all tests."""
    command = [sys.executable, "-c", SCRIPT, str(package), text_of(package)]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    engine, drawn = json.loads(ran.stdout)
    assert engine == "onnx"
    return drawn


def test_it_is_small(package: Path) -> None:
    assert sum(path.stat().st_size for path in package.rglob("*") if path.is_file()) <= MOST_BYTES


def test_it_has_a_card_and_a_licence(package: Path) -> None:
    facts = read_card(package)
    assert facts.las is not None
    assert facts.las_on is not None
    assert "raw text" in facts.las_on
    assert facts.licence == "CC BY-SA 4.0"
    assert "Creative Commons" in (package / "LICENSE").read_text(encoding="utf-8")


def test_pip_installs_all_of_it(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    code = package.name
    assert project["project"]["name"] == f"pointree-model-{code}"
    assert project["project"]["entry-points"] == {"pointree.models": {code: f"pointree_model_{code}"}}
    files = {path.relative_to(package).as_posix() for path in model_files(package)}
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]) == files
    assert {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()} == {
        *files,
        "pyproject.toml",
    }


def test_it_finds_the_sentences_of_raw_text(package: Path) -> None:
    text = text_of(package)
    found = [text[sentence["start"] : sentence["end"]] for sentence, *_ in parsed(package)]
    assert found == [*SENTENCES[package.name]]


def test_each_sentence_is_one_tree_with_one_root(package: Path) -> None:
    for sentence, heads, *_ in parsed(package):
        assert len(heads) > 2
        assert tree_faults(heads) == []
        for word in sentence["tokens"]:
            if isinstance(word["id"], int):
                assert word["upos"]
                assert word["lemma"]
                assert (word["head"] == 0) == (word["deprel"] == "root")


def test_offsets_lead_into_the_text(package: Path) -> None:
    text, end = text_of(package), 0
    for sentence, *_ in parsed(package):
        written = {each["start"]: each["form"] for each in sentence["ranges"]}  # multiword tokens
        for token in sentence["tokens"]:
            if token["start"] is not None and token["start"] >= end:  # not the second word of a multiword token
                assert text[token["start"] : token["end"]] == written.get(token["start"], token["form"])
                assert not text[end : token["start"]].strip(), "a token is missing"
                end = token["end"]
    assert not text[end:].strip()


def test_it_is_drawn(package: Path) -> None:
    for sentence, heads, svg, tree in parsed(package):
        picture = "".join(ElementTree.fromstring(svg).itertext())
        words = [token["form"] for token in sentence["tokens"] if isinstance(token["id"], int)]
        assert len(words) == len(heads)
        for form in words:
            assert form in picture
            assert form in tree


def test_auto_takes_it_for_its_language(package: Path) -> None:
    folders = {"en": resolve_model("en"), **{each.name: each for each in PACKAGES}}
    profiles = {name: profile for name, folder in folders.items() if (profile := read_language(folder)) is not None}
    assert fitting_model(text_of(package), profiles, "text") == package.name
