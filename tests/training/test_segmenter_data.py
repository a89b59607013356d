"""Text for the training of a segmenter: labels where things end, and variations of it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from pointree.training.segmenter_data import SurfaceToken, label, read_paragraphs, vary
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, Token


def sentence(text: str | None, *rows: tuple[str, str], misc: str = "_", newpar: bool = False) -> Sentence:
    tokens = [Token(id_, form) for id_, form in rows]
    tokens[-1].misc = misc
    comments = (["# newpar"] if newpar else []) + ([f"# text = {text}"] if text else [])
    return Sentence(tokens, comments)


def test_paragraphs_and_labels() -> None:
    found, left_out = read_paragraphs(
        [
            sentence("Vá do.", ("1", "Vá"), ("2-3", "do"), ("2", "de"), ("3", "o"), ("4", ".")),
            sentence("Um", ("1", "Um"), misc=r"SpacesAfter=\n"),
            sentence("x y", ("1", "x"), ("2", "z")),
            sentence(None, ("1", "x")),
            sentence("Fim", ("1", "Fim"), newpar=True),
        ]
    )
    assert left_out == 2
    assert len(found) == 2
    assert found[0][0][1] == SurfaceToken("do", "", ("de", "o"))
    labelled = label(found[0])
    assert labelled.text == "Vá do. Um"
    ends = [np.flatnonzero(labelled.labels[:, column]).tolist() for column in range(3)]
    assert ends == [[1, 4, 5, 8], [5, 8], [4]]
    assert label([[SurfaceToken("a", "\n")], [SurfaceToken("b", "")]]).text == "a\nb"


def test_variations_keep_order_and_labels(ewt: Path) -> None:
    paragraphs, left_out = read_paragraphs(read_conllu(ewt))
    assert left_out == 0
    rng = random.Random(1)
    varied = [label(paragraph) for _ in range(20) for paragraph in vary(paragraphs, rng)]
    plain = sum(len(label(paragraph).text) for paragraph in paragraphs)
    assert 0.9 < sum(len(each.text) for each in varied) / (20 * plain) < 1.05
    assert any("\n" in each.text for each in varied)
    for each in varied:
        assert each.labels[-1, :2].all()
        assert not any(each.text[place].isspace() for place in np.flatnonzero(each.labels[:, 0]))
