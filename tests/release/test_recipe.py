"""Reading recipes, and all their faults at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import ConfigError, UsageError
from pointree.release.recipe import Published, choose, load_recipe

SHIPPED = Path(__file__).resolve().parents[2] / "experiments" / "languages.toml"

RECIPE = """
preset = "quick"
bits = 16

[set.training]
epochs = 3

[languages.sv]
name = "Swedish"
treebank = "Swedish-Talbanken"
release = "2.6"
licence = "CC BY-SA 4.0"
files = "sv/sv-ud-{}.conllu"
published = { raw = 89.68, gold = 90.14, release = "2.6" }
set.training.epochs = 5
"""


def written(folder: Path, text: str = RECIPE) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_language_has_what_is_shared_and_its_own(tmp_path: Path) -> None:
    [swedish] = load_recipe(written(tmp_path))
    assert (swedish.code, swedish.bits, swedish.version) == ("sv", 16, "1.0.0")
    assert swedish.config.training.epochs == 5
    assert swedish.config.embeddings.tag == "none"
    assert swedish.file("dev", Path("data")) == Path("data/sv/sv-ud-dev.conllu")
    assert swedish.published == Published(89.68, 90.14, "2.6")


@pytest.mark.parametrize(
    ("then", "now", "fault"),
    [
        ("bits = 16", "bits = 4", "bits must be 8, 16 or 32, found 4"),
        ("bits = 16", "bits = 16\nword_bits = 4", "word_bits must be 4 and bits 8, found 4 and 16"),
        ("bits = 16", 'precision = "bf16"', "precision must be one of fp32, int8, found bf16"),
        ("bits = 16", 'version = "one"', "version must be a version such as 1.0.0"),
        ("bits = 16", "bit = 16", "bit is unknown"),
        ('preset = "quick"', 'preset = "quik"', "preset quik is unknown"),
        ("[languages.sv]", "[languages.S]", "languages.S: expected a code of small letters"),
        ('name = "Swedish"\n', "", "languages.sv: name missing"),
        ("CC BY-SA 4.0", "CC BY-NC-SA 4.0", "languages.sv.licence: expected one that lets models be shared"),
        ("{}", "dev", r"languages.sv.files: expected \{\} for train, dev and test"),
        ("training.epochs = 5", "training.epoch = 5", "languages.sv.set: settings: training.epoch is unknown"),
        ('name = "Swedish"', 'name = "Swedish"\nstart = "nn"', "languages.sv.start: expected a language of the recipe"),
        (
            'name = "Swedish"',
            'name = "Swedish"\nstart = "sv"',
            "languages.sv.start: expected a language of the recipe without a start, found 'sv'",
        ),
        ("raw = 89.68, ", "", "languages.sv.published: expected raw, gold and release"),
        ("published =", "published_udpipe1 = {}\npublished =", "languages.sv.published_udpipe1: expected raw, gold"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, then: str, now: str, fault: str) -> None:
    assert then in RECIPE
    with pytest.raises(ConfigError, match=f"recipe.toml: {fault}"):
        load_recipe(written(tmp_path, RECIPE.replace(then, now)))


def test_malformed_and_empty_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r":1: malformed TOML"):
        load_recipe(written(tmp_path, "a = "))
    with pytest.raises(ConfigError, match="languages must have an entry at least"):
        load_recipe(written(tmp_path, ""))


def test_languages_are_chosen_by_their_codes(tmp_path: Path) -> None:
    recipes = load_recipe(SHIPPED)
    assert [recipe.code for recipe in choose(recipes, ["zh", "sv", "zh"])] == ["zh", "sv"]
    assert choose(recipes, []) == recipes
    with pytest.raises(UsageError, match=r"^language xx is unknown; the recipe has sv, "):
        choose(recipes, ["xx"])


def test_the_recipe_that_ships_has_models_that_need_nothing_but_text() -> None:
    for recipe in load_recipe(SHIPPED):
        assert recipe.config.embeddings.tag == "none"
        assert set(recipe.config.predicted_columns) == {"upos", "xpos", "feats", "lemma"}
        assert recipe.licence == "CC BY-SA 4.0"
        assert recipe.max_mb == 6
