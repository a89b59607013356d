"""Pictures of sentences for a notebook: HTML that needs nothing else and leaves the rest of the page alone."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from pointree.rendering.display import printable
from pointree.rendering.svg import draw_svg
from pointree.treebank.sentence import Sentence

__all__ = ["draw_list", "picture"]

MAX_SHOWN = 20


def draw_list(sentences: Sequence[Sentence]) -> str:
    """The pictures of the first sentences, and how many more there are."""
    parts = [f"<div>{picture(sentence)}</div>" for sentence in sentences[:MAX_SHOWN]]
    if len(sentences) > MAX_SHOWN:
        parts.append(f"<p>… and {len(sentences) - MAX_SHOWN:,} more sentences</p>")
    return "\n".join(parts) or "<p>no sentences</p>"


def picture(sentence: Sentence) -> str:
    """The tree as an image; inside of one, its style cannot reach the page around it."""
    data = b64encode(draw_svg(sentence).encode("utf-8", "replace")).decode()
    text = escape(printable(sentence.text))
    return f'<img alt="{text}" style="max-width: none" src="data:image/svg+xml;base64,{data}">'
