"""A bulk job without Ray: the same plan, actors and files, in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pointree.bulk import run as bulk_run
from pointree.bulk.actor import ShardActor
from pointree.bulk.job import BulkJob
from pointree.bulk.sources import Source
from pointree.models.layout import TEXT_MODEL
from pointree.text.udpipe import TextModel
from pointree.version import __version__

from ..helpers import trained_parser


@dataclass
class InProcess:
    """Does what `Cluster` does; ``lose`` may drop the work of some units, as if their actor had died."""

    lose: Callable[[str], bool] = field(default=lambda _unit: False)
    shuffle: Random | None = None

    def slots(self, *, threads: int, device: str) -> int:
        return 1

    def cut(self, sources: Sequence[Source], cut: Callable[[Source], list[Any] | str]) -> Iterator[list[Any] | str]:
        return map(cut, sources)

    def make(self, job: BulkJob, units: Sequence[str], size: int) -> Iterator[dict[str, Any]]:
        actor = ShardActor(job, __version__)
        order = list(units)
        if self.shuffle is not None:
            self.shuffle.shuffle(order)
        for unit in order:
            if not self.lose(unit):
                rows = actor({"unit": [unit]})
                yield {name: values[0] for name, values in rows.items()}


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """Every cluster is this process."""
    from contextlib import contextmanager

    cluster = InProcess()

    @contextmanager
    def connected(_cluster: str, **_options: Any) -> Iterator[InProcess]:
        yield cluster

    monkeypatch.setattr(bulk_run, "connected", connected)
    return cluster


@pytest.fixture(scope="session")
def model(text_model: TextModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model that reads raw text."""
    folder = tmp_path_factory.mktemp("bulk-model") / "small"
    trained_parser().save(folder)
    shutil.copy(text_model.name, folder / TEXT_MODEL)
    return folder


def together(folder: Path) -> str:
    """All shards, one after another."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("part-*")))
