"""A grid file: treebanks × systems × seeds, with all faults of it told at once.

preset = "cpu"                       settings to start from, of `pointree train --preset`
seeds = [1, 2, 3]
systems = ["l2r-sequential", "l2r-simple-gate1"]
tested = ["l2r-simple-gate1"]        systems that are scored on test (all of them without this line)
beam = 1                             hypotheses in the search of trees; epochs are chosen with the same search
projective = false                   whether arcs may not cross
single_root = true                   whether exactly one word may depend on ROOT
metrics = ["las_subtypes", "las"]    what the report shows; las_subtypes compares whole labels
paper = "ud"                         the table of the paper beside which it shows it

[set.training]                       settings of all cells
epochs = 40

[treebanks.tr_imst]
train = "${UD}/tr_imst/tr_imst-ud-train.conllu"     variables are those of the environment
dev = "…"
test = "…"
vectors = "…"                        optional, of any width; likewise `column`, in the paper's table, `set`, `beam`,
                                     `projective` and `single_root`

[variants.no-vectors]                a system that differs from another in settings, preset or vectors
base = "l2r-simple-gate1"
vectors = false

[ensembles.three-orders]             a system made of others of the grid
members = ["l2r-simple-gate1", "r2l-simple-gate1", "oi-simple-gate1"]
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import Any

from pointree.config import PRESETS, Config, load_config, read_toml
from pointree.config.old_settings import upgrade
from pointree.config.rules import suggestion
from pointree.errors import ConfigError, PointreeError
from pointree.experiments.cell import (
    Cell,
    DataFile,
    EnsembleCell,
    Search,
    TrainingRun,
    Treebank,
    cell_name,
    settings_options,
)
from pointree.experiments.checks import Checks
from pointree.experiments.paper import PAPER_TABLES, paper_columns
from pointree.experiments.systems import SYSTEMS, System, unknown_system
from pointree.vocabulary.vectors import vector_width

__all__ = ["REPORTED_METRICS", "Grid", "load_grid"]

REPORTED_METRICS = ("uas", "las", "las_subtypes", "clas", "no_punct.uas", "no_punct.las")

_KEYS = (
    "preset",
    "seeds",
    "systems",
    "tested",
    "beam",
    "projective",
    "single_root",
    "metrics",
    "paper",
    "set",
    "treebanks",
    "variants",
    "ensembles",
)
_TREEBANK_KEYS = ("train", "dev", "test", "vectors", "column", "set", "beam", "projective", "single_root")
_VARIANT_KEYS = ("base", "preset", "vectors", "set")
_ENSEMBLE_KEYS = ("members",)
_DECIDED = {"decoder": ("the system", ("order", "fusion", "gate")), "training": ("seeds", ("seed",))}
"""Settings that follow from other parts of a grid, by their sections."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid without faults; `cells` are in the order in which they run: seed by seed, treebank by treebank."""

    path: Path
    seeds: tuple[int, ...]
    treebanks: tuple[Treebank, ...]
    systems: tuple[System, ...]
    ensembles: tuple[str, ...]
    metrics: tuple[str, ...]
    paper: str | None
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.stem


def load_grid(
    path: Path,
    environ: Mapping[str, str] | None = None,
    *,
    need_files: bool = True,
    on_notice: Callable[[str], None] | None = None,
) -> Grid:
    """Read a grid; all that is wrong with it is one `ConfigError`.

    Without ``need_files``, variables may be unset and files missing: a report does not read them. The grid may then
    also have settings that were removed since, by which recorded results are found. ``on_notice`` is told of old
    settings that need no attention.
    """
    reader = _Reader(read_toml(path), environ if environ is not None else os.environ, need_files)
    grid = reader.read(path)
    if on_notice is not None:
        for notice in dict.fromkeys(reader.notices):
            on_notice(f"{path}: {notice}")
    if reader.faults:
        raise ConfigError([f"{path}: {fault}" for fault in dict.fromkeys(reader.faults)])
    return grid


class _Reader(Checks):
    """Reads the parts of a grid and collects what is wrong with them."""

    def __init__(self, content: Mapping[str, Any], environ: Mapping[str, str], need_files: bool) -> None:
        self.content = content
        self.environ = environ
        self.need_files = need_files
        super().__init__()
        self.notices: list[str] = []

    def read(self, path: Path) -> Grid:
        """The grid, which is of use only if there are no faults."""
        self._check_keys("", self.content, _KEYS)
        preset = self._preset("preset", self.content.get("preset"))
        settings = self._settings("set", self.content.get("set"))
        seeds = self._list("seeds", self.content.get("seeds", [1]), int)
        metrics = self._known(
            "metrics",
            self._list("metrics", self.content.get("metrics", ["las_subtypes", "las"]), str),
            REPORTED_METRICS,
        )
        search = self._search("", self.content)
        paper = self._typed("paper", self.content.get("paper"), str, None)
        if paper is not None and paper not in PAPER_TABLES:
            self.faults.append(f"paper: table {paper} is unknown{suggestion(paper, PAPER_TABLES)}")
        columns = paper_columns(paper) if paper in PAPER_TABLES else None
        treebanks = [self._treebank(name, table, columns) for name, table in self._tables("treebanks")]
        if not treebanks:
            self.faults.append("expected at least one treebank, a table such as [treebanks.tr_imst], found none")
        variants = self._variants()
        known = {**SYSTEMS, **variants}
        asked = self._list("systems", self.content.get("systems", []), str)
        for key, found in (("seeds", seeds), ("systems", asked), ("metrics", metrics)):
            if not found and self.content.get(key, []) == []:
                self.faults.append(f"expected at least one of {key}, found none")
        systems = [known[name] for name in self._known("systems", asked, known)]
        for name, variant in variants.items():
            if name not in asked:
                chosen = variant.preset or preset
                self._config(_merged([_paper_tags(chosen), settings, variant.settings]), chosen)
        ensembles = self._ensembles(systems)
        names = [system.name for system in systems] + list(ensembles)
        tested = set(self._known("tested", self._list("tested", self.content.get("tested", names), str), names))
        cells: list[Cell] = []
        for seed in seeds:
            for treebank in filter(None, treebanks):
                self._check_test(treebank, [name for name in names if name in tested])
                cells += [
                    self._run(treebank, system, seed, preset, settings, search, system.name in tested)
                    for system in systems
                ]
                for name, members in ensembles.items():
                    needed = tuple(cell_name(treebank.name, member, seed) for member in members)
                    own = Search(**{**search, **treebank.search})
                    cells.append(EnsembleCell(treebank, name, seed, needed, name in tested, own))
        self._check_names(cells)
        return Grid(
            path=path,
            seeds=tuple(seeds),
            treebanks=tuple(treebank for treebank in treebanks if treebank),
            systems=tuple(systems),
            ensembles=tuple(ensembles),
            metrics=tuple(metrics),
            paper=paper,
            cells=tuple(cells),
        )

    def _check_test(self, treebank: Treebank, tested: Sequence[str]) -> None:
        if tested and treebank.test is None:
            self.faults.append(f"treebanks.{treebank.name}: expected a test file, since {tested[0]} is tested")

    def _run(
        self,
        treebank: Treebank,
        system: System,
        seed: int,
        preset: str | None,
        settings: Mapping[str, Any],
        search: Mapping[str, Any],
        tested: bool,
    ) -> TrainingRun:
        decoder = {"order": system.order, "fusion": system.fusion, "gate": system.gate}
        own = {"decoder": decoder, "training": {"seed": seed}}
        found = Search(**{**search, **treebank.search})
        chosen_alike = {"selection": found.settings} if found.settings else {}
        preset = system.preset or preset
        settings = _merged([_paper_tags(preset), chosen_alike, settings, treebank.settings, system.settings, own])
        upgraded = upgrade(settings)
        settings = upgraded.settings
        config, expanded = self._config(settings, preset)
        width = self._vector_width(treebank) if system.vectors else None
        if width not in (None, config.embeddings.word_size) and "word_size" not in settings.get("embeddings", {}):
            settings = _merged([settings, {"embeddings": {"word_size": width}}])
            config, expanded = self._config(settings, preset)
        return TrainingRun(
            treebank,
            system.name,
            seed,
            config,
            preset,
            settings,
            expanded,
            system.vectors,
            found,
            tested,
            removed=upgraded.removed,
        )

    def _vector_width(self, treebank: Treebank) -> int | None:
        """The width of a treebank's word vectors, where the file is at hand."""
        if treebank.vectors is None or not self.need_files or not treebank.vectors.path.is_file():
            return None
        try:
            return vector_width(treebank.vectors.path)
        except PointreeError as error:
            self.faults.append(f"treebanks.{treebank.name}.vectors: {error}")
            return None

    def _search(self, prefix: str, table: Mapping[str, Any]) -> dict[str, Any]:
        """What a grid, or a treebank of it, says about the search."""
        kinds = {"beam": int, "projective": bool, "single_root": bool}
        found = {
            key: self._typed(prefix + key, table[key], kind, getattr(Search(), key))
            for key, kind in kinds.items()
            if key in table
        }
        if found.get("beam", 1) < 1:
            self.faults.append(f"{prefix}beam must be at least 1, found {found['beam']}")
        return found

    def _config(self, settings: Mapping[str, Any], preset: str | None) -> tuple[Config, dict[str, Any]]:
        """The configuration that settings make of a preset, and the settings with the values of their variables."""
        expanded = self._expanded(upgrade(settings).settings)
        overrides = [option.removeprefix("--set=") for option in settings_options(expanded)]
        try:
            config = load_config(None, overrides, preset)
        except ConfigError as error:
            self.faults += [fault.removeprefix("settings: ") for fault in error.faults]
            return load_config(None), expanded
        pretrained = Path(config.embeddings.pretrained.model)
        if self.need_files and pretrained.is_absolute() and not pretrained.is_dir():
            self.faults.append(f"embeddings.pretrained.model: no such folder: {pretrained}")
        return config, expanded

    def _settings(self, place: str, value: object) -> dict[str, Any]:
        """A table of settings, none of which may be one that the grid decides otherwise."""
        settings: dict[str, Any] = self._typed(place, value, dict, {})
        upgraded = upgrade(settings)
        self.notices += [f"{place}: {notice}" for notice in upgraded.notices]
        if self.need_files:
            self.faults += [f"{place}: {fault}" for fault in upgraded.faults]
        for section, (source, keys) in _DECIDED.items():
            table = self._typed(f"{place}.{section}", settings.get(section), dict, {})
            self.faults += [
                f"{place}.{section}.{key} cannot be set, it follows from {source}" for key in keys if key in table
            ]
        return settings

    def _expanded(self, settings: Mapping[str, Any], place: str = "set") -> dict[str, Any]:
        """Settings with the values of their variables."""
        found: dict[str, Any] = {}
        for key, value in settings.items():
            if isinstance(value, Mapping):
                found[key] = self._expanded(value, f"{place}.{key}")
            else:
                found[key] = self._text(f"{place}.{key}", value)[0] if isinstance(value, str) else value
        return found

    def _text(self, place: str, written: str) -> tuple[str, bool]:
        """A text with the values of its variables, and whether they are all set."""
        template = Template(written)
        unset = [name for name in template.get_identifiers() if name not in self.environ]
        if self.need_files:
            self.faults += [f"the environment variable {name} is not set, {place} needs it" for name in unset]
        return template.safe_substitute(self.environ), not unset

    def _treebank(self, name: str, table: Mapping[str, Any], columns: Sequence[str] | None) -> Treebank | None:
        place = f"treebanks.{name}"
        self._check_keys(f"{place}.", table, _TREEBANK_KEYS)
        files = {role: self._file(f"{place}.{role}", table.get(role)) for role in ("train", "dev", "test", "vectors")}
        for role in ("train", "dev"):
            if role not in table:
                self.faults.append(f"{place}: expected a {role} file, found none")
        train, dev = files["train"], files["dev"]
        if train is None or dev is None:
            return None
        column = self._typed(f"{place}.column", table.get("column"), str, None)
        if column is not None and columns is not None:
            self._known(f"{place}.column", [column], columns)
        settings = self._settings(f"{place}.set", table.get("set"))
        search = self._search(f"{place}.", table)
        return Treebank(name, train, dev, files["test"], files["vectors"], column, settings, search)

    def _file(self, place: str, written: object) -> DataFile | None:
        if written is None:
            return None
        if not isinstance(written, str) or not written:
            self.faults.append(f"{place} must be the name of a file, found {written!r}")
            return None
        text, is_set = self._text(place, written)
        expanded = Path(text)
        if self.need_files and is_set and not expanded.is_file():
            self.faults.append(f"{place}: no such file: {expanded}")
        elif self.need_files and is_set and not expanded.stat().st_size:
            self.faults.append(f"{place}: the file is empty: {expanded}")
        return DataFile(written, expanded)

    def _variants(self) -> dict[str, System]:
        found: dict[str, System] = {}
        for name, table in self._tables("variants"):
            place = f"variants.{name}"
            self._check_keys(f"{place}.", table, _VARIANT_KEYS)
            base = self._typed(f"{place}.base", table.get("base"), str, "")
            if name in SYSTEMS:
                self.faults.append(f"{place} has the name of a system of the paper")
            elif base not in SYSTEMS:
                self.faults.append(f"{place}.base: {unknown_system(base or 'none', SYSTEMS)}")
            else:
                found[name] = replace(
                    SYSTEMS[base],
                    name=name,
                    settings=self._settings(f"{place}.set", table.get("set")),
                    preset=self._preset(f"{place}.preset", table.get("preset")),
                    vectors=self._typed(f"{place}.vectors", table.get("vectors"), bool, True),
                )
        return found

    def _ensembles(self, systems: Sequence[System]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        known = {system.name: system for system in systems}
        for name, table in self._tables("ensembles"):
            place = f"ensembles.{name}"
            self._check_keys(f"{place}.", table, _ENSEMBLE_KEYS)
            members = self._list(f"{place}.members", table.get("members", []), str)
            if len(members) < 2:
                self.faults.append(f"{place}.members: expected two systems at least, found {len(members)}")
            self.faults += [
                f"{place}.members: {member} is there {count} times"
                for member, count in Counter(members).items()
                if count > 1
            ]
            self._known(f"{place}.members", members, list(known))
            self.faults += [
                f"{place}.members: expected bottom-up systems, found {member}, which gives no probability of every arc"
                for member in members
                if member in known and known[member].order == "top-down"
            ]
            found[name] = members
        return found

    def _check_names(self, cells: Sequence[Cell]) -> None:
        counts = Counter(cell.name for cell in cells)
        self.faults += [f"{count} cells have the name {name}" for name, count in counts.items() if count > 1]

    def _tables(self, key: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables [key.name] of the file."""
        tables = self._typed(key, self.content.get(key), dict, {})
        for name, table in tables.items():
            if not _NAME.fullmatch(name):
                self.faults.append(f"{key}: a name has letters, digits, _, + and -, found {name!r}")
            if not isinstance(table, dict):
                self.faults.append(f"{key}.{name} must be a table, found {table!r}")
        return [(name, table) for name, table in tables.items() if isinstance(table, dict)]


def _paper_tags(preset: str | None) -> dict[str, Any]:
    """What takes a preset back to the paper's tags: systems of a grid read gold ones, unless it says otherwise."""
    ours, paper = PRESETS.get(preset or "", {}), Config().to_dict()
    return {
        name: {key: paper[name][key] for key in ours.get(name, {})} for name in ("embeddings", "heads") if name in ours
    }


def _merged(layers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Tables laid over each other; later ones win, field by field."""
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
            merged[key] = _merged([merged[key], value]) if both else value
    return merged
