"""Multiword tokens to words: a dictionary of those that are frequent, and edit rules for the rest.

A rule keeps the middle of a token, its stem, and replaces what stands before and after it: `("", "ki", ["", "ki"], 0)`
makes "evdeki" the words "evde" and "ki". Which of the rules that fit a token is applied is learned: the one that was
right most often where it fitted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["EndingRule", "Expansion"]

_LONGEST = 8
"""Characters that a rule replaces at each end of a token, at most."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndingRule:
    """Words of tokens that begin with ``front`` and end with ``back``; ``stem`` is the word that keeps the middle.

    The word of the stem is written without it: what is put before and after it, with a ``*`` in its place.
    """

    front: str
    back: str
    words: Words
    stem: int

    def apply(self, form: str) -> Words | None:
        """The words of a token, or None where the rule does not fit."""
        size = len(form) - len(self.front) - len(self.back)
        folded = form.lower()
        if size < 1 or len(folded) != len(form):
            return None
        if not (folded.startswith(self.front) and folded.endswith(self.back)):
            return None
        middle = form[len(self.front) : len(self.front) + size]
        words = list(self.words)
        before, _, after = words[self.stem].partition("*")
        words[self.stem] = before + middle + after
        return _with_case(tuple(words), form)


@dataclass(frozen=True, slots=True)
class Expansion:
    """All that is known of multiword tokens; ``rules`` are in the order in which they are tried."""

    known: Mapping[str, Words] = field(default_factory=dict)
    rules: Sequence[EndingRule] = ()

    def words(self, form: str) -> Words | None:
        """The words of a multiword token, or None if nothing fits."""
        folded = form.lower()
        if (found := self.known.get(folded)) is not None:
            if "".join(found) == folded and len(folded) == len(form):
                return tuple(_slices(form, found))
            return _with_case(found, form)
        for rule in self.rules:
            if (words := rule.apply(form)) is not None:
                return words
        return None

    @classmethod
    def learn(cls, tokens: Iterable[tuple[str, Words]], *, min_count: int = 2) -> Expansion:
        """Learn from multiword tokens and their words; those seen ``min_count`` times go to the dictionary."""
        seen: defaultdict[str, Counter[Words]] = defaultdict(Counter)
        for form, words in tokens:
            seen[form.lower()][tuple(word.lower() for word in words)] += 1
        best = {form: counts.most_common(1)[0][0] for form, counts in seen.items()}
        known = {form: words for form, words in best.items() if seen[form].total() >= min_count}
        return cls(dict(sorted(known.items())), _learn_rules(best))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        rules = [[rule.front, rule.back, list(rule.words), rule.stem] for rule in self.rules]
        return {"known": {form: list(words) for form, words in self.known.items()}, "rules": rules}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Expansion:
        """The inverse of `to_dict`; what it cannot have written is a `ValueError` or a `TypeError`."""
        known = {str(form): _checked(words) for form, words in value["known"].items()}
        rules = [
            EndingRule(str(front), str(back), _checked(words), int(stem)) for front, back, words, stem in value["rules"]
        ]
        for rule in rules:
            if not 0 <= rule.stem < len(rule.words):
                raise ValueError(f"the stem must be one of {len(rule.words)} words, found {rule.stem!s:.20}")
        return cls(known, rules)


def _checked(words: Sequence[object]) -> Words:
    found = tuple(word for word in words if isinstance(word, str) and not set(word) & set("\t\n\r"))
    if not found or len(found) < len(words):
        raise ValueError(f"a token must have words, found {words!s:.40}")
    return found


def _learn_rules(best: Mapping[str, Words]) -> list[EndingRule]:
    made = {form: rule for form, words in best.items() if (rule := _rule(form, words)) is not None}
    candidates = set(made.values())
    by_ends: defaultdict[tuple[str, str], list[EndingRule]] = defaultdict(list)
    for rule in candidates:
        by_ends[rule.front, rule.back].append(rule)
    right: Counter[EndingRule] = Counter()
    fitted: Counter[EndingRule] = Counter()
    for form, words in best.items():
        for front, back in _ends(form):
            for rule in by_ends.get((front, back), ()):
                fitted[rule] += 1
                right[rule] += rule.apply(form) == words
    # A rule that fitted seldom must have been right more often; of two that are as good, the more specific one.
    return sorted(
        (rule for rule in candidates if right[rule] > 1),
        key=lambda rule: (
            -right[rule] / (fitted[rule] + 1),
            -len(rule.front + rule.back),
            rule.front,
            rule.back,
            rule.words,
        ),
    )


def _rule(form: str, words: Words) -> EndingRule | None:
    """The rule that keeps as much of a token as it can, if it replaces little."""
    best: tuple[int, EndingRule] | None = None
    for stem, word in enumerate(words):
        size, in_form, in_word = _common(form, word)
        front, back = form[:in_form], form[in_form + size :]
        if not size or len(front) > _LONGEST or len(back) > _LONGEST or "*" in "".join(words):
            continue
        kept = word[:in_word] + "*" + word[in_word + size :]
        if best is None or size > best[0]:
            best = size, EndingRule(front, back, (*words[:stem], kept, *words[stem + 1 :]), stem)
    return None if best is None else best[1]


def _common(first: str, second: str) -> tuple[int, int, int]:
    """The longest part that two strings share: its length, and where it starts in each."""
    best = 0, 0, 0
    lengths = [0] * (len(second) + 1)
    for i, char in enumerate(first):
        before = 0
        for j, other in enumerate(second):
            before, lengths[j + 1] = lengths[j + 1], before + 1 if char == other else 0
            if lengths[j + 1] > best[0]:
                best = lengths[j + 1], i + 1 - lengths[j + 1], j + 1 - lengths[j + 1]
    return best


def _ends(form: str) -> Iterator[tuple[str, str]]:
    for front in range(min(_LONGEST, len(form) - 1) + 1):
        for back in range(min(_LONGEST, len(form) - front - 1) + 1):
            yield form[:front], form[len(form) - back :]


def _slices(form: str, words: Words) -> Iterator[str]:
    start = 0
    for word in words:
        yield form[start : start + len(word)]
        start += len(word)


def _with_case(words: Words, form: str) -> Words:
    """Words of a token in capitals, or with a capital at its start, written likewise."""
    if len(form) > 1 and form.isupper():
        return tuple(word.upper() for word in words)
    if form[0].isupper():
        return (words[0][:1].upper() + words[0][1:], *words[1:])
    return words
