from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointree.errors import InputError
from pointree.evaluation import score_sentences
from pointree.evaluation.tally import SCORES
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence


def test_a_file_against_itself_is_perfect(ewt: Path) -> None:
    evaluation = score_sentences(read_conllu(ewt), read_conllu(ewt))
    assert all(score.f1 == 100.0 for score in evaluation.scores.values())
    assert all(score.f1 == 100.0 for score in evaluation.by_deprel.values())
    assert evaluation.sentences == 60
    assert evaluation.words == sum(len(sentence) for sentence in read_conllu(ewt))


def test_json_contract() -> None:
    gold = Sentence.from_words(
        ["a", "b", "c", "."], head=[2, 0, 2, 2], deprel=["nsubj", "root", "obj", "punct"],
        upos=["NOUN", "VERB", "NOUN", "PUNCT"],
    )  # fmt: skip
    system = Sentence.from_words(
        ["a", "b", "c", "."], head=[2, 0, 1, 2], deprel=["obj", "root", "obj", "punct"],
        upos=["NOUN", "VERB", "NOUN", "PUNCT"],
    )  # fmt: skip
    result = json.loads(json.dumps(score_sentences([gold], [system]).to_dict()))
    assert result["uas"] == 75.0
    assert result["las"] == result["las_subtypes"] == 50.0
    assert result["clas"] == pytest.approx(100 / 3)
    assert (result["words"], result["sentences"]) == (4, 1)
    assert result["no_punct"] == {"uas": pytest.approx(200 / 3), "las": pytest.approx(100 / 3)}
    assert result["segmentation"] == {"tokens": 100.0, "sentences": 100.0, "words": 100.0}
    assert result["tagging"] == {"upos": 100.0, "xpos": 100.0, "ufeats": 100.0, "alltags": 100.0, "lemmas": 100.0}
    assert result["mlas"] == result["blex"] == result["clas"]
    assert list(result["scores"]) == list(SCORES)
    assert result["scores"]["clas"] == {
        "gold": 3, "system": 3, "correct": 1, "aligned": 3,
        "precision": pytest.approx(100 / 3), "recall": pytest.approx(100 / 3), "f1": pytest.approx(100 / 3),
        "aligned_accuracy": pytest.approx(100 / 3),
    }  # fmt: skip
    assert "aligned" not in result["scores"]["tokens"]
    assert list(result["by_deprel"]) == ["obj", "punct", "root", "nsubj"]
    assert result["by_deprel"]["obj"] == {
        "gold": 1, "system": 2, "correct": 0, "precision": 0.0, "recall": 0.0, "f1": 0.0,
    }  # fmt: skip


def test_no_sentences() -> None:
    evaluation = score_sentences([], [])
    assert evaluation.words == evaluation.sentences == 0
    assert evaluation.uas == evaluation.las == 0.0
    assert {score.f1 for score in evaluation.scores.values()} == {0.0}
    assert evaluation.scores["blex"].aligned_accuracy == 0.0


def test_messages_use_the_names_of_the_files(ewt: Path) -> None:
    gold = list(read_conllu(ewt))
    with pytest.raises(InputError, match=r"^out\.conllu ends after 59 sentences, expected the characters '.+' of in"):
        score_sentences(gold, gold[:-1], names=("in.conllu", "out.conllu"))
