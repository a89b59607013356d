"""A tokeniser in pieces; `test_reading` has whole texts, long paragraphs and all kinds of line ends."""

from __future__ import annotations

from collections.abc import Iterator

from pointree.text.cleaning import clean
from pointree.text.pieces import InPieces
from pointree.treebank.sentence import Sentence


class Words:
    """Makes sentences of three words."""

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        for line in text.split("\n") if presegmented else [text]:
            words = line.split()
            for start in range(0, len(words), 3):
                yield Sentence.from_words(words[start : start + 3])


def test_the_last_sentence_of_a_piece_is_begun_again() -> None:
    text = "a b c d e f g h i j"
    for size in (1 << 16, 12, 9):
        found = list(InPieces(Words(), size).sentences(clean([text])))
        assert [sentence.forms for sentence, _ in found] == [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"], ["j"]]
        assert [(sentence.start, begins) for sentence, begins in found] == [
            (0, True),
            (6, False),
            (12, False),
            (18, False),
        ]


def test_lines() -> None:
    found = InPieces(Words()).sentences(clean(["a b\nc d e f\n\ng"]), "line")
    assert [sentence.forms for sentence, _ in found] == [["a", "b"], ["c", "d", "e"], ["f"], ["g"]]
