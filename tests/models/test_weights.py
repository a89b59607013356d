"""Weights in a file, mapped into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pointree.models.weights import read_weights, release_pages, write_weights


def test_released_weights_keep_their_values(tmp_path: Path) -> None:
    given = {"a": np.arange(100_000, dtype=np.float32), "b": np.ones((3, 4), dtype=np.int64)}
    write_weights(tmp_path / "weights.safetensors", given)
    found = read_weights(tmp_path / "weights.safetensors")
    release_pages({**found, "of no file": np.zeros(2)})
    for name, array in given.items():
        assert np.array_equal(found[name], array)
