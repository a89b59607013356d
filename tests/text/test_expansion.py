"""Multiword tokens: known ones from the dictionary, others by rules that were learned."""

from __future__ import annotations

import json

import pytest

from pointree.text.expansion import EndingRule, Expansion

TRAINING = [
    ("do", ("de", "o")), ("do", ("de", "o")), ("da", ("de", "a")), ("da", ("de", "a")),
    ("evdeki", ("evde", "ki")), ("okuldaki", ("okulda", "ki")), ("suki", ("su", "ki")),
    ("fazê-lo", ("fazer", "lo")), ("trazê-lo", ("trazer", "lo")), ("vê-lo", ("ver", "lo")),
    ("והבית", ("ו", "ה", "בית")), ("והילד", ("ו", "ה", "ילד")),
]  # fmt: skip


@pytest.fixture(scope="module")
def expansion() -> Expansion:
    return Expansion.learn(TRAINING)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("do", ("de", "o")),
        ("Do", ("De", "o")),
        ("DO", ("DE", "O")),
        ("masadaki", ("masada", "ki")),
        ("Ankara'daki", ("Ankara'da", "ki")),
        ("comê-lo", ("comer", "lo")),
        ("והספר", ("ו", "ה", "ספר")),
        ("xyz", None),
        ("ki", None),
    ],
)
def test_words(expansion: Expansion, form: str, words: tuple[str, ...] | None) -> None:
    assert expansion.words(form) == words


def test_json_round_trip(expansion: Expansion) -> None:
    assert Expansion.from_dict(json.loads(json.dumps(expansion.to_dict()))) == expansion


def test_a_rule_needs_a_stem() -> None:
    rule = EndingRule("a", "b", ("x", "*y"), 1)
    assert rule.apply("acb") == ("x", "cy")
    assert rule.apply("ab") is None
    assert Expansion().words("anything") is None
