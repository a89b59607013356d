"""What the columns of tables may hold, as JSON and as comments: any reader of the output must understand it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["as_json", "finite", "on_one_line"]


def as_json(value: Any) -> str:
    """A value as JSON on one line; halves of surrogate pairs, which UTF-8 does not have, are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace").decode()


def on_one_line(value: Any) -> str:
    """A value for a comment: text as it is, but for line ends and what UTF-8 cannot encode; all else as JSON."""
    text = value if isinstance(value, str) else as_json(finite(value))
    return " ".join(text.encode("utf-8", "replace").decode().split())


def finite(value: Any) -> Any:
    """A value in which numbers that JSON does not have, such as NaN, are None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return value
