"""Every count and ratio equals that of the official evaluator, `udeval` of the package udtools."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from udtools import udeval

from pointree.evaluation import Evaluation, score_sentences
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence, Token

from .perturb import perturb
from .strategies import pairs_of_files

OFFICIAL_NAMES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}
TREEBANKS = ["en_ewt", "eu_bdt", "fi_tdt", "it_isdt", "ko_gsd", "tr_imst", "zh_gsd"]


def as_text(sentences: Sequence[Sentence]) -> str:
    stream = io.StringIO()
    write_conllu(sentences, stream)
    return stream.getvalue()


def official(gold: str, system: str) -> Any:
    return udeval.evaluate(
        udeval.load_conllu(io.StringIO(gold), "gold", {}),
        udeval.load_conllu(io.StringIO(system), "system", {}),
    )


def assert_equals_official(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Evaluation:
    gold_text, system_text = as_text(gold), as_text(system)
    ours = score_sentences(read_conllu(io.StringIO(gold_text)), read_conllu(io.StringIO(system_text)))
    theirs = official(gold_text, system_text)
    for name, official_name in OFFICIAL_NAMES.items():
        score, expected = ours.scores[name], theirs[official_name]
        counts = (expected.correct, expected.gold_total, expected.system_total, expected.aligned_total)
        assert (score.correct, score.gold, score.system, score.aligned) == counts, name
        ratios = (expected.precision, expected.recall, expected.f1)
        assert (score.precision, score.recall, score.f1) == tuple(100 * ratio for ratio in ratios), name
        if expected.aligned_accuracy is None:
            assert score.aligned_accuracy is None, name
        else:
            assert score.aligned_accuracy == 100 * expected.aligned_accuracy, name
    return ours


@pytest.mark.parametrize("seed", range(3))
def test_gold_tokens(ewt: Path, seed: int) -> None:
    gold = list(read_conllu(ewt))
    ours = assert_equals_official(gold, perturb(gold, Random(seed)))
    assert ours.scores["words"].f1 == 100.0
    assert 40 < ours.las < ours.uas < 100


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_other_tokens(ewt: Path, seed: int, rate: float) -> None:
    gold = list(read_conllu(ewt))
    rng = Random(seed)
    ours = assert_equals_official(perturb(gold, rng, tokens=rate), perturb(gold, rng, tokens=rate))
    assert 0 < ours.scores["words"].f1 < 100


@pytest.mark.slow
@settings(max_examples=200)
@given(pairs_of_files())
def test_any_two_files_of_the_same_text(files: tuple[list[Sentence], list[Sentence]]) -> None:
    gold, system = files
    assert_equals_official(gold, system)


@pytest.mark.slow
@pytest.mark.parametrize("treebank", TREEBANKS)
@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_treebanks(shared_data: Path, treebank: str, rate: float) -> None:
    path = shared_data / "ud-2.6" / treebank / f"{treebank}-ud-dev.conllu"
    gold = list(islice(read_conllu(path), 300))
    ours = assert_equals_official(gold, perturb(gold, Random(treebank), tokens=rate))
    assert (ours.scores["words"].f1 == 100.0) == (rate == 0.0)


def test_spaces_in_forms_are_ignored() -> None:
    gold = Sentence.from_words(["10 000", "a\u00a0b", "c"], head=[0, 1, 1], deprel=["root", "obj", "punct"])
    system = Sentence.from_words(["10", "000", "ab", "c"], head=[0, 1, 1, 1], deprel=["root", "flat", "obj", "punct"])
    ours = assert_equals_official([gold], [system])
    assert ours.scores["words"].correct == 2


@pytest.mark.parametrize(("inside", "outside"), [("a b", "ab"), ("ab", "a b"), ("a b", "a b")])
def test_spaces_in_words_of_multiword_tokens(inside: str, outside: str) -> None:
    expanded = Sentence([Token("1-2", "abc"), Token("1", inside, head=0), Token("2", "c", head=1)])
    plain = Sentence([Token("1", outside, head=0), Token("2", "c", head=1)])
    assert_equals_official([expanded], [plain])
    assert_equals_official([plain], [expanded])


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        # The system's "b" stands before "ab", and yet it is aligned with a word of "ab".
        ([["aab"], ["ab", "a", "b"]], [["aa"], ["b"], ["ab"]], 1),
        # "ab" crosses the edge of the multiword token "b", whose words have it.
        ([["a"], ["b", "ab", "c"]], [["ab"]], 0),
        # "bab" crosses the edge between "b" and "ab", and a word of the "bb" after it is aligned with one of "ab".
        ([["bab"], ["bb", "x", "bb"]], [["b", "z", "z"], ["ab", "b", "x"], ["bb"]], 2),
    ],
)
def test_tokens_that_overlap_in_part(gold: list[list[str]], system: list[list[str]], aligned: int) -> None:
    """The order in which the official evaluator reads both sides decides what is aligned."""
    ours = assert_equals_official([of_tokens(gold)], [of_tokens(system)])
    assert ours.scores["words"].correct == aligned


def of_tokens(tokens: list[list[str]]) -> Sentence:
    """Return a sentence of tokens: a form, and the words of a multiword token after it. All depend on word 1."""
    rows: list[Token] = []
    n_words = 0
    for form, *words in tokens:
        if words:
            rows.append(Token(f"{n_words + 1}-{n_words + len(words)}", form))
        for word in words or [form]:
            n_words += 1
            rows.append(Token(str(n_words), word, head=int(n_words > 1)))
    return Sentence(rows)
