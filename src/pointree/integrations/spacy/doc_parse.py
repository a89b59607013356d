"""What `doc._.pointree` and `token._.head_prob` give: the trees of the words, n-best lists and probabilities.

All of it is kept in `Doc.user_data` as text and numbers, under the keys that spaCy has for attributes of spans. So it
survives `Doc.to_bytes`, `DocBin` and processes, and stays with its characters in `Doc.from_docs` and `Span.as_doc`, and
after retokenising.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from spacy.tokens import Doc, Span, Token

from pointree.integrations.spacy.alignment import Surface
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence_list import SentenceList

__all__ = ["DocParse", "find_words", "forget_trees", "keep_trees", "keep_words", "register_extensions"]

_TREES = "pointree"
_WORDS = "pointree.words"
_PROBABILITIES = ("head_prob", "deprel_prob")
"""The names of what is kept. Places in the values are counted from the start of the span."""


class DocParse:
    """The trees of a doc, or of a part of it, as pointree sees them: over words, with n-best lists and probabilities.

    Attributes:
        n_best: For each sentence its trees, best first; one unless the component has ``n_best``.
        sentences: The best tree of each sentence.
    """

    def __init__(self, place: Doc | Span) -> None:
        first = place.start_char if isinstance(place, Span) else 0
        last = first + len(place.text)
        self.n_best: list[list[Sentence]] = []
        for start, end, (trees, places) in _kept(place.doc, _TREES):
            if first <= start and end <= last:
                read = list(read_conllu(StringIO("".join(trees))))
                for tree in read:
                    _restore_places(tree, start, places)
                self.n_best.append(read)
        self.sentences = SentenceList(trees[0] for trees in self.n_best)

    def __str__(self) -> str:
        return str(self.sentences)

    def _repr_html_(self) -> str:
        return self.sentences._repr_html_()


def forget_trees(doc: Doc) -> None:
    """Remove what `keep_trees` stored, for a doc that is parsed again."""
    for key in [key for key in doc.user_data if _is_kept(key, _TREES, *_PROBABILITIES)]:
        del doc.user_data[key]


def keep_trees(doc: Doc, trees: Sequence[Sentence], owners: Sequence[int], tokens: Sequence[Any]) -> None:
    """Store the trees of one sentence, best first.

    Args:
        doc: The doc of the sentence.
        trees: The trees.
        owners: The token of the doc for each word.
        tokens: The words that tokens of the doc stand for, each as the number of the token and the word.
    """
    if not trees:
        return
    start = doc[owners[0]].idx
    places = [(doc[owner].idx - start, doc[owner].idx + len(doc[owner]) - start) for owner in owners]
    written = [format_sentence(tree, ranges=False) for tree in trees]
    doc.user_data[_key(_TREES, start, start + places[-1][1])] = (written, places)
    for number, word in tokens:
        token = doc[number]
        for name in _PROBABILITIES:
            doc.user_data[_key(name, token.idx, token.idx + len(token))] = getattr(word, name)


def keep_words(text: str, multiword: Sequence[Surface]) -> dict[Any, Any]:
    """The user data of a doc of our tokeniser: its multiword tokens that are one token of the doc."""
    return {_key(_WORDS, 0, len(text)): [(found.start, found.end, found.forms) for found in multiword]}


def find_words(doc: Doc) -> list[Surface] | None:
    """The multiword tokens of a doc of our tokeniser; None for a doc of another one."""
    kept = list(_kept(doc, _WORDS))
    if not kept:
        return None
    return [
        Surface(start + first, start + last, list(forms)) for start, _, value in kept for first, last, forms in value
    ]


def register_extensions() -> None:
    """Add the attributes to spaCy's docs, spans and tokens, but not where somebody else has one of the same name."""
    for target, name, getter in (
        (Doc, "pointree", DocParse),
        (Span, "pointree", DocParse),
        (Token, "head_prob", _head_prob),
        (Token, "deprel_prob", _deprel_prob),
    ):
        if not target.has_extension(name):
            target.set_extension(name, getter=getter)


def _key(name: str, start: int, end: int) -> tuple[str, str, int, int]:
    """The key that spaCy itself has for an attribute of a span."""
    return ("._.", name, start, end)


def _kept(doc: Doc, name: str) -> Iterator[tuple[int, int, Any]]:
    """What is kept under a name, in the order of the text, each with its place."""
    for key in sorted((key for key in doc.user_data if _is_kept(key, name)), key=lambda key: key[2:]):
        yield key[2], key[3], doc.user_data[key]


def _is_kept(key: Any, *names: str) -> bool:
    """Whether a key of the user data is one of ours."""
    return isinstance(key, tuple) and len(key) == 4 and key[0] == "._." and key[1] in names and key[3] is not None


def _head_prob(token: Token) -> float | None:
    return _probability(token, "head_prob")


def _deprel_prob(token: Token) -> float | None:
    return _probability(token, "deprel_prob")


def _probability(token: Token, name: str) -> float | None:
    """The probability of a token as it was parsed; None for one that was merged or split afterwards."""
    found: float | None = token.doc.user_data.get(_key(name, token.idx, token.idx + len(token)))
    return found


def _restore_places(tree: Sentence, start: int, places: Sequence[tuple[int, int]]) -> None:
    """Give the rows the offsets that CoNLL-U does not have."""
    for row in tree.tokens:
        first, last = places[int(row.id.partition("-")[0]) - 1]
        row.start, row.end = start + first, start + last
    if tree.tokens:
        tree.start, tree.end = tree.tokens[0].start, tree.tokens[-1].end
