"""Tests of rows that are computed once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import pointree.search.labels
import pointree.search.step
from pointree.options import ParseOptions
from pointree.search import search_steps
from pointree.search.arrays import Array, Arrays, NumpyArrays
from pointree.search.distinct import distinct_rows
from pointree.search.resumable import run_to_end

from ..helpers import COMBINATIONS, Combination, make_batch, random_sentences, tiny_config, tiny_parser


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_each_row_equals_the_one_that_stands_for_it(n_columns: int) -> None:
    table = np.random.default_rng(n_columns).integers(0, 4, (200, n_columns))
    chosen, shares = distinct_rows(NumpyArrays(), table, bound=4)
    assert np.array_equal(table[chosen][shares], table)
    assert len(chosen) == len({tuple(row) for row in table.tolist()})


def test_numbers_up_to_the_bound_are_not_confused() -> None:
    table = np.array([[0, 9], [1, 0], [9, 0], [0, 0], [0, 9]])
    chosen, shares = distinct_rows(NumpyArrays(), table, bound=10)
    assert len(chosen) == 4
    assert shares[0] == shares[4]


@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_sharing_changes_no_tree(combination: Combination, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = tiny_parser(tiny_config(combination), seed=5)
    options = ParseOptions(beam=6, n_best=6)

    def run() -> list[list[tuple[list[int], list[int], float]]]:
        with torch.inference_mode():
            encoded = parser.engine.encode(make_batch(parser, random_sentences([9, 7, 4, 1])))
            found = run_to_end(search_steps(encoded, options, None))
        return [[(tree.heads, tree.labels, tree.log_prob) for tree in trees] for trees in found]

    shared = run()
    computed = []

    def none_alike(arrays: Arrays, table: Array, bound: int) -> tuple[Array, Array]:
        computed.append((len(table), len(distinct_rows(arrays, table, bound)[0])))
        rows = arrays.arange(0, len(table))
        return rows, rows

    for module in (pointree.search.step, pointree.search.labels):
        monkeypatch.setattr(module, "distinct_rows", none_alike)
    alone = run()
    for some, others in zip(shared, alone, strict=True):
        assert [tree[:2] for tree in some] == [tree[:2] for tree in others]
        torch.testing.assert_close([tree[2] for tree in some], [tree[2] for tree in others], rtol=0, atol=1e-4)
    rows, distinct = (sum(column) for column in zip(*computed, strict=True))
    assert distinct < rows
