"""A trace in a notebook: one row a step, with what was chosen, what came next and what was illegal."""

from __future__ import annotations

from typing import Any

from pointree.rendering.html_trace import draw_trace


def trace(**changes: Any) -> dict[str, Any]:
    step = {
        "number": 1,
        "focus": 1,
        "probs": [0.1, 0.0, 0.9],
        "position": 2,
        "head_prob": 0.9,
        "labels": [{"deprel": "nsubj", "prob": 0.75}],
        "illegal": [{"position": 1, "explanation": "a <word> is not its own head"}],
    }
    last = step | {"number": 2, "focus": 2, "position": 0, "probs": [1.0, 0.0, 0.0], "head_prob": 1.0, "illegal": []}
    values = {
        "model": "en",
        "order": "left-to-right",
        "beam": 1,
        "log_prob": -0.5,
        "forms": ["ROOT", "It", "<rains>"],
        "upos": ["_", "PRON", "VERB"],
        "heads": [2, 0],
        "deprels": ["nsubj", "root"],
        "steps": [step, last],
    }
    return values | changes


def test_every_step_is_a_row() -> None:
    shown = draw_trace(trace())
    assert shown.count("<tr>") == 3
    assert "<td><b>It<sub>1</sub></b></td><td>&lt;rains&gt;<sub>2</sub></td>" in shown
    assert "ROOT<sub>0</sub> 0.100" in shown
    assert "nsubj 0.750" in shown
    assert 'title="a &lt;word&gt; is not its own head"' in shown
    assert "en, left-to-right, greedy search, log-probability -0.50" in shown


def test_a_pop_has_no_relation() -> None:
    popped = {"number": 1, "focus": 2, "position": 2, "probs": [0.0, 0.2, 0.8], "head_prob": 0.8}
    shown = draw_trace(trace(steps=[popped | {"labels": [], "illegal": []}]))
    assert "<td>pop</td>" in shown


def test_the_beam_is_named() -> None:
    assert "beam 4" in draw_trace(trace(beam=4))
