"""Results of cells: one small JSON file each, with the scores, the dev curve, and how they came about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pointree.errors import InputError
from pointree.experiments.cell import MODEL, Cell, Phase, TrainingRun, phases
from pointree.experiments.identity import Identity, code_state, fingerprint
from pointree.files import atomic_write, make_folder, reading
from pointree.models.layout import METRICS

__all__ = [
    "CellProgress",
    "make_result",
    "read_identified",
    "read_json",
    "read_metrics",
    "result_path",
    "write_json",
]

_SCORES = ("uas", "las", "las_subtypes", "clas", "no_punct", "words", "sentences")


@dataclass(frozen=True, slots=True)
class CellProgress:
    """How far the training of a cell is; `epochs` has one line of metrics each."""

    epochs: tuple[dict[str, Any], ...]

    def best(self, metric: str) -> dict[str, Any] | None:
        """The line with the best score on dev, if there is any."""
        return max(self.epochs, key=lambda line: line[f"dev_{metric}"], default=None)


def read_metrics(cell_folder: Path) -> CellProgress:
    """The metrics that a training run has written so far."""
    try:
        text = (cell_folder / MODEL / METRICS).read_text(encoding="utf-8")
    except OSError:
        return CellProgress(())
    return CellProgress(tuple(json.loads(line) for line in text.splitlines()))


def result_path(results: Path, cell_name: str) -> Path:
    """The file of a cell's result."""
    return results / f"{cell_name}.json"


def read_json(path: Path) -> dict[str, Any] | None:
    """The content of a JSON file, or None if there is no such file."""
    if not path.exists():
        return None
    with reading(path):
        try:
            content = json.loads(path.read_bytes())
        except ValueError as error:
            raise InputError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected a JSON object, found {type(content).__name__}")
    return content


def read_identified(path: Path) -> dict[str, Any] | None:
    """A JSON file that says what its content depends on, as results do, or None if there is no such file."""
    content = read_json(path)
    if content is not None and not isinstance(content.get("identity"), dict):
        raise InputError(f'{path}: expected an object under "identity", found none; remove the file to start again')
    return content


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a JSON file; numbers in a list stay on one line."""
    make_folder(path.parent)
    with atomic_write(path) as stream:
        stream.write(_indented(content) + "\n")


def _indented(value: Any, margin: str = "") -> str:
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = margin + "  "
    items = [f"{inner}{json.dumps(key)}: {_indented(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(items) + f"\n{margin}}}"


def make_result(
    cell: Cell, identity: Identity, folder: Path, seconds: Mapping[str, float], *, threads: int, device: str
) -> dict[str, Any]:
    """The result of a cell whose phases are all done."""
    own = folder / cell.name
    result: dict[str, Any] = {
        "cell": cell.name,
        "treebank": cell.treebank.name,
        "system": cell.system,
        "seed": cell.seed,
        "finished": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commands": [str(phase) for phase in phases(cell, threads=threads, device=device)],
        "threads": threads,
    }
    for split in ("dev", "test") if cell.tested else ("dev",):
        scores = read_json(own / f"{split}.json") or {}
        result[split] = _rounded({name: scores[name] for name in _SCORES})
    if isinstance(cell, TrainingRun):
        progress = read_metrics(own)
        best, last = progress.best(cell.config.selection.metric) or {}, progress.epochs[-1]
        result["best_epoch"] = best["epoch"]
        result["epochs"] = len(progress.epochs)
        result["seconds"] = {"train": last["seconds"], **_rounded(seconds)}
        result["dev_curve"] = {
            name: [line[key] for line in progress.epochs]
            for name, key in (("las", "dev_las"), ("uas", "dev_uas"), ("seconds", "seconds"))
        }
    else:
        result["seconds"] = _rounded(seconds)
    return {**result, "fingerprint": fingerprint(identity), "identity": identity, "code": code_state()}


def _rounded(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _rounded(value) if isinstance(value, Mapping) else round(value, 4) for key, value in table.items()}


def is_complete(result: Mapping[str, Any], cell: Cell) -> bool:
    """Whether a result has all scores that its cell asks for."""
    return "dev" in result and ("test" in result or not cell.tested)


def is_timed(phase: Phase) -> bool:
    """Whether the time of a phase is worth recording: training keeps its own over all resumptions."""
    return phase.name.startswith("parse")
