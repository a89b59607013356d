"""The identity of a pretrained model: its name, its size, and a checksum of its weights and tokeniser."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.files import atomic_write, read_bounded, reading_part

__all__ = ["PretrainedIdentity", "checksum", "read_identity", "write_identity"]

_MAX_BYTES = 1 << 16
_MAX_SIZE = 1 << 20
"""More than the width or the layers of any pretrained model."""

_TEXTS = (
    "Straße",
    "ÀÉÎ",
    "İstanbul",
    "don't",
    "e.g.",
    "U.S.A",
    "中文",
    "\u0e01\u0e33",
    "a\u200bb",
    "😀",
    "<s>",
    "1,000.5",
)
"""Words that tell tokenisers with the same sub-words apart: case, accents, punctuation and scripts."""


@dataclass(frozen=True, slots=True)
class PretrainedIdentity:
    """What a saved parser records about its pretrained model.

    Attributes:
        name: The folder or Hub id under which it was found.
        sha256: A checksum of all weights, and of what the tokeniser makes of some words.
        width: Width of its vectors.
        n_layers: Layers above its input.
    """

    name: str
    sha256: str
    width: int
    n_layers: int


def checksum(weights: Mapping[str, NDArray[np.float32]], tokenize: Callable[[list[str]], list[tuple[int, ...]]]) -> str:
    """The checksum of a pretrained model; the format in which its weights are stored does not matter."""
    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    digest.update(json.dumps(tokenize(list(_TEXTS))).encode())
    return digest.hexdigest()


def write_identity(path: Path, identity: PretrainedIdentity) -> None:
    """Write the identity of a pretrained model to a file."""
    with atomic_write(path) as stream:
        json.dump(asdict(identity), stream, indent=2)
        stream.write("\n")


def read_identity(path: Path) -> PretrainedIdentity:
    """Read what `write_identity` wrote; whatever is wrong with it is a `ModelError`."""
    with reading_part(path):
        content = read_bounded(path, _MAX_BYTES)
    try:
        found = PretrainedIdentity(**json.loads(content.decode()))
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{path}: expected the identity of a pretrained model, found a damaged file ({error})"
        ) from None
    if [type(value) for value in asdict(found).values()] != [str, str, int, int]:
        raise ModelError(f"{path}: expected name, sha256, width and n_layers, found {asdict(found)}")
    if not (0 < found.width <= _MAX_SIZE and 0 <= found.n_layers <= _MAX_SIZE):
        found_sizes = f"{found.width:.3g} and {found.n_layers:.3g}"
        raise ModelError(f"{path}: expected width and n_layers of at most {_MAX_SIZE}, found {found_sizes}")
    return found
