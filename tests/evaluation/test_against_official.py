"""Every count equals that of the official evaluator, `udeval` of the package udtools, on the same files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from udtools import udeval

from pointree.evaluation import Evaluation, evaluate
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence, Token

from .perturb import perturb

OFFICIAL_NAMES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
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
    ours = evaluate(read_conllu(io.StringIO(gold_text)), read_conllu(io.StringIO(system_text)))
    theirs = official(gold_text, system_text)
    for name, official_name in OFFICIAL_NAMES.items():
        score, expected = ours.scores[name], theirs[official_name]
        assert (score.correct, score.gold, score.system) == (
            expected.correct,
            expected.gold_total,
            expected.system_total,
        ), name
        assert (score.precision, score.recall, score.f1) == pytest.approx(
            (100 * expected.precision, 100 * expected.recall, 100 * expected.f1)
        ), name
    return ours


@pytest.mark.parametrize("seed", range(3))
def test_gold_tokens(ewt: Path, seed: int) -> None:
    gold = list(read_conllu(ewt))
    ours = assert_equals_official(gold, perturb(gold, Random(seed)))
    assert ours.scores["words"].f1 == 100.0
    assert 40 < ours.las < ours.uas < 100


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_other_tokens(ewt: Path, seed: int, rate: float) -> None:
    gold = list(read_conllu(ewt))
    rng = Random(seed)
    ours = assert_equals_official(perturb(gold, rng, tokens=rate), perturb(gold, rng, tokens=rate))
    assert 0 < ours.scores["words"].f1 < 100


@pytest.mark.parametrize("treebank", TREEBANKS)
@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_treebanks(shared_data: Path, treebank: str, rate: float) -> None:
    path = shared_data / "ud-2.6" / treebank / f"{treebank}-ud-dev.conllu"
    gold = list(islice(read_conllu(path), 300))
    ours = assert_equals_official(gold, perturb(gold, Random(treebank), tokens=rate))
    assert (ours.scores["words"].f1 == 100.0) == (rate == 0.0)


def test_spaces_in_forms_are_ignored() -> None:
    gold = Sentence.from_words(["10 000", "a\u00a0b", "c"], head=[0, 1, 1], deprel=["root", "obj", "punct"])
    system = Sentence.from_words(
        ["10", "000", "ab", "c"], head=[0, 1, 1, 1], deprel=["root", "flat", "obj", "punct"]
    )
    ours = assert_equals_official([gold], [system])
    assert ours.scores["words"].correct == 2


@pytest.mark.parametrize(("inside", "outside"), [("a b", "ab"), ("ab", "a b"), ("a b", "a b")])
def test_spaces_in_words_of_multiword_tokens(inside: str, outside: str) -> None:
    expanded = Sentence([Token("1-2", "abc"), Token("1", inside, head=0), Token("2", "c", head=1)])
    plain = Sentence([Token("1", outside, head=0), Token("2", "c", head=1)])
    assert_equals_official([expanded], [plain])
    assert_equals_official([plain], [expanded])


def test_tokens_before_a_multiword_token_take_part_in_its_alignment() -> None:
    """The first departure of the official evaluator from its definition; see `alignment`."""
    gold = Sentence([Token("1", "aab", head=0), *multiword(2, "ab", "a", "b")])
    system = Sentence.from_words(["aa", "b", "ab"], head=[0, 1, 1])
    assert assert_equals_official([gold], [system]).scores["words"].correct == 1


def test_a_token_that_sticks_out_of_a_region_is_taken_with_it() -> None:
    """The second departure of the official evaluator from its definition; see `alignment`."""
    gold = Sentence([Token("1", "bab", head=0), *multiword(2, "bb", "x", "bb")])
    system = Sentence([*multiword(1, "b", "z", "z"), *multiword(3, "ab", "b", "x"), Token("5", "bb", head=1)])
    system.words[0].head = 0
    assert assert_equals_official([gold], [system]).scores["words"].correct == 2


def test_the_alignment_of_a_multiword_token_may_reach_back_over_the_end_of_a_sentence() -> None:
    gold = [Sentence.from_words(["aa"], head=[0]), Sentence(multiword(1, "ab", "AB", "a"))]
    system = [Sentence.from_words(["a", "a"], head=[0, 1]), Sentence(multiword(1, "ab", "b", "AB"))]
    gold[1].words[0].head = system[1].words[0].head = 0
    assert_equals_official(gold, system)


def multiword(first: int, form: str, *words: str) -> list[Token]:
    """Return the rows of a multiword token whose words depend on word 1."""
    rows = [Token(str(number), word, head=1) for number, word in enumerate(words, start=first)]
    return [Token(f"{first}-{first + len(words) - 1}", form), *rows]
