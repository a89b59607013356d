"""The cache as a whole: a folder for each pretrained model and choice of layers, with one limit for all of them."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pointree.errors import OutputError
from pointree.pretrained.cache import LOCK, FeatureCache, lock_file
from pointree.pretrained.model import PretrainedModel

__all__ = ["CACHE_VARIABLE", "CacheFolder", "default_cache"]

CACHE_VARIABLE = "POINTREE_CACHE"
"""The environment variable with the folder of the cache."""

_FORMAT = 1


def default_cache() -> Path:
    """$POINTREE_CACHE, or the folder `pointree` in the user's cache folder."""
    if given := os.environ.get(CACHE_VARIABLE):
        return Path(given).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pointree"


@dataclass(frozen=True, slots=True)
class CacheFolder:
    """The folder that holds all caches, and the bytes that they may have together."""

    root: Path
    limit: int = 20 * 10**9

    def open(self, model: PretrainedModel) -> FeatureCache:
        """The cache of a pretrained model with its choice of layers and sub-words."""
        identity = model.identity
        about: dict[str, Any] = {
            "format": _FORMAT,
            "encoder": Path(identity.name).name,  # the name that the key has on disk
            "sha256": identity.sha256,
            "layers": list(model.layers),
            "subwords": model.subwords,
            "n_vectors": model.n_vectors,
            "width": identity.width,
            "limit": model.limit,
        }
        unnamed = {key: value for key, value in about.items() if key != "encoder"}
        key = hashlib.sha256(json.dumps(unnamed, sort_keys=True).encode()).hexdigest()[:16]
        return FeatureCache(self.root / key, about, model.n_vectors * identity.width)

    def make_room(self, cache: FeatureCache, n_bytes: int) -> None:
        """Remove caches that no process uses, least recently used first, until there is room for ``n_bytes`` more."""
        others = [folder for folder in self.root.iterdir() if folder != cache.folder and (folder / LOCK).is_file()]
        others.sort(key=lambda folder: (folder / LOCK).stat().st_mtime)
        total = sum(_size(folder) for folder in (cache.folder, *others))
        for folder in others:
            if total + n_bytes <= self.limit:
                return
            size = _size(folder)
            if _remove(folder):
                total -= size
        if total + n_bytes > self.limit:
            raise OutputError(
                f"{self.root}: the vectors need {n_bytes / 1e9:.3g} GB beside the {total / 1e9:.3g} GB in use, but the "
                f"cache may have {self.limit / 1e9:.3g} GB; raise cache_gb, or choose another folder (cache)"
            )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def _remove(folder: Path) -> bool:
    """Remove a cache, unless a process uses it; returns whether it did."""
    try:
        with lock_file(folder / LOCK, wait=False):
            # Renamed first, so that no process ever sees a half-removed cache.
            doomed = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.tmp")
            folder.rename(doomed)
    except OSError:
        return False
    shutil.rmtree(doomed, ignore_errors=True)
    return True
