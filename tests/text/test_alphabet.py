"""Characters as numbers and shapes."""

from __future__ import annotations

import pickle

from pointree.text.alphabet import MARK, N_SHAPES, SPACES, UNKNOWN, Alphabet, shapes_of


def test_frequent_characters_are_known() -> None:
    alphabet = Alphabet.build(["abca", "ab日日"], min_count=2)
    assert alphabet.characters == "ab日"
    assert alphabet("ba日c").tolist() == [3, 2, 4, UNKNOWN]
    assert len(alphabet) == 5
    assert pickle.loads(pickle.dumps(alphabet))("日").tolist() == [4]


def test_every_character_has_a_shape() -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000), 0x1F600, 0x10FFFF]))
    shapes = shapes_of(text)
    assert shapes.min() >= 1
    assert shapes.max() < N_SHAPES
    assert shapes_of("aB1.日あ").tolist() == shapes_of("bC2.本い").tolist()


def test_white_space_and_marks() -> None:
    assert SPACES[shapes_of(" \n\u00a0\u3000\u2003")].all()
    assert not SPACES[shapes_of("a.\u200b_")].any()
    assert MARK[shapes_of("\u0301\u0903\u20dd\ufe0f\u200d\U0001f3fd")].all()
