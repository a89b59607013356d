"""All symbols that a model knows: words, characters, tags, relations and the classes of predicted columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pointree.treebank.sentence import Sentence
from pointree.vocabulary.characters import CharVocabulary
from pointree.vocabulary.columns import ColumnClasses
from pointree.vocabulary.symbols import LabelVocabulary, Vocabulary
from pointree.vocabulary.words import WordVocabulary

__all__ = ["Vocabularies"]


@dataclass(frozen=True)
class Vocabularies:
    """All symbols that a model knows; `tags` has only the specials where tags are not read."""

    words: WordVocabulary
    chars: CharVocabulary
    tags: Vocabulary
    deprels: LabelVocabulary
    columns: ColumnClasses = field(default_factory=ColumnClasses)

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sentence],
        *,
        min_count: int = 2,
        vector_words: Iterable[str] = (),
        tag: Literal["upos", "xpos", "none"] = "upos",
        char_parts: bool = False,
        columns: Sequence[str] = (),
    ) -> Vocabularies:
        """Count the training data: words and characters need `min_count` occurrences, the others one.

        ``tag`` is the column of tags that the network reads, ``columns`` are those that it predicts.
        """
        sentences = list(sentences)
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
            ColumnClasses.build(sentences, columns),
        )

    @classmethod
    def load(cls, files: Mapping[str, Path]) -> Vocabularies:
        """Read each vocabulary from its file; whatever is missing or damaged is a `ModelError`.

        A model that predicts no columns has no file for them.
        """
        found = {name: kind.load(files[name]) for name, kind in _KINDS.items()}
        if "columns" in files:
            found["columns"] = ColumnClasses.load(files["columns"])
        return cls(**found)


_KINDS: dict[str, Any] = {
    "words": WordVocabulary,
    "chars": CharVocabulary,
    "tags": Vocabulary,
    "deprels": LabelVocabulary,
}
