"""Words of pointree and tokens of another tokeniser: which words to parse, and what the tree of the tokens is.

A token is parsed as a word. One that the segmenter knows as a multiword token is parsed as its words, and so is, if
asked for, one that holds several tokens of the segmenter, such as ``tennis.`` where text is split at white space only.
Of a tree of words a tree of tokens is made: each token takes the place of its highest word. White space and tokens of
invisible characters are parsed as nothing, and hang on the token before them.

Plain Python, without spaCy: characters are `text[start:end]`, tokens are numbered from 0 and words from 1.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pointree.text.cleaning import clean
from pointree.treebank.sentence import Sentence, Token

__all__ = ["Passage", "Surface", "TokenArc", "find_surfaces", "plan_passages", "token_arcs"]

Span = tuple[int, int]

_INVISIBLE = ("Cf", "Mn", "Me")
"""Categories of joiners and marks, which some tokenisers cut off: of an emoji of several people, for example."""


@dataclass(slots=True)
class Passage:
    """The tokens ``first … last - 1`` of a text, which are one sentence, and what to parse for them.

    Attributes:
        sentence: The words; it has none where all tokens are white space.
        owners: The token of each word.
    """

    first: int
    last: int
    sentence: Sentence = field(default_factory=lambda: Sentence([]))
    owners: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TokenArc:
    """The head of a token, which is the token itself for the root of a sentence, and the word that it stands for.

    `word` counts from 0 among the words of the passage; None stands for white space.
    """

    head: int
    word: int | None


@dataclass(frozen=True, slots=True)
class Surface:
    """A token of the segmenter: its place, its words, and the number of its sentence."""

    start: int
    end: int
    forms: list[str]
    sentence: int = 0


def find_surfaces(sentences: Iterable[Sentence]) -> Iterator[Surface]:
    """The tokens of segmented sentences, each with its words."""
    for number, sentence in enumerate(sentences):
        covered = 0
        for token in sentence.tokens:
            if token.is_empty or (token.is_word and int(token.id) <= covered):
                continue
            forms = [token.form]
            if token.is_range:
                first, _, last = token.id.partition("-")
                covered = int(last)
                forms = [word.form for word in sentence.words[int(first) - 1 : covered]]
            if token.start is not None and token.end is not None:
                yield Surface(token.start, token.end, forms, number)


def plan_passages(
    text: str,
    tokens: Sequence[Span],
    surfaces: Sequence[Surface],
    starts: Sequence[bool] | None = None,
    *,
    split: bool = False,
) -> list[Passage]:
    """Divide tokens into sentences, and find the words of each.

    Args:
        text: The text of the tokens.
        tokens: Where each token stands in it, in order.
        surfaces: The tokens of the segmenter, in order; nothing where every token is a word.
        starts: Whether a sentence starts with each token; those of the segmenter by default.
        split: Parse the words inside of a token that holds several tokens of the segmenter.
    """
    passages: list[Passage] = []
    current, place = -1, 0
    for number, (start, end) in enumerate(tokens):
        while place < len(surfaces) and surfaces[place].end <= start:
            place += 1
        within = place
        while within < len(surfaces) and surfaces[within].start < end:
            within += 1
        found = surfaces[place:within]
        begins = not passages
        if starts is not None:
            begins = begins or starts[number]
        elif found and found[0].sentence > current:
            begins = begins or current >= 0
            current = found[0].sentence
        if begins:
            passages.append(Passage(number, number))
        passages[-1].last = number + 1
        inside = found and start <= found[0].start and found[-1].end <= end and (split or len(found) == 1)
        forms = [form for surface in found for form in surface.forms] if inside else _as_word(text[start:end])
        _add_words(passages[-1], number, text, (start, end), forms)
    for passage in passages:
        if passage.sentence.tokens:
            written = text[tokens[passage.first][0] : tokens[passage.last - 1][1]]
            passage.sentence.comments.append(f"# text = {' '.join(_as_word(written))}")
    return passages


def token_arcs(passage: Passage, heads: Sequence[int | None]) -> list[TokenArc]:
    """The tree of the tokens of a passage, given that of its words."""
    depths = _depths(heads)
    highest: dict[int, int] = {}
    for word, owner in enumerate(passage.owners):
        if owner not in highest or depths[word] < depths[highest[owner]]:
            highest[owner] = word
    # A head is less deep than its dependent, so every step from token to token leads upwards: there is no cycle.
    root = min(highest, key=lambda token: depths[highest[token]], default=passage.first)
    arcs = []
    before: int | None = None
    for token in range(passage.first, passage.last):
        if token in highest:
            head = heads[highest[token]]
            arcs.append(TokenArc(passage.owners[head - 1] if head else root, highest[token]))
            before = token
        else:
            following = next((other for other in range(token, passage.last) if other in highest), root)
            arcs.append(TokenArc(following if before is None else before, None))
    return arcs


def _as_word(text: str) -> list[str]:
    """A piece of text as the one word that it is to the parser; none if there is nothing to see in it."""
    form = " ".join("".join(part.text for part in clean([text])).split())
    return [] if all(unicodedata.category(character) in _INVISIBLE for character in form) else [form]


def _add_words(passage: Passage, token: int, text: str, span: Span, forms: Sequence[str]) -> None:
    """Add the words of a token to the sentence of its passage, below a range if there are several."""
    if not forms:
        return
    start, end = span
    first = len(passage.owners) + 1
    misc = "_" if text[end : end + 1].isspace() or end == len(text) else "SpaceAfter=No"
    rows = [Token(str(number), form, start=start, end=end) for number, form in enumerate(forms, first)]
    if len(rows) > 1:
        surface = " ".join(_as_word(text[start:end])) or "".join(forms)
        rows.insert(0, Token(f"{first}-{first + len(forms) - 1}", surface, start=start, end=end))
    rows[0].misc = misc
    sentence = passage.sentence
    sentence.tokens += rows
    sentence.start, sentence.end = start if sentence.start is None else sentence.start, end
    passage.owners += [token] * len(forms)


def _depths(heads: Sequence[int | None]) -> list[int]:
    """How many arcs lead from ROOT to each word of a tree."""
    depths = [0] * len(heads)
    for word in range(len(heads)):
        path, at = [], word
        while not depths[at]:
            path.append(at)
            head = heads[at]
            if not head:
                break
            at = head - 1
        depth = depths[at]
        for passed in reversed(path):
            depth += 1
            depths[passed] = depth
    return depths
