"""The report on a grid: the paper's table of systems × treebanks with our figures, and the paper's beside them."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pointree.experiments.cell import Cell, TrainingRun
from pointree.experiments.differences import seed_difference
from pointree.experiments.grid import Grid
from pointree.experiments.identity import Identity, changes, config_identity
from pointree.experiments.paper import PaperScore, paper_score
from pointree.experiments.results import is_complete, read_identified, result_path
from pointree.experiments.systems import SYSTEMS, System

__all__ = ["METRIC_NAMES", "Entry", "Report", "decisive_metric", "make_report"]

METRIC_NAMES = {
    "uas": "UAS",
    "las": "LAS without subtypes",
    "las_subtypes": "LAS",
    "clas": "CLAS",
    "no_punct.uas": "UAS",
    "no_punct.las": "LAS",
}


_BOTH_READINGS = (
    " LAS compares whole labels, with their subtypes. The paper does not say which reading it means: its figure stands "
    "beside both."
)


_BASE = "l2r-sequential"
_PAIRED = (
    "Paired by seed, on the same sentences: the mean of the differences and the 95 % interval of Student's t, which "
    "tells what other seeds would show. Bold: the interval does not hold 0."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure of the table: a system's mean on a treebank, over the seeds that were run.

    Attributes:
        values: The score of each seed, by its number.
        best_seed: The seed that was best on dev, by LAS.
    """

    split: str
    system: str
    treebank: str
    metric: str
    values: Mapping[int, float]
    paper: PaperScore | None
    best_seed: int | None = None

    @property
    def mean(self) -> float | None:
        """The mean over seeds, None if none was run."""
        return statistics.fmean(self.values.values()) if self.values else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of a sample, for two seeds or more."""
        return statistics.stdev(self.values.values()) if len(self.values) > 1 else None

    @property
    def best(self) -> float | None:
        """The score of the seed that was best on dev."""
        return None if self.best_seed is None else self.values.get(self.best_seed)


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a grid.

    Attributes:
        results: The results that were found, by the names of their cells.
        notes: What was left out, and why.
    """

    grid: Grid
    entries: tuple[Entry, ...]
    results: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...]

    def entry(self, split: str, system: str, treebank: str, metric: str) -> Entry:
        """One figure."""
        key = (split, system, treebank, metric)
        return next(e for e in self.entries if (e.split, e.system, e.treebank, e.metric) == key)

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        parts = [f"## {self.grid.name}", "", self._legend(), ""]
        for split in ("dev", "test"):
            rows = [name for name in self.row_names if any(e.split == split and e.system == name for e in self.entries)]
            if rows:
                parts += [f"### {split}", "", *self._table(split, rows), ""]
            if split == "test" and any(len(entry.values) > 1 for entry in self.entries if entry.split == split):
                parts += ["### test, the seed that was best on dev", "", *self._best_seeds(rows), ""]
        if rows := [*self._differences()]:
            parts += [f"### Difference to {_BASE}", "", _PAIRED, "", *rows, ""]
        parts += ["### Cells", "", *self._cells(), ""]
        if self.notes:
            parts += [*(f"- {note}" for note in self.notes), ""]
        return "\n".join(parts)

    def to_csv(self) -> str:
        """All figures, one a line."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        names = ["grid", "split", "system", "order", "fusion", "gate", "treebank", "metric"]
        writer.writerow([*names, "seeds", "mean", "sd", "paper_mean", "paper_sd", "best_seed", "best"])
        systems = {system.name: system for system in self.grid.systems}
        for entry in self.entries:
            system = systems.get(entry.system)
            decoder = [system.order, system.fusion, system.gate] if system else ["", "", ""]
            if system and system.fusion == "none":
                decoder = [system.order, system.fusion, ""]  # nothing is fused, so there is no gate
            paper = [entry.paper.mean, entry.paper.sd] if entry.paper else [None, None]
            figures = ["" if value is None else f"{value:.2f}" for value in (entry.mean, entry.sd, *paper)]
            best = ["", ""] if entry.best is None else [entry.best_seed, f"{entry.best:.2f}"]
            own = [entry.split, entry.system, *decoder, entry.treebank, entry.metric, len(entry.values)]
            writer.writerow([self.grid.name, *own, *figures, *best])
        return stream.getvalue()

    @property
    def row_names(self) -> list[str]:
        """Systems, then ensembles, in the order of the grid."""
        return [*(system.name for system in self.grid.systems), *self.grid.ensembles]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The treebank and metric of each column."""
        return [(treebank.name, metric) for treebank in self.grid.treebanks for metric in self.grid.metrics]

    @property
    def _names(self) -> list[str]:
        """What the metrics are called; where only some are without punctuation, these say so."""
        without = [metric.startswith("no_punct") for metric in self.grid.metrics]
        mark = "" if all(without) else " without punctuation"
        return [METRIC_NAMES[metric] + mark * own for metric, own in zip(self.grid.metrics, without, strict=True)]

    def _legend(self) -> str:
        metrics = " and ".join(self._names)
        without = ", without punctuation" if all(m.startswith("no_punct") for m in self.grid.metrics) else ""
        return (
            f"{metrics}{without}: mean ± standard deviation over {len(self.grid.seeds)} seed"
            f"{'s' if len(self.grid.seeds) > 1 else ''} (fewer where a number in brackets says so); in parentheses the "
            "paper's figure. Bold: best of its column. –: not run."
            + (_BOTH_READINGS if {"las", "las_subtypes"} <= set(self.grid.metrics) else "")
        )

    def _differences(self) -> Iterator[str]:
        """The difference of each system to the base, treebank by treebank, by the metric that decides."""
        rows = []
        for split in ("dev", "test"):
            entries = [e for e in self.entries if e.split == split and e.metric == decisive_metric(self.grid)]
            bases = {entry.treebank: entry.values for entry in entries if entry.system == _BASE}
            for entry in entries:
                found = seed_difference(entry.values, bases.get(entry.treebank, {}))
                if found is not None and entry.system != _BASE:
                    rows.append(f"| {split} | {entry.treebank} | {entry.system} | " + " | ".join(found.cells()) + " |")
        if rows:
            yield "| split | treebank | system | difference | 95 % interval | seeds ahead |"
            yield "|---|---|---|---|---|---|"
            yield from rows

    def _best_seeds(self, rows: Sequence[str]) -> Iterator[str]:
        """For each system, the test score of the seed with the best dev score."""
        names = dict(zip(self.grid.metrics, self._names, strict=True))
        yield "| tran. | f | gate | " + " | ".join(f"{name} {names[metric]}" for name, metric in self.columns) + " |"
        yield "|---|---|---|" + "---|" * len(self.columns)
        systems = {system.name: system for system in self.grid.systems}
        for row in rows:
            entries = [self.entry("test", row, *column) for column in self.columns]
            cells = ["–" if e.best is None else f"{e.best:.2f} (seed {e.best_seed})" for e in entries]
            yield "| " + " | ".join([*_row_head(row, systems.get(row)), *cells]) + " |"

    def _table(self, split: str, rows: Sequence[str]) -> Iterator[str]:
        several = len(self.grid.metrics) > 1
        names = dict(zip(self.grid.metrics, self._names, strict=True))
        heads = [f"{name} {names[metric]}" if several else name for name, metric in self.columns]
        averaged = list(self.grid.metrics) if len(self.grid.treebanks) > 1 else []
        heads += [f"Avg. {names[metric]}" if several else "Avg." for metric in averaged]
        yield "| tran. | f | gate | " + " | ".join(heads) + " |"
        yield "|---|---|---|" + "---|" * len(heads)
        figures = {row: [*self._figures(split, row, averaged)] for row in rows}
        best = [
            max((mean for row in rows if (mean := figures[row][place][0]) is not None), default=None)
            for place in range(len(heads))
        ]
        systems = {system.name: system for system in self.grid.systems}
        for row in rows:
            cells = [
                f"**{text}**" if mean is not None and _same(mean, top) and len(rows) > 1 else text
                for (mean, text, _paper), top in zip(figures[row], best, strict=True)
            ]
            beside = [paper for _mean, _text, paper in figures[row]]
            joined = [f"{cell} {paper}".rstrip() for cell, paper in zip(cells, beside, strict=True)]
            yield "| " + " | ".join([*_row_head(row, systems.get(row)), *joined]) + " |"

    def _figures(self, split: str, row: str, averaged: Sequence[str]) -> Iterator[tuple[float | None, str, str]]:
        """For each column of a row: our mean, our figure as text, the paper's."""
        for treebank, metric in self.columns:
            entry = self.entry(split, row, treebank, metric)
            yield entry.mean, self._text(entry), _paper_text(entry.paper)
        for metric in averaged:
            entries = [self.entry(split, row, treebank.name, metric) for treebank in self.grid.treebanks]
            means = [entry.mean for entry in entries if entry.mean is not None]
            papers = [entry.paper.mean for entry in entries if entry.paper is not None]
            mean = statistics.fmean(means) if len(means) == len(entries) else None
            paper = PaperScore(statistics.fmean(papers), None) if len(papers) == len(entries) else None
            yield mean, "–" if mean is None else f"{mean:.2f}", _paper_text(paper)

    def _text(self, entry: Entry) -> str:
        if entry.mean is None:
            return "–"
        spread = "" if entry.sd is None else f" ± {entry.sd:.2f}"
        fewer = f" [{len(entry.values)}]" if len(entry.values) < len(self.grid.seeds) else ""
        return f"{entry.mean:.2f}{spread}{fewer}"

    def _cells(self) -> Iterator[str]:
        both = ("LAS", "LAS without subtypes")
        measures = [f"{split} {name}" for split in ("dev", "test") for name in ("UAS", *both)]
        measures += ["test CLAS", "best epoch", "minutes"]
        yield f"| cell | {' | '.join(measures)} | command |"
        yield "|---|" + "---|" * (len(measures) + 1)
        for cell in self.grid.cells:
            result = self.results.get(cell.name)
            options = "--output again --results again"  # where nothing is finished yet
            if result is not None:
                options += f" --threads-per-job {result['threads']}"
            command = f"`pointree experiment run {self.grid.path.as_posix()} --only {cell.name} {options}`"
            yield f"| {cell.name} | " + " | ".join([*_cell_figures(result), command]) + " |"


def make_report(grid: Grid, results: Path) -> Report:
    """Collect the results of a grid; those that other settings made are left out, with a note."""
    found: dict[str, dict[str, Any]] = {}
    missing = []
    notes = []
    cells = {cell.name: cell for cell in grid.cells}
    for cell in grid.cells:
        result = read_identified(result_path(results, cell.name))
        if result is None:
            missing.append(cell.name)
            continue
        recorded = result["identity"]
        if differences := changes(recorded, _without_data(recorded, cell, cells)):
            notes.append(f"{cell.name} is left out, it was made with other settings: {'; '.join(differences)}")
        elif not is_complete(result, cell):
            notes.append(f"{cell.name} has no test scores yet")
            found[cell.name] = result
        else:
            found[cell.name] = result
    if missing:
        notes.append(f"Not run ({len(missing)} of {len(grid.cells)} cells): {', '.join(missing)}")
    return Report(grid, tuple(_entries(grid, found)), found, tuple(notes))


def _without_data(recorded: Identity, cell: Cell, cells: Mapping[str, Cell]) -> Identity:
    """The identity that the grid asks for, as far as it can be known without the data."""
    if isinstance(cell, TrainingRun):
        config = config_identity(cell, recorded.get("config"))
        roles = cell.treebank.files.keys() - (set() if cell.vectors else {"vectors"})
        known_data = recorded.get("data", {})
        data = {role: known_data.get(role, "unknown") for role in roles}
        return {"config": config, "beam": cell.search.beam, **cell.search.rules, "data": data}
    known = recorded.get("members", {})
    members = {name: _without_data(known.get(name, {}), cells[name], cells) for name in cell.members}
    return {"members": members, **cell.search.rules, "data": recorded.get("data", {})}


def decisive_metric(grid: Grid) -> str:
    """The metric by which seeds are chosen and systems compared: the first LAS of the grid."""
    return next((metric for metric in grid.metrics if "las" in metric), grid.metrics[0])


def _entries(grid: Grid, results: Mapping[str, Mapping[str, Any]]) -> Iterator[Entry]:
    columns = {treebank.name: treebank.column for treebank in grid.treebanks}
    decisive = decisive_metric(grid)
    for split in ("dev", "test"):
        seen: dict[tuple[str, str], list[Cell]] = {}
        for cell in grid.cells:
            if split == "dev" or cell.tested:
                seen.setdefault((cell.system, cell.treebank.name), []).append(cell)
        for (system, treebank), cells in seen.items():
            found = {cell.seed: results[cell.name] for cell in cells if cell.name in results}
            best = max(found, key=lambda seed: _lookup(found[seed]["dev"], decisive), default=None)
            for metric in grid.metrics:
                values = {seed: _lookup(result[split], metric) for seed, result in found.items() if split in result}
                column = columns[treebank]
                paper = paper_score(grid.paper, split, system, column, metric) if grid.paper and column else None
                yield Entry(split, system, treebank, metric, values, paper, best)


def _lookup(scores: Mapping[str, Any], metric: str) -> float:
    value: Any = scores
    for key in metric.split("."):
        value = value[key]
    return float(value)


def _row_head(name: str, system: System | None) -> list[str]:
    if system is None:
        return [name, "ensemble", "-"]
    fusion = system.fusion_name if name in SYSTEMS else f"{system.fusion_name} ({name})"
    return [system.transition, fusion, system.gate_name]


def _paper_text(paper: PaperScore | None) -> str:
    if paper is None:
        return ""
    return f"({paper.mean:.2f})" if paper.sd is None else f"({paper.mean:.2f} ± {paper.sd:.2f})"


def _cell_figures(result: Mapping[str, Any] | None) -> list[str]:
    if result is None:
        return ["–"] * 9
    dev, test = result["dev"], result.get("test", {})
    names = ("uas", "las_subtypes", "las")
    figures = [*(dev[name] for name in names), *(test.get(name) for name in (*names, "clas"))]
    minutes = sum(result["seconds"].values()) / 60
    return [
        *("–" if figure is None else f"{figure:.2f}" for figure in figures),
        str(result.get("best_epoch", "–")),
        f"{minutes:.0f}",
    ]


def _same(value: float, best: float | None) -> bool:
    """Whether two figures look the same in the table."""
    return best is not None and f"{value:.2f}" == f"{best:.2f}"
