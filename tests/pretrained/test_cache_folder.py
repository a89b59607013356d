"""Which cache belongs to what, and the bound on all of them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from pointree.errors import OutputError
from pointree.pretrained.cache import LOCK, VECTORS, FeatureCache, text_key
from pointree.pretrained.cache_folder import CacheFolder, default_cache

from .small_models import make_pretrained, open_pretrained

KEY = text_key(["word"])


def cache_of(root: Path, name: str, n_rows: int, used: int) -> FeatureCache:
    """A cache of so many rows of a hundred bytes, last used at a time."""
    cache = FeatureCache(root / name, {"encoder": name}, 50)
    cache.add({KEY: np.ones((n_rows, 50), dtype=np.int16)})
    os.utime(cache.folder / LOCK, (used, used))
    return cache


def names(root: Path) -> set[str]:
    return {folder.name for folder in root.iterdir()}


def test_each_choice_has_a_cache_of_its_own(tmp_path: Path) -> None:
    folder = make_pretrained(tmp_path / "encoder")
    caches = CacheFolder(tmp_path / "caches")
    choices = [{}, {"layers": (1,)}, {"layers": (3, 2, 1)}, {"subwords": "first"}, {"mix": "learned"}]
    found = [caches.open(open_pretrained(folder, **choice)) for choice in choices]  # type: ignore[arg-type]
    assert len({cache.folder for cache in found}) == len(choices)
    assert found[-1].width == 3 * found[0].width
    again = caches.open(open_pretrained(folder, layers=(-3, -2, -1)))
    assert again.folder == found[0].folder, "the same layers by other names"


def test_those_not_used_for_longest_are_removed_first(tmp_path: Path) -> None:
    own = cache_of(tmp_path, "own", 10, 1)
    for name, used in (("new", 3), ("old", 2)):
        cache_of(tmp_path, name, 10, used)
    caches = CacheFolder(tmp_path, limit=4_500)
    caches.make_room(own, 100)
    assert names(tmp_path) == {"own", "new", "old"}
    caches.make_room(own, 1_500)
    assert names(tmp_path) == {"own", "new"}
    assert KEY in own


def test_caches_in_use_stay_and_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    own, other = cache_of(tmp_path, "own", 10, 1), cache_of(tmp_path, "other", 10, 1)
    caches = CacheFolder(tmp_path, limit=3_000)
    with pytest.raises(
        OutputError, match=r"the vectors need 2e-06 GB beside .* GB in use, but the cache may have 3e-06"
    ):
        caches.make_room(own, 2_000)
    assert KEY in other
    del other
    caches.make_room(own, 1_000)
    assert names(tmp_path) == {"own"}


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    own = cache_of(tmp_path, "own", 1, 1)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / VECTORS).write_bytes(bytes(10_000))
    with pytest.raises(OutputError):
        CacheFolder(tmp_path, limit=100).make_room(own, 1)
    assert (tmp_path / "thesis" / VECTORS).exists()


def test_the_default_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    monkeypatch.delenv("POINTREE_CACHE", raising=False)
    assert default_cache() == Path("/caches/pointree")
    monkeypatch.setenv("POINTREE_CACHE", "/elsewhere")
    assert default_cache() == Path("/elsewhere")
