"""What a segmenter knows beside its weights, as a file of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pointree.errors import ModelError
from pointree.files import atomic_write, read_bounded
from pointree.text.alphabet import Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion

__all__ = ["read_segmenter", "write_segmenter"]

_MAX_BYTES = 1 << 24


def write_segmenter(path: Path, rules: SegmenterRules) -> None:
    """Replace the file."""
    value = {"characters": rules.alphabet.characters, "spaces": rules.spaces, "expansion": rules.expansion.to_dict()}
    with atomic_write(path) as stream:
        json.dump(value, stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def read_segmenter(path: Path) -> SegmenterRules:
    """Read the file; a damaged one is a `ModelError`."""
    try:
        value: Any = json.loads(read_bounded(path, _MAX_BYTES).decode())
        characters, spaces = value["characters"], value["spaces"]
        if not isinstance(characters, str) or not isinstance(spaces, bool) or len(set(characters)) < len(characters):
            raise ValueError("expected text and a flag")
        return SegmenterRules(Alphabet(characters), Expansion.from_dict(value["expansion"]), spaces)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path}: expected the rules of a segmenter, found a damaged file ({error!s:.120})") from None
