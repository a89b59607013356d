"""Data frames and graphs: their content, and one clear line where the library is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.errors import MissingExtraError, UsageError
from pointree.treebank.conllu import read_conllu
from pointree.treebank.export import to_networkx, to_nltk, to_pandas
from pointree.treebank.sentence import Sentence, Token

DEL = Sentence(
    [
        Token("1", "Vengo", "venir", "VERB", feats="Number=Sing", head=0, deprel="root", start=1, end=6),
        Token("2-3", "del", start=8, end=11),
        Token("2", "de", "de", "ADP", head=4, deprel="case", misc="HeadProb=0.9000|DeprelProb=0.5000", start=8, end=11),
        Token("3", "el", "el", "DET", head=4, deprel="det", start=8, end=11),
        Token("4", "mar", head=1, deprel="obl"),
        Token("4.1", "empty"),
        Token("5", "_", "_", "PUNCT", head=1, deprel="punct"),
    ],
    ["# sent_id = s1"],
)


def test_a_frame_has_a_row_for_each_word() -> None:
    frame = pointree.to_pandas([DEL, DEL])
    assert list(frame["form"]) == ["Vengo", "de", "el", "mar", "_"] * 2
    assert list(frame["sentence"]) == [0] * 5 + [1] * 5
    assert set(frame["sent_id"]) == {"s1"}
    first = frame[frame["sentence"] == 0].set_index("id")
    assert list(first["head"]) == [0, 4, 4, 1, 1]
    assert (first.loc[2, "head_prob"], first.loc[2, "deprel_prob"]) == (0.9, 0.5)
    assert (first.loc[1, "start"], first.loc[1, "end"], first.loc[1, "feats"]) == (1, 6, "Number=Sing")
    assert first.loc[4, ["lemma", "upos", "start", "head_prob"]].isna().all()
    assert first.loc[5, "lemma"] == "_"


def test_a_frame_of_one_sentence_or_none() -> None:
    assert len(to_pandas(DEL)) == 5
    empty = to_pandas([])
    assert len(empty) == 0
    assert list(empty.dtypes) == list(to_pandas(DEL).dtypes)


@pytest.mark.parametrize(
    ("given", "found"), [("It rains.", "'I'"), ([["It", "rains"]], "['It', 'rains']"), ([DEL, None], "None")]
)
def test_what_is_no_sentence_is_refused(given: Any, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        to_pandas(given)
    assert str(caught.value) == f"expected sentences, found {found}; parse them first"


def test_arrow_and_polars_take_the_frame() -> None:
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    frame = to_pandas(DEL)
    table = pyarrow.Table.from_pandas(frame)
    assert table["head"].to_pylist() == [0, 4, 4, 1, 1]
    assert table["lemma"].to_pylist() == ["venir", "de", "el", None, "_"]
    assert polars.from_pandas(frame)["head_prob"].to_list() == [None, 0.9, None, None, None]


def test_a_graph_has_the_arcs_of_the_tree(ewt: Path) -> None:
    import networkx

    graph = DEL.to_networkx()
    assert set(graph.edges(data="deprel")) == {
        *((0, 1, "root"), (4, 2, "case"), (4, 3, "det"), (1, 4, "obl"), (1, 5, "punct")),
    }
    assert graph.nodes[1]["features"] == {"Number": "Sing"}
    assert graph.nodes[0] == {"form": "ROOT"}
    for sentence in read_conllu(ewt):
        assert networkx.is_arborescence(to_networkx(sentence))


def test_nltk_has_the_same_tree(ewt: Path) -> None:
    graph = DEL.to_nltk()
    assert graph.tree().pformat(margin=100) == "(Vengo (mar de el) _)"
    assert [triple[1] for triple in graph.triples()] == ["obl", "case", "det", "punct"]
    for sentence in read_conllu(ewt):
        converted = to_nltk(sentence)
        assert [converted.nodes[number]["head"] for number in range(1, len(sentence) + 1)] == sentence.heads


def test_nltk_needs_heads() -> None:
    with pytest.raises(UsageError, match=r"word 1: expected a head, found none; parse the sentence first"):
        to_nltk(Sentence.from_words(["It"]))


@pytest.mark.parametrize(
    ("library", "export", "what"),
    [("pandas", to_pandas, "a data frame"), ("networkx", to_networkx, "a graph"), ("nltk", to_nltk, "a graph of NLTK")],
)
def test_a_missing_library_is_one_line(
    library: str, export: Callable[[Sentence], object], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError) as caught:
        export(DEL)
    assert str(caught.value) == f"{what} needs an optional dependency: pip install 'pointree[notebook]'"
