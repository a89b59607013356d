"""Vocabularies that grow: old symbols keep their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from pointree.treebank.sentence import Sentence
from pointree.vocabulary import UNK, Vocabularies
from pointree.vocabulary.extension import extend_vocabularies


def tree(*words: str, tag: str = "X", label: str = "dep") -> Sentence:
    size = len(words)
    return Sentence.from_words(
        list(words), upos=[tag] * size, head=list(range(size)), deprel=["root", *[label] * (size - 1)]
    )


def extended(old: Sequence[Sentence], new: Sequence[Sentence]) -> tuple[Vocabularies, Vocabularies]:
    before = Vocabularies.build(old, min_count=1)
    return before, extend_vocabularies(before, Vocabularies.build(new, min_count=1), new)


def test_old_symbols_keep_their_numbers_and_new_ones_follow() -> None:
    before, after = extended([tree("a", "b", "a")], [tree("z", "b", "z", tag="Y", label="obj")])
    for name in ("words", "chars", "tags", "deprels"):
        old, new = getattr(before, name).symbols, getattr(after, name).symbols
        assert new[: len(old)] == old
        assert len(set(new)) == len(new)
    assert after.words.lookup("z") == len(before.words)
    assert after.chars.lookup("z") == len(before.chars)
    assert (after.tags.symbols[-1], after.deprels.symbols[-1]) == ("Y", "obj")
    assert before.words.lookup("z") == UNK


def test_a_word_is_seldom_if_neither_data_has_it_often() -> None:
    old = [tree("often", "often", "once", "twice", "other")]
    _, after = extended(old, [tree("often", "once", "twice", "twice", "new", "newer", "newer")])
    words = {word: bool(after.words.singletons[after.words.lookup(word)]) for word in after.words.symbols[3:]}
    assert words == {
        "often": False,
        "once": True,
        "twice": False,
        "other": True,
        "new": True,
        "newer": False,
    }


def test_the_same_data_again_changes_nothing() -> None:
    new = [tree("z", "often", "z", "once")]
    _, after = extended([tree("often", "often", "once")], new)
    again = extend_vocabularies(after, Vocabularies.build(new, min_count=1), new)
    assert again == after
