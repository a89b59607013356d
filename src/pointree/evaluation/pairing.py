"""Reading a gold and a system file side by side, whether or not they cut the text into the same sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pointree.errors import InputError
from pointree.evaluation.placed_text import surface_forms
from pointree.treebank.sentence import Sentence

__all__ = ["paired_passages"]

_BEFORE, _AFTER = 10, 20
"""How many characters before and after a difference a message quotes."""


def paired_passages(
    gold: Iterable[Sentence], system: Iterable[Sentence], names: tuple[str, str] = ("gold", "system")
) -> Iterator[tuple[list[Sentence], list[Sentence]]]:
    """Yield short passages of whole sentences of both sides that hold the same characters.

    A passage ends where sentences of both sides end after the same token. Where they agree, this is one
    sentence of each, so that files of any size can be compared. No token, and nothing in the alignment of
    words, reaches over such a place: what is counted in passages adds up to what would be counted in the
    files. `names` are for messages.
    """
    left, right = _Side(names[0], iter(gold)), _Side(names[1], iter(system))
    while left.read() | right.read():
        _match(left, right)
        while left.remaining or right.remaining:
            behind, ahead = (left, right) if right.remaining else (right, left)
            if not behind.read():
                raise InputError(
                    f"{behind.name} ends after {behind.n_read} sentences, expected the characters "
                    f"{ahead.quote(ahead.n_matched)} of {ahead.place}"
                )
            _match(left, right)
        if left.last_token == right.last_token:
            yield left.take(), right.take()
    if left.passage:
        yield left.take(), right.take()


@dataclass(slots=True)
class _Side:
    """The sentences of one file that are read but not yet yielded.

    `text` has the characters of the last one, `last_token` is the length of its last token, and `n_matched`
    how many of its characters the other side has as well; those of the sentences before are all matched.
    """

    name: str
    source: Iterator[Sentence]
    n_read: int = 0
    passage: list[Sentence] = field(default_factory=list)
    text: str = ""
    last_token: int = 0
    n_matched: int = 0

    @property
    def remaining(self) -> int:
        """The number of characters of the last sentence that are not matched."""
        return len(self.text) - self.n_matched

    @property
    def place(self) -> str:
        """The last sentence, for messages."""
        sent_id = self.passage[-1].sent_id
        return f"{self.name} sentence {self.n_read}" + (f" ({sent_id})" if sent_id else "")

    def read(self) -> bool:
        """Add the next sentence to the passage, and tell whether there was one."""
        sentence = next(self.source, None)
        if sentence is None:
            return False
        self.n_read += 1
        self.passage.append(sentence)
        if None in sentence.heads:
            word = sentence.heads.index(None) + 1
            raise InputError(f"{self.place}: word {word} has no HEAD, expected a complete tree")
        forms = surface_forms(sentence)
        self.text, self.last_token = "".join(forms), len(forms[-1])
        self.n_matched = 0
        return True

    def take(self) -> list[Sentence]:
        """Return the passage and begin another."""
        taken, self.passage = self.passage, []
        return taken

    def upcoming(self, length: int) -> str:
        """Return the next characters to be matched."""
        return self.text[self.n_matched : self.n_matched + length]

    def quote(self, position: int) -> str:
        """Return the surroundings of a position in the last sentence."""
        return repr(self.text[max(0, position - _BEFORE) : position + _AFTER])


def _match(left: _Side, right: _Side) -> None:
    """Match the characters that both sides have read and not matched yet."""
    length = min(left.remaining, right.remaining)
    ours, theirs = left.upcoming(length), right.upcoming(length)
    if ours != theirs:
        same = next(index for index in range(length) if ours[index] != theirs[index])
        here, there = left.n_matched + same, right.n_matched + same
        raise InputError(
            f"{left.place}: character {here + 1} differs, {left.name} has {left.quote(here)} "
            f"and {right.place} has {right.quote(there)}"
        )
    left.n_matched += length
    right.n_matched += length
