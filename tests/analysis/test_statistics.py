from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointree.analysis import TreebankStatistics, treebank_statistics
from pointree.errors import InputError
from pointree.experiments.paper import paper_available
from pointree.transitions import BOTTOM_UP, gold_steps
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence

# Printed with two decimals. Table 1: %long, %left.
TABLE_1 = {
    "en_ewt": (16.43, 25.49),
    "eu_bdt": (20.17, 44.46),
    "fi_tdt": (17.45, 26.83),
    "he_htb": (17.82, 20.60),
    "it_isdt": (16.20, 22.69),
    "ko_gsd": (14.76, 78.40),
    "sv_talbanken": (19.22, 29.51),
    "tr_imst": (14.84, 70.69),
    "zh_gsd": (25.31, 59.44),
}
THREE = ("left-to-right", "right-to-left", "outside-in")


@pytest.fixture(scope="module", params=TABLE_1)
def measured(request: pytest.FixtureRequest, shared_data: Path) -> tuple[str, TreebankStatistics]:
    name = request.param
    path = shared_data / "ud-2.6" / name / f"{name}-ud-dev.conllu"
    return name, treebank_statistics(read_conllu(path))


def table_6(name: str) -> list[tuple[float, float]]:
    """All dependents and long ones, in the order of `THREE`."""
    figures = paper_available(name[:2])
    return list(zip(figures[::2], figures[1::2], strict=True))


def test_table_1(measured: tuple[str, TreebankStatistics]) -> None:
    name, statistics = measured
    assert (statistics.long_pct, statistics.left_pct) == pytest.approx(TABLE_1[name], abs=0.01)


def test_table_6(measured: tuple[str, TreebankStatistics]) -> None:
    name, statistics = measured
    for order, printed in zip(THREE, table_6(name), strict=True):
        available = statistics.available[order]
        assert (available.all, available.longer_than_2) == pytest.approx(printed, abs=0.01), order


def test_table_6_is_not_about_arcs_longer_than_4(measured: tuple[str, TreebankStatistics]) -> None:
    """The erratum: what the caption says is far from what the table prints."""
    name, statistics = measured
    for order, (_, printed) in zip(THREE, table_6(name), strict=True):
        assert statistics.available[order].longer_than_4 < printed - 0.2


def test_counts_of_a_small_tree() -> None:
    sentence = Sentence.from_words(list("abcdefg"), head=[7, 1, 0, 3, 3, 7, 3])
    statistics = treebank_statistics([sentence])
    assert statistics.to_dict() == {
        "sentences": 1,
        "words": 7,
        "long_pct": pytest.approx(100 / 6),
        "left_pct": 100.0,
        "nonprojective_pct": 100.0,
        "available": {
            "left-to-right": {"all": 2.0, "longer_than_2": 1.0, "longer_than_4": 1.0},
            "right-to-left": {"all": 4.0, "longer_than_2": 1.0, "longer_than_4": 0.0},
            "outside-in": {"all": 2.0, "longer_than_2": 2.0, "longer_than_4": 1.0},
        },
    }


def test_available_dependents_are_those_that_the_oracle_attaches_before(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    statistics = treebank_statistics(sentences)
    for name, order in BOTTOM_UP.items():
        attached_before = 0
        for sentence in sentences:
            seen: set[int] = set()
            for step in gold_steps(sentence.heads, order):
                attached_before += step.head != 0 and step.head not in seen
                seen.add(step.focus)
        assert statistics.available[name].all == pytest.approx(attached_before / len(sentences))


def test_percentage_of_nonprojective_sentences() -> None:
    crossing = Sentence.from_words(list("abcd"), head=[3, 4, 0, 3])
    nested = Sentence.from_words(list("abc"), head=[2, 0, 2])
    statistics = treebank_statistics([crossing, nested, nested, nested])
    assert statistics.nonprojective_pct == 25.0
    assert (statistics.sentences, statistics.words) == (4, 13)


def test_no_sentences() -> None:
    statistics = treebank_statistics([])
    assert (statistics.sentences, statistics.long_pct, statistics.left_pct) == (0, 0.0, 0.0)
    json.dumps(statistics.to_dict())


def test_a_file_and_its_sentences_give_the_same(ewt: Path) -> None:
    assert treebank_statistics(ewt) == treebank_statistics(str(ewt)) == treebank_statistics(read_conllu(ewt))


def test_a_sentence_without_heads_is_refused() -> None:
    sentence = Sentence.from_words(["a", "b"], head=[0, None])
    sentence.comments.append("# sent_id = x-1")
    with pytest.raises(InputError) as caught:
        treebank_statistics([sentence])
    assert str(caught.value) == "sentence 1 (x-1): word 2 has no HEAD, statistics need complete trees"
