"""How sentences and traces show themselves: a table of views by name.

`pointree.rendering` fills the table when it is imported, and `import pointree` does that. So a sentence can draw
itself, and the layers that make sentences still import no rendering.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["register_view", "view"]

_VIEWS: dict[str, Callable[[Any], Any]] = {}


def register_view(name: str, make: Callable[[Any], Any]) -> None:
    """Let `view` make this view; a second one of the same name replaces the first."""
    _VIEWS[name] = make


def view(name: str, thing: Any) -> Any:
    """A sentence, a list of them or the object of a trace in a view such as ``tree`` or ``svg``."""
    return _VIEWS[name](thing)
