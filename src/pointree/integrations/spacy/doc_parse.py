"""What `doc._.pointree` and `token._.head_prob` give: the trees of the words, n-best lists and probabilities.

All of it is kept in `doc.user_data` as text and numbers, so that it survives `Doc.to_bytes`, `DocBin` and processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

from spacy.tokens import Doc, Token

from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence_list import SentenceList

__all__ = ["WORDS", "DocParse", "keep_details", "register_extensions"]

DETAILS = "pointree"
"""The key of the details in `Doc.user_data`."""

WORDS = "pointree.words"
"""The key of the multiword tokens, each with its place and its words, in the user data of a doc of our tokeniser."""


class DocParse:
    """The trees of a doc as pointree sees them: over words, with n-best lists and probabilities.

    Attributes:
        n_best: For each sentence its trees, best first; one unless the component has ``n_best``.
        sentences: The best tree of each sentence.
    """

    def __init__(self, doc: Doc) -> None:
        self.n_best: list[list[Sentence]] = []
        for trees, owners in doc.user_data.get(DETAILS, {}).get("sentences", ()):
            read = list(read_conllu(StringIO("".join(trees))))
            for tree in read:
                _restore_places(tree, doc, owners)
            self.n_best.append(read)
        self.sentences = SentenceList(trees[0] for trees in self.n_best)

    def __str__(self) -> str:
        return str(self.sentences)

    def _repr_html_(self) -> str:
        return self.sentences._repr_html_()


def keep_details(doc: Doc, sentences: Sequence[tuple[Sequence[Sentence], Sequence[int]]], probs: Sequence[Any]) -> None:
    """Store the trees of each sentence with the tokens of its words, and the probabilities of each token's arc."""
    doc.user_data[DETAILS] = {
        "sentences": [
            ([format_sentence(tree, ranges=False) for tree in trees], list(owners)) for trees, owners in sentences
        ],
        "probs": list(probs),
    }


def register_extensions() -> None:
    """Add the attributes to spaCy's docs and tokens; attributes of the same name that somebody else added stay."""
    for target, name, getter in (
        (Doc, "pointree", DocParse),
        (Token, "head_prob", _head_prob),
        (Token, "deprel_prob", _deprel_prob),
    ):
        if not target.has_extension(name):
            target.set_extension(name, getter=getter)


def _head_prob(token: Token) -> float | None:
    return _probability(token, 0)


def _deprel_prob(token: Token) -> float | None:
    return _probability(token, 1)


def _probability(token: Token, which: int) -> float | None:
    probs = token.doc.user_data.get(DETAILS, {}).get("probs", ())
    found = probs[token.i] if token.i < len(probs) else None
    return None if found is None else found[which]


def _restore_places(tree: Sentence, doc: Doc, owners: Sequence[int]) -> None:
    """Give the rows the offsets that CoNLL-U does not have."""
    for row in tree.tokens:
        token = doc[owners[int(row.id.partition("-")[0]) - 1]]
        row.start, row.end = token.idx, token.idx + len(token)
    if tree.tokens:
        tree.start, tree.end = tree.tokens[0].start, tree.tokens[-1].end
