"""A cell of a grid: one system, treebank and seed, and the commands that make its result."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointree.config import Config, flat_settings

__all__ = [
    "DataFile",
    "EnsembleCell",
    "Phase",
    "Search",
    "TrainingRun",
    "Treebank",
    "cell_name",
    "phases",
    "settings_options",
]

MODEL = "model"
"""The folder of a cell's model within the folder of the cell."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that a grid names: as it is written there, and where it is on this machine."""

    written: str
    path: Path


@dataclass(frozen=True, slots=True)
class Search:
    """How the trees of dev and test are found: hypotheses, no crossing arcs, one root word."""

    beam: int = 1
    projective: bool = False
    single_root: bool = True

    @property
    def rules(self) -> dict[str, bool]:
        """The rules that are not as usual."""
        found = {"projective": self.projective, "single_root": self.single_root}
        return {name: value for name, value in found.items() if value != getattr(Search(), name)}

    @property
    def settings(self) -> dict[str, Any]:
        """What is not as usual, as settings of `selection`: epochs are chosen as trees are found in the end."""
        return {**({"beam": self.beam} if self.beam > 1 else {}), **self.rules}

    @property
    def options(self) -> tuple[str, ...]:
        """The rules as options of `pointree parse`."""
        spelt = {"projective": "--projective", "single_root": "--multi-root"}
        return tuple(spelt[name] for name in self.rules)


@dataclass(frozen=True, slots=True)
class Treebank:
    """The files of a treebank; `column` is its place in the paper's table, `search` what it has of its own."""

    name: str
    train: DataFile
    dev: DataFile
    test: DataFile | None = None
    vectors: DataFile | None = None
    column: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, DataFile]:
        """The files that there are, by what they are for."""
        found = {"train": self.train, "dev": self.dev, "test": self.test, "vectors": self.vectors}
        return {role: file for role, file in found.items() if file is not None}


def cell_name(treebank: str, system: str, seed: int) -> str:
    """The name of a cell, also that of its folder and of its result."""
    return f"{treebank}.{system}.seed{seed}"


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A cell that trains a model, then parses dev and, if it is `tested`, test with it.

    `settings` are as the grid has them, `expanded` with the values of their variables. `removed` are those that only a
    recorded result can have: no run has them any more.
    """

    treebank: Treebank
    system: str
    seed: int
    config: Config
    preset: str | None
    settings: Mapping[str, Any]
    expanded: Mapping[str, Any]
    vectors: bool
    search: Search
    tested: bool
    removed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """See `cell_name`."""
        return cell_name(self.treebank.name, self.system, self.seed)

    @property
    def needs(self) -> tuple[str, ...]:
        """The cells that must be finished before this one starts."""
        return ()

    @property
    def models(self) -> tuple[str, ...]:
        """Folders of the models that parse, beside the folder of the cell."""
        return (f"{self.name}/{MODEL}",)


@dataclass(frozen=True, slots=True)
class EnsembleCell:
    """A cell that parses with the models of other cells together; that has no beam."""

    treebank: Treebank
    system: str
    seed: int
    members: tuple[str, ...]
    tested: bool
    search: Search = field(default_factory=Search)

    @property
    def name(self) -> str:
        """See `cell_name`."""
        return cell_name(self.treebank.name, self.system, self.seed)

    @property
    def needs(self) -> tuple[str, ...]:
        """The cells that must be finished before this one starts."""
        return self.members

    @property
    def models(self) -> tuple[str, ...]:
        """Folders of the models that parse, beside the folder of the cell."""
        return tuple(f"{member}/{MODEL}" for member in self.members)


Cell = TrainingRun | EnsembleCell


@dataclass(frozen=True, slots=True)
class Phase:
    """One command of a cell.

    Attributes:
        name: What it does, for people.
        arguments: Of `pointree`.
        stdout: Where its standard output goes, if that is a result.
    """

    name: str
    arguments: tuple[str, ...]
    stdout: Path | None = None

    def __str__(self) -> str:
        """The command as a user would type it."""
        # Variables of the grid stay readable: their braces need no quotes inside double ones.
        quoted = [f'"{word}"' if "${" in word else shlex.quote(word) for word in ("pointree", *self.arguments)]
        return " ".join(quoted) + (f" > {self.stdout.name}" if self.stdout else "")


def phases(cell: Cell, folder: Path | None = None, *, threads: int = 1, device: str = "cpu") -> Iterator[Phase]:
    """The commands of a cell, in order.

    With a folder (of all cells) they are to be run; without, they are to be shown: files as the grid has them,
    everything else in the current folder.
    """
    own = Path() if folder is None else folder / cell.name
    running = ("--threads", str(threads), "--device", device)

    def place(file: DataFile) -> str:
        return file.written if folder is None else str(file.path)

    if isinstance(cell, TrainingRun):
        models = [str(own / MODEL)]
        search: tuple[str, ...] = ("--beam", str(cell.search.beam), *cell.search.options)
        files = cell.treebank.files
        options = [f"--{role}={place(files[role])}" for role in ("train", "dev")]
        if cell.vectors and "vectors" in files:
            options.append(f"--vectors={place(files['vectors'])}")
        options += ["--preset", cell.preset] if cell.preset else []
        options += settings_options(cell.settings if folder is None else cell.expanded)
        yield Phase("train", ("train", *options, "--output", models[0], "--no-text-model", *running))
    else:
        models = list(cell.models) if folder is None else [str(folder / model) for model in cell.models]
        search = cell.search.options
    chosen = [word for model in models for word in ("--model", model)]
    for split in ("dev", "test") if cell.tested else ("dev",):
        gold, parsed = place(cell.treebank.files[split]), str(own / f"{split}.conllu")
        # 32 bits, so that the figures do not depend on what the machine is fast at.
        options = [gold, *chosen, *search, "--output", parsed, "--precision", "fp32", *running]
        yield Phase(f"parse {split}", ("parse", *options))
        yield Phase(f"evaluate {split}", ("evaluate", gold, parsed, "--json"), own / f"{split}.json")


def settings_options(settings: Mapping[str, Any]) -> list[str]:
    """Sections of a configuration as options of `pointree train`."""
    return [f"--set={name}={_value(value)}" for name, value in flat_settings(settings)]


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)  # dates, which no setting takes
