"""A trace for a notebook: the tree, and a table of the steps that built it.

A trace comes as its JSON object (`docs/reference/trace.md`), since its class lives with the search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from pointree.rendering.display import printable
from pointree.rendering.html import picture
from pointree.treebank.sentence import Sentence

__all__ = ["draw_trace"]

RIVALS = 2
"""Other positions to show for a step."""

_HEADER = ("step", "focus", "points at", "probability", "next best", "relation", "illegal")
_BAR = "display: inline-block; height: 0.7em; background: #7d8590"


def draw_trace(trace: Mapping[str, Any]) -> str:
    """The tree and the steps of a trace as HTML."""
    sentence = Sentence.from_words(
        trace["forms"][1:], upos=trace["upos"][1:], head=trace["heads"], deprel=trace["deprels"]
    )
    search = f"beam {trace['beam']}" if trace["beam"] > 1 else "greedy search"
    about = f"{trace['model']}, {trace['order']}, {search}, log-probability {trace['log_prob']:.2f}"
    header = "".join(f"<th>{name}</th>" for name in _HEADER)
    rows = "\n".join(f"<tr>{''.join(_cells(step, trace['forms']))}</tr>" for step in trace["steps"])
    return f"""<div>{picture(sentence)}</div>
<p>{escape(about)}</p>
<table>
<thead><tr>{header}</tr></thead>
<tbody>
{rows}
</tbody>
</table>"""


def _cells(step: Mapping[str, Any], forms: list[str]) -> Iterator[str]:
    probs, position = step["probs"], step["position"]
    rivals = sorted(
        (place for place in range(len(probs)) if place != position and probs[place] > 0), key=probs.__getitem__
    )
    others = ", ".join(f"{_word(place, forms)} {probs[place]:.3f}" for place in reversed(rivals[-RIVALS:]))
    relation = "pop"
    if step["labels"]:
        label = step["labels"][0]
        relation = f"{escape(label['deprel'])} {label['prob']:.3f}"
    reasons = {fault["position"]: fault["explanation"] for fault in step["illegal"]}
    illegal = ", ".join(
        f'<span title="{escape(printable(reason))}">{_word(place, forms)}</span>' for place, reason in reasons.items()
    )
    bar = f'<span style="{_BAR}; width: {5 * step["head_prob"]:.2f}em"></span>'
    yield f"<td>{step['number']}</td>"
    yield f"<td><b>{_word(step['focus'], forms)}</b></td>"
    yield f"<td>{_word(position, forms)}</td>"
    yield f'<td style="text-align: left">{bar} {step["head_prob"]:.3f}</td>'
    yield f"<td>{others}</td>"
    yield f"<td>{relation}</td>"
    yield f"<td>{illegal}</td>"


def _word(place: int, forms: list[str]) -> str:
    """A word with its number, which tells equal words apart."""
    return f"{escape(printable(forms[place]))}<sub>{place}</sub>"
