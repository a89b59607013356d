"""Vocabularies that grow with new training data: old symbols keep their numbers, new ones come after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from pointree.treebank.sentence import Sentence
from pointree.vocabulary.characters import CharVocabulary
from pointree.vocabulary.symbols import LabelVocabulary, Vocabulary
from pointree.vocabulary.vocabularies import Vocabularies
from pointree.vocabulary.words import WordVocabulary

__all__ = ["extend_vocabularies"]

_Kind = TypeVar("_Kind", bound=Vocabulary)


def extend_vocabularies(old: Vocabularies, new: Vocabularies, sentences: Sequence[Sentence]) -> Vocabularies:
    """The symbols of both, the old ones first; `new` was built from these sentences.

    A word that the old data had often is not trained as unknown because the new data has it once.
    """
    symbols = _united(old.words, new.words)
    words = WordVocabulary(symbols)
    seen = Counter(words.lookup(form) for sentence in sentences for form in sentence.forms)
    singletons = [
        number
        for number in range(len(words.specials), len(words))
        if (number >= len(old.words) and seen[number] == 1)
        or (number < len(old.words) and old.words.singletons[number] and seen[number] <= 1)
    ]
    return Vocabularies(
        WordVocabulary(symbols, singletons),
        CharVocabulary(_united(old.chars, new.chars), parts=old.chars.parts),
        Vocabulary(_united(old.tags, new.tags)),
        LabelVocabulary(_united(old.deprels, new.deprels)),
        old.columns.united(new.columns),
    )


def _united(old: _Kind, new: _Kind) -> list[str]:
    first = len(old.specials)
    return [*old.symbols[first:], *(symbol for symbol in new.symbols[first:] if symbol not in old)]
