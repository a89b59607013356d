"""Does one system beat another, over seeds and treebanks? Reads outcomes of grids, and compares systems with a base.

Outcomes are pooled over treebanks, all words or a sample of each treebank. Two systems are compared on the treebanks
and seeds that both have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointree.analysis.attachments import read_attachments
from pointree.analysis.breakdown import GoldGroups, gold_groups
from pointree.analysis.sampling import sample_sentences
from pointree.analysis.seeds import TreebankCounts, compare_seeds
from pointree.errors import InputError, UsageError
from pointree.evaluation.relations import is_punctuation
from pointree.experiments.cell import Treebank
from pointree.experiments.comparison import Effect, GridComparison, SystemComparison
from pointree.experiments.grid import Grid, load_grid
from pointree.experiments.outcomes import keep_outcomes, outcome_path, read_outcomes
from pointree.treebank.formats import read_all

__all__ = ["READINGS", "compare_experiment"]

READINGS = {"las_subtypes": 3, "las": 2, "uas": 1}
"""The least digit of an outcome that counts as right, by metric."""

Words = NDArray[np.bool_]


@dataclass(slots=True)
class _Pool:
    """One treebank: its words that count, their groups, and which of them each system and seed got right.

    *Shape:* all arrays are ``(n_words,)``.
    """

    name: str
    sentences: NDArray[np.int64]
    n_sentences: int
    counted: Words
    groups: list[GoldGroups]
    right: dict[str, dict[int, Words]] = field(default_factory=dict)

    def words(self, right: Words | None = None) -> NDArray[np.float64]:
        """The words that count, or are right of them: of all, then of each group. *Shape:* (n_groups, n_sentences)."""
        chosen = self.counted if right is None else self.counted & right
        kinds = [each.kinds == number for each in self.groups for number in range(len(each.names))]
        rows = [chosen, *(chosen & kind for kind in kinds)]
        return np.stack(
            [np.bincount(self.sentences, weights=row.astype(np.float64), minlength=self.n_sentences) for row in rows]
        ).astype(np.float64)

    def counts(self, first: str, second: str) -> TreebankCounts:
        """What two systems got right, with the seeds that both have."""
        seeds = self.common_seeds(first, second)
        sides = [
            np.stack([self.words(self.right[system][seed]) for seed in seeds], axis=1) for system in (first, second)
        ]
        words = self.words()
        kept = words[0] > 0  # sentences that are not in the sample are not drawn
        return TreebankCounts(words[:, kept], *(side[:, :, kept] for side in sides))

    def common_seeds(self, first: str, second: str) -> list[int]:
        """The seeds that two systems have."""
        return sorted(self.right.get(first, {}).keys() & self.right.get(second, {}).keys())


def compare_experiment(
    *grids: str | os.PathLike[str],
    base: str = "l2r-sequential",
    split: str = "dev",
    metric: str = "las_subtypes",
    sample: int | None = None,
    sample_seed: int = 1,
    resamples: int = 10_000,
    seed: int = 1,
    runs: str | os.PathLike[str] = "runs",
    on_notice: Callable[[str], None] | None = None,
) -> GridComparison:
    """Compare the systems of grids with one of them: the paired bootstrap over seeds and sentences, and by groups.

        >>> print(pointree.compare_experiment("experiments/tr_imst_quick.toml").to_markdown())

    It reads ``results/NAME/outcomes`` beside each grid, and the treebanks. For cells whose parses are in
    ``runs/NAME/CELL`` and whose outcomes are not written yet, it writes them.

    Args:
        grids: TOML files. A system that two of them have on the same treebank is named with its grid.
        base: The system to compare with.
        split: ``dev`` or ``test``.
        metric: ``las_subtypes`` (whole labels), ``las`` or ``uas``. Grids that report scores without punctuation are
            compared without.
        sample: Take whole sentences with about this many words of each treebank; all if None.
        sample_seed: The seed of the sample.
        resamples: The number of draws of the bootstrap.
        seed: The seed of the draws.
        runs: The folder with the folder of each grid's cells.
        on_notice: Called with a line about each old setting in the grids.
    """
    for name, value, known in (("split", split, ("dev", "test")), ("metric", metric, tuple(READINGS))):
        if value not in known:
            raise UsageError(f"{name} must be one of {', '.join(known)}, found {value}")
    notes: list[str] = []
    pools: dict[str, _Pool] = {}
    for path in grids:
        grid = load_grid(Path(path), on_notice=on_notice)
        for treebank in grid.treebanks:
            if treebank.name not in pools:
                pools[treebank.name] = _new_pool(treebank, grid, split, sample, sample_seed, notes)
        _fill(pools, grid, split, READINGS[metric], Path(runs) / grid.name, notes)
    names = list(dict.fromkeys(name for pool in pools.values() for name in pool.right))
    if base not in names or len(names) < 2:
        found = ", ".join(names) or "no system"
        raise InputError(f"expected outcomes of {base} and of another system on {split}, found {found}")
    compared = [
        comparison
        for name in names
        if name != base and (comparison := _compare(list(pools.values()), name, base, resamples, seed)) is not None
    ]
    curves = {key: _curve(list(pools.values()), place, names) for place, key in enumerate(_group_keys(pools))}
    treebanks = {pool.name: int(pool.counted.sum()) for pool in pools.values()}
    return GridComparison(base, split, metric, treebanks, tuple(compared), curves, resamples, tuple(notes))


def _group_keys(pools: dict[str, _Pool]) -> list[str]:
    return [groups.title for groups in next(iter(pools.values())).groups]


def _new_pool(
    treebank: Treebank, grid: Grid, split: str, sample: int | None, sample_seed: int, notes: list[str]
) -> _Pool:
    if split not in treebank.files:
        raise InputError(f"{grid.path}: treebanks.{treebank.name}: expected a {split} file, found none")
    path = treebank.files[split].path
    gold = read_all(path)
    attachments = read_attachments(gold, [], [], str(path))
    counted = np.ones(attachments.n_words, dtype=bool)
    if all(metric.startswith("no_punct") for metric in grid.metrics):
        counted = np.array([not is_punctuation(word) for sentence in gold for word in sentence.words])
    if sample is not None:
        lengths = np.bincount(attachments.sentences, weights=counted).astype(int).tolist()
        chosen = sample_sentences(lengths, sample, sample_seed)
        if len(chosen) == len(gold) and sum(lengths) < sample:
            notes.append(f"{treebank.name}: has {sum(lengths):,} words, fewer than {sample:,}; all are taken")
        counted &= np.isin(attachments.sentences, chosen)
    return _Pool(treebank.name, attachments.sentences, len(gold), counted, gold_groups(attachments))


def _fill(pools: dict[str, _Pool], grid: Grid, split: str, least: int, runs: Path, notes: list[str]) -> None:
    """Read the outcomes of a grid's cells."""
    results = grid.path.parent / "results" / grid.name
    known = {(pool.name, system) for pool in pools.values() for system in pool.right}
    missing = []
    for cell in grid.cells:
        keep_outcomes(cell, runs, results)
        pool = pools[cell.treebank.name]
        outcomes = read_outcomes(
            outcome_path(results, cell.name, split), np.bincount(pool.sentences, minlength=pool.n_sentences).tolist()
        )
        if outcomes is None:
            missing.append(cell.name)
            continue
        name = f"{cell.system} ({grid.name})" if (pool.name, cell.system) in known else cell.system
        pool.right.setdefault(name, {})[cell.seed] = np.concatenate(outcomes) >= least
    if missing:
        notes.append(f"{grid.name}: no outcomes of {', '.join(missing)}")


def _compare(pools: Sequence[_Pool], first: str, base: str, resamples: int, seed: int) -> SystemComparison | None:
    pools = [pool for pool in pools if pool.common_seeds(first, base)]
    if not pools:
        return None
    counts = [pool.counts(first, base) for pool in pools]
    words = np.sum([each.words.sum(axis=1) for each in counts], axis=0)
    scores = [
        100.0 * np.sum([side.mean(axis=1).sum(axis=1) for side in sides], axis=0) / np.maximum(1.0, words)
        for sides in ([each.first for each in counts], [each.second for each in counts])
    ]
    ahead = np.sum([each.ahead for each in counts], axis=0)
    n_seeds = sum(each.n_seeds for each in counts)
    names = ["all", *(name for each in pools[0].groups for name in each.names)]
    effects = [
        Effect(
            name, int(words[row]), float(scores[0][row]), float(scores[1][row]), comparison, (int(ahead[row]), n_seeds)
        )
        for row, (name, comparison) in enumerate(zip(names, compare_seeds(counts, resamples, seed), strict=True))
    ]
    groups, row = {}, 1
    for each in pools[0].groups:
        own = effects[row : row + len(each.names)]
        groups[each.title] = tuple(effect for effect in own if effect.words)
        row += len(each.names)
    seeds = {pool.name: tuple(pool.common_seeds(first, base)) for pool in pools}
    return SystemComparison(first, seeds, effects[0], groups)


def _curve(pools: Sequence[_Pool], place: int, systems: Sequence[str]) -> list[tuple[str, int, dict[str, float]]]:
    """For each group of one question: its name, its words, and each system's accuracy, the mean over its seeds."""
    found = []
    for number, name in enumerate(pools[0].groups[place].names):
        chosen = [pool.counted & (pool.groups[place].kinds == number) for pool in pools]
        words = sum(int(each.sum()) for each in chosen)
        accuracies = {}
        for system in systems:
            having = [(pool, each) for pool, each in zip(pools, chosen, strict=True) if system in pool.right]
            own = sum(int(each.sum()) for _pool, each in having)
            right = sum(
                float(np.mean([(each & outcome).sum() for outcome in pool.right[system].values()]))
                for pool, each in having
            )
            if own:
                accuracies[system] = 100.0 * right / own
        if words:
            found.append((name, words, accuracies))
    return found
