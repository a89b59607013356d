"""Write trees into a doc: heads, relations, sentences, tags, features and lemmas of its tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc

from pointree.integrations.spacy.alignment import Passage, token_arcs
from pointree.integrations.spacy.doc_parse import forget_trees, keep_trees
from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence import Token as Word

__all__ = ["annotate"]

ROOT = "ROOT"
"""What spaCy calls the relation of the root."""

SPACE_DEP, SPACE_TAG = "dep", "_SP"
"""What spaCy gives to white space."""

_COLUMNS = (HEAD, DEP, POS, TAG, LEMMA, MORPH)


def annotate(doc: Doc, parsed: Sequence[tuple[Passage, Sequence[Sentence]]], details: bool) -> None:
    """Set all attributes of the tokens; what the model does not give, such as lemmas, stays as it is."""
    values: dict[int, list[int]] = {column: [0] * len(doc) for column in _COLUMNS}
    forget_trees(doc)
    for passage, trees in parsed:
        words = trees[0].words if trees else []
        arcs = token_arcs(passage, [word.head for word in words])
        for place, arc in enumerate(arcs, passage.first):
            values[HEAD][place] = arc.head - place
            word = None if arc.word is None else words[arc.word]
            for column, value in _attributes(doc, place, arc.head == place, word).items():
                values[column][place] = value
        if details:
            placed = enumerate(arcs, passage.first)
            keep_trees(doc, trees, passage.owners, [(n, words[arc.word]) for n, arc in placed if arc.word is not None])
    filled = [column for column in _COLUMNS if column in (HEAD, DEP) or any(values[column])]
    # spaCy reads a distance to the left as an unsigned number.
    array = np.array([[value % 2**64 for value in values[column]] for column in filled], dtype=np.uint64)
    doc.from_array(filled, array.T)


def _attributes(doc: Doc, place: int, is_root: bool, word: Word | None) -> dict[int, int]:
    """The attributes of a token as spaCy's numbers; 0 stands for nothing."""
    add = doc.vocab.strings.add
    if word is None:
        dep = ROOT if is_root else SPACE_DEP
        return {DEP: add(dep), POS: IDS["SPACE"], TAG: add(SPACE_TAG), LEMMA: add(doc[place].text)}
    tag = word.upos if word.xpos == "_" else word.xpos
    return {
        DEP: add(ROOT if is_root else word.deprel),
        POS: IDS.get(word.upos, 0),
        TAG: 0 if tag == "_" else add(tag),
        LEMMA: 0 if word.lemma == "_" and word.form != "_" else add(word.lemma),
        MORPH: 0 if word.feats == "_" else doc.vocab.morphology.add(word.feats),
    }
