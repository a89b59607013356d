"""The columns that a model predicts (UPOS, XPOS, FEATS, LEMMA), and the classes of each.

A class is a value of the column; of LEMMA it is a script that makes lemmas of forms (see `pointree.text.lemmas`).
Features are predicted as whole bundles, such as `Number=Sing|Person=3`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pointree.errors import ModelError
from pointree.files import atomic_write
from pointree.text.lemmas import apply_script, derive_script
from pointree.treebank.sentence import Sentence, Token
from pointree.vocabulary.symbols import LabelVocabulary, load_json

__all__ = ["COLUMNS", "ColumnClasses"]

COLUMNS = ("upos", "xpos", "feats", "lemma")
"""The columns that can be predicted."""

_MAY_BE_EMPTY = ("xpos", "feats")
"""Columns in which `_` is a value like others: the word has none. In the others it says that nobody knows."""

_MIN_SCRIPTS = 2
"""Times a lemma script must be seen; lemmas with rarer ones are looked up."""

_SURE = 0.9
"""Share of the words with a form and a UPOS that must have the same lemma for it to be looked up."""

_EMPTY = "_"

_derive = lru_cache(1 << 16)(derive_script)
_apply = lru_cache(1 << 16)(apply_script)


@dataclass(frozen=True)
class ColumnClasses:
    """What a model predicts besides the tree.

    Attributes:
        classes: The classes of each column that is predicted.
        lemmas: The lemmas of forms for which no script was frequent enough to be a class.
        dictionary: The lemmas of forms by their UPOS, where the training data leaves little doubt; they come before
            what the network says.
    """

    classes: Mapping[str, LabelVocabulary] = field(default_factory=dict)
    lemmas: Mapping[str, str] = field(default_factory=dict)
    dictionary: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def build(cls, sentences: Iterable[Sentence], columns: Sequence[str]) -> ColumnClasses:
        """Count the training data; a column without any value is left out."""
        words = [word for sentence in sentences for word in sentence.words]
        classes, lemmas, dictionary = {}, {}, {}
        for column in columns:
            counts = Counter(_class_of(column, word) for word in words if _is_known(column, word))
            if not counts.keys() - {_EMPTY}:
                continue
            if column == "lemma":
                classes[column] = LabelVocabulary.from_counts(counts, min(_MIN_SCRIPTS, max(counts.values())))
                lemmas = _rare_lemmas(words, classes[column])
                dictionary = _sure_lemmas(words)
            else:
                classes[column] = LabelVocabulary.from_counts(counts)
        return cls(classes, lemmas, dictionary)

    def __bool__(self) -> bool:
        return bool(self.classes)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of classes of each column."""
        return {column: len(classes) for column, classes in self.classes.items()}

    def number(self, column: str, word: Token) -> int:
        """The class that a word has in a column, or -1 for one that is unknown."""
        if not _is_known(column, word):
            return -1
        return self.classes[column].lookup(_class_of(column, word))

    def value(self, column: str, number: int, form: str, tag: str = _EMPTY) -> str:
        """What a class means for a form with a UPOS."""
        [found] = self.values(column, (number,), (form,), (tag,))
        return found

    def values(self, column: str, numbers: Sequence[int], forms: Sequence[str], tags: Sequence[str]) -> list[str]:
        """What classes mean for forms and their UPOS, one for each."""
        found = map(self.classes[column].symbols.__getitem__, numbers)
        if column != "lemma":
            return list(found)
        lemmas, sure, none = self.lemmas.get, self.dictionary.get, dict[str, str]()
        return [
            sure(tag, none).get(form) or lemmas(form) or _apply(script, form).strip() or form
            for script, form, tag in zip(found, forms, tags, strict=True)
        ]

    def decoded(self, numbers: Mapping[str, Sequence[int]], forms: Sequence[str]) -> dict[str, list[str]]:
        """What the classes of all columns mean for the words of a sentence; lemmas follow the UPOS among them."""
        tags = [_EMPTY] * len(forms)
        if "upos" in numbers:
            tags = self.values("upos", numbers["upos"], forms, tags)
        return {column: self.values(column, found, forms, tags) for column, found in numbers.items()}

    def united(self, other: ColumnClasses) -> ColumnClasses:
        """The classes of both, those of this one first; what the other says of a form counts more."""
        united = dict(self.classes)
        for column, classes in other.classes.items():
            old = united[column].symbols if column in united else ()
            united[column] = LabelVocabulary(dict.fromkeys((*old, *classes.symbols)))
        tags = dict.fromkeys((*self.dictionary, *other.dictionary))
        dictionary = {tag: {**self.dictionary.get(tag, {}), **other.dictionary.get(tag, {})} for tag in tags}
        return ColumnClasses(united, {**self.lemmas, **other.lemmas}, dictionary)

    def only(self, columns: Iterable[str]) -> ColumnClasses:
        """Without the columns that are not among these."""
        kept = {column: self.classes[column] for column in columns if column in self.classes}
        return ColumnClasses(kept, self.lemmas, self.dictionary) if "lemma" in kept else ColumnClasses(kept)

    def looked_up(self, forms: Container[str]) -> ColumnClasses:
        """The same classes, with lemmas of these forms alone to look up."""
        return ColumnClasses(
            self.classes,
            {form: lemma for form, lemma in self.lemmas.items() if form in forms},
            {tag: {f: lemma for f, lemma in entries.items() if f in forms} for tag, entries in self.dictionary.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything as JSON, one class a line."""
        classes = {column: list(classes.symbols) for column, classes in self.classes.items()}
        content = {"classes": classes, "lemmas": dict(self.lemmas), "dictionary": dict(self.dictionary)}
        with atomic_write(path) as stream:
            json.dump(content, stream, ensure_ascii=False, indent=0)
            stream.write("\n")

    @classmethod
    def load(cls, path: Path) -> ColumnClasses:
        """Read what `save` wrote; whatever is wrong with it is a `ModelError`."""
        state = load_json(path)
        classes, lemmas, dictionary = state.get("classes"), state.get("lemmas"), state.get("dictionary", {})
        if not isinstance(classes, dict) or not isinstance(lemmas, dict):
            raise ModelError(f'{path}: expected objects under "classes" and "lemmas"')
        for column, symbols in classes.items():
            if column not in COLUMNS:
                raise ModelError(f"{path}: expected the columns {', '.join(COLUMNS)}, found {column!r:.40}")
            if not isinstance(symbols, list) or not symbols or not all(_is_text(symbol) for symbol in symbols):
                raise ModelError(f"{path}: expected a list of strings for {column}")
            if len(set(symbols)) < len(symbols):
                raise ModelError(f"{path}: {column} has a class more than once")
        if not all(_is_text(lemma) for lemma in lemmas.values()):
            raise ModelError(f'{path}: expected strings under "lemmas"')
        entries = dictionary.values() if isinstance(dictionary, dict) else (None,)
        if not all(isinstance(entry, dict) and all(map(_is_text, entry.values())) for entry in entries):
            raise ModelError(f'{path}: expected objects of strings under "dictionary"')
        return cls({column: LabelVocabulary(symbols) for column, symbols in classes.items()}, lemmas, dictionary)


def _is_known(column: str, word: Token) -> bool:
    return column in _MAY_BE_EMPTY or getattr(word, column) != _EMPTY


def _class_of(column: str, word: Token) -> str:
    value: str = getattr(word, column)
    return _derive(word.form, value) if column == "lemma" else value


def _rare_lemmas(words: Iterable[Token], scripts: LabelVocabulary) -> dict[str, str]:
    """The most frequent lemma of each form that no script explains anywhere."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        if _is_known("lemma", word):
            found[word.form][word.lemma] += 1
    return {
        form: lemmas.most_common(1)[0][0]
        for form, lemmas in found.items()
        if not any(_derive(form, lemma) in scripts for lemma in lemmas)
    }


def _sure_lemmas(words: Iterable[Token]) -> dict[str, dict[str, str]]:
    """The lemma of each form with a UPOS, if nearly all such words have it."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in words:
        if _is_known("lemma", word) and _is_known("upos", word):
            found[word.upos, word.form][word.lemma] += 1
    sure: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for (tag, form), lemmas in found.items():
        [(lemma, count)] = lemmas.most_common(1)
        if count >= _SURE * lemmas.total():
            sure[tag][form] = lemma
    return dict(sure)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and not any(sign in value for sign in "\t\n\r")
