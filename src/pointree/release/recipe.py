"""A recipe of models: one entry a language, with all faults of it told at once.

preset = "quick"                     settings to start from, of `pointree train --preset`
version = "1.0.0"                    the version of the packages
bits = 8                             bits of the weights in the packages: 8, 16 or 32
word_bits = 4                        optional, beside 8: bits of the word table, for more words in the same space
precision = "int8"                   optional: arithmetic in which the packages run, fp32 or int8
prune_words = 20000                  optional: words that a package keeps, the most frequent of the training data first
max_mb = 6                           optional: size of a package; with prune_words, as many words go as it needs

[set.training]                       settings of all models
epochs = 20

[languages.sv]                       the code is the name of the model and of its folder
name = "Swedish"
treebank = "Swedish-Talbanken"
release = "2.6"                      of Universal Dependencies
licence = "CC BY-SA 4.0"             of the treebank and so of the model; non-commercial ones are refused
files = "ud-2.6/sv_talbanken/sv_talbanken-ud-{}.conllu"     under --data, with {} for train, dev and test
vectors = "vectors/sv.vec.gz"        optional, under --data; vectors_licence is what the card says of them
start = "nn"                         optional: language of this recipe whose package has the network to start from
note = "…"                           optional: what else the card says of the data
published = { raw = 89.68, gold = 90.14, release = "2.6" }  optional: LAS of UDPipe 2 on test
published_udpipe1 = { raw = 78.56, gold = 78.89, release = "2.6" }  optional: that of the authors' models of UDPipe 1
set.embeddings.char_parts = true     optional: settings of this model
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointree.config import Config, flat_settings, load_config, read_toml
from pointree.errors import ConfigError, PointreeError, UsageError
from pointree.experiments.checks import Checks
from pointree.models.graphs import GRAPH_PRECISIONS
from pointree.models.wheel import check_version

__all__ = ["SPLITS", "LanguageRecipe", "Published", "choose", "load_recipe"]

SPLITS = ("train", "dev", "test")

_KEYS = ("preset", "version", "bits", "word_bits", "precision", "max_mb", "prune_words", "set", "languages")
_REQUIRED = ("name", "treebank", "release", "licence", "files")
_LANGUAGE_KEYS = (*_REQUIRED, "vectors", "vectors_licence", "start", "note", "published", "published_udpipe1", "set")
_CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Published:
    """The LAS on test that is published for another system: from raw text, with gold tokens, and on which release."""

    raw: float
    gold: float
    release: str


@dataclass(frozen=True, slots=True)
class LanguageRecipe:
    """How one model is made."""

    code: str
    name: str
    treebank: str
    release: str
    licence: str
    files: str
    preset: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """By their dotted names, on top of the preset."""
    version: str = "1.0.0"
    bits: int = 8
    word_bits: int | None = None
    precision: str = "fp32"
    max_mb: int | None = None
    prune_words: int | None = None
    vectors: str | None = None
    vectors_licence: str = ""
    start: str | None = None
    note: str = ""
    published: Published | None = None
    """The scores of UDPipe 2."""
    published_udpipe1: Published | None = None

    @property
    def config(self) -> Config:
        """All settings of the training."""
        return load_config(None, self.settings, self.preset)

    def file(self, split: str, data: Path) -> Path:
        """The file of train, dev or test."""
        return data / self.files.replace("{}", split)


def load_recipe(path: Path) -> list[LanguageRecipe]:
    """Read a recipe; all that is wrong with it is one `ConfigError`."""
    reader = _Reader()
    recipes = reader.read(read_toml(path))
    if reader.faults:
        raise ConfigError([f"{path}: {fault}" for fault in dict.fromkeys(reader.faults)])
    return recipes


def choose(recipes: Sequence[LanguageRecipe], codes: Sequence[str]) -> list[LanguageRecipe]:
    """The recipes of these languages in this order; of none, all."""
    known = {recipe.code: recipe for recipe in recipes}
    if unknown := [code for code in codes if code not in known]:
        raise UsageError(f"language {unknown[0]} is unknown; the recipe has {', '.join(known)}")
    return [known[code] for code in dict.fromkeys(codes)] or list(recipes)


class _Reader(Checks):
    """Reads the parts of a recipe and collects what is wrong with them."""

    def read(self, content: Mapping[str, Any]) -> list[LanguageRecipe]:
        self._check_keys("", content, _KEYS)
        bits = self._typed("bits", content.get("bits"), int, 8)
        if bits not in (8, 16, 32):
            self.faults.append(f"bits must be 8, 16 or 32, found {bits}")
        word_bits = self._typed("word_bits", content.get("word_bits"), int, None)
        if word_bits is not None and (word_bits != 4 or bits != 8):
            self.faults.append(f"word_bits must be 4 and bits 8, found {word_bits} and {bits}")
        precision = self._typed("precision", content.get("precision"), str, "fp32")
        if precision not in GRAPH_PRECISIONS:
            self.faults.append(f"precision must be one of {', '.join(GRAPH_PRECISIONS)}, found {precision}")
        version = self._typed("version", content.get("version"), str, "1.0.0")
        try:
            check_version(version)
        except UsageError as error:
            self.faults.append(str(error))
        shared = {
            "preset": self._preset("preset", content.get("preset")),
            "version": version,
            "bits": bits,
            "word_bits": word_bits,
            "precision": precision,
            "max_mb": self._typed("max_mb", content.get("max_mb"), int, None),
            "prune_words": self._typed("prune_words", content.get("prune_words"), int, None),
        }
        settings = self._typed("set", content.get("set"), dict, {})
        languages = self._typed("languages", content.get("languages"), dict, {})
        if not languages:
            self.faults.append("languages must have an entry at least, found none")
        found = [self._language(code, table, settings, shared) for code, table in languages.items()]
        self._check_starts(languages)
        return [recipe for recipe in found if recipe is not None]

    def _language(
        self, code: str, table: object, settings: Mapping[str, Any], shared: Mapping[str, Any]
    ) -> LanguageRecipe | None:
        place = f"languages.{code}"
        before = len(self.faults)
        if not _CODE.fullmatch(code):
            self.faults.append(f"{place}: expected a code of small letters and digits such as sv or en-fast")
        entry: dict[str, Any] = self._typed(place, table, dict, {})
        self._check_keys(f"{place}.", entry, _LANGUAGE_KEYS)
        if missing := [key for key in _REQUIRED if key not in entry]:
            self.faults.append(f"{place}: {' and '.join(missing)} missing")
        texts = {
            key: self._typed(f"{place}.{key}", entry[key], str, "")
            for key in (*_REQUIRED, "vectors", "vectors_licence", "start", "note")
            if key in entry
        }
        if "NC" in re.split(r"\W+", texts.get("licence", "").upper()):
            self.faults.append(f"{place}.licence: expected one that lets models be shared, found {texts['licence']}")
        if "{}" not in texts.get("files", "{}"):
            self.faults.append(f"{place}.files: expected {{}} for train, dev and test, found {texts['files']}")
        own = dict(flat_settings(settings)) | dict(
            flat_settings(self._typed(f"{place}.set", entry.get("set"), dict, {}))
        )
        try:
            load_config(None, own, shared["preset"])
        except ConfigError as error:
            self.faults += [f"{place}.set: {fault}" for fault in error.faults]
        except PointreeError as error:
            self.faults.append(f"{place}.set: {error}")
        second, first = (
            self._published(f"{place}.{key}", entry.get(key)) for key in ("published", "published_udpipe1")
        )
        if len(self.faults) > before:
            return None
        return LanguageRecipe(code=code, settings=own, published=second, published_udpipe1=first, **texts, **shared)

    def _check_starts(self, languages: Mapping[str, Any]) -> None:
        starts = {
            code: table["start"] for code, table in languages.items() if isinstance(table, dict) and "start" in table
        }
        for code, start in starts.items():
            if start not in languages or start in starts:
                self.faults.append(
                    f"languages.{code}.start: expected a language of the recipe without a start, found {start!r}"
                )

    def _published(self, place: str, value: object) -> Published | None:
        table = self._typed(place, value, dict, None)
        if table is None:
            return None
        try:
            return Published(raw=float(table["raw"]), gold=float(table["gold"]), release=str(table["release"]))
        except (KeyError, TypeError, ValueError):
            self.faults.append(f"{place}: expected raw, gold and release, found {table!r}")
            return None
