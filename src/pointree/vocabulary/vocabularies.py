"""All symbols that a model knows: words, characters, tags and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pointree.treebank.sentence import Sentence
from pointree.vocabulary.characters import CharVocabulary
from pointree.vocabulary.symbols import LabelVocabulary, Vocabulary
from pointree.vocabulary.words import WordVocabulary

__all__ = ["Vocabularies"]


@dataclass(frozen=True)
class Vocabularies:
    """All symbols that a model knows; `tags` has only the specials where tags are neither read nor predicted."""

    words: WordVocabulary
    chars: CharVocabulary
    tags: Vocabulary
    deprels: LabelVocabulary

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sentence],
        *,
        min_count: int = 2,
        vector_words: Iterable[str] = (),
        tag: Literal["upos", "xpos", "none", "joint"] = "upos",
        char_parts: bool = False,
    ) -> Vocabularies:
        """Count the training data: words and characters need `min_count` occurrences, the others one."""
        forms: Counter[str] = Counter()
        tags: Counter[str] = Counter()
        deprels: Counter[str] = Counter()
        for sentence in sentences:
            for word in sentence.words:
                forms[word.form] += 1
                if tag != "none":
                    tags[word.xpos if tag == "xpos" else word.upos] += 1
                if word.head is not None:
                    deprels[word.deprel] += 1
        return cls(
            WordVocabulary.build(forms, min_count, vector_words),
            CharVocabulary.build(forms, min_count, parts=char_parts),
            Vocabulary.from_counts(tags),
            LabelVocabulary.from_counts(deprels),
        )

    @classmethod
    def load(cls, files: Mapping[str, Path]) -> Vocabularies:
        """Read each vocabulary from its file; whatever is missing or damaged is a `ModelError`."""
        return cls(**{name: kind.load(files[name]) for name, kind in _KINDS.items()})


_KINDS: dict[str, Any] = {
    "words": WordVocabulary,
    "chars": CharVocabulary,
    "tags": Vocabulary,
    "deprels": LabelVocabulary,
}
