"""The whole analysis as plain values."""

from __future__ import annotations

import json

import pytest

from pointree.analysis.attachments import read_attachments
from pointree.analysis.compare import analyse_attachments

from ..helpers import random_sentences


def test_json_has_everything() -> None:
    gold = random_sentences([4, 30], seed=1)
    found = analyse_attachments(read_attachments(gold, [gold, gold, gold], ["a", "b", "c"]), "g", resamples=20)
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["gold"], plain["sentences"], plain["words"]) == ("g", 2, 34)
    assert plain["scores"] == {name: {"uas": 100.0, "las": 100.0} for name in "abc"}
    assert [(each["first"], each["second"]) for each in plain["differences"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert plain["differences"][0]["las"] == {"difference": 0.0, "low": 0.0, "high": 0.0, "p_value": 1.0}
    assert plain["non_trees"] == {"gold": 0, "systems": {"a": 0, "b": 0, "c": 0}}
    assert plain["bootstrap"] == {"resamples": 20, "seed": 1}
    assert [group["group"] for group in plain["breakdowns"]["sentence_length"]] == ["1–10", "21–30"]
    assert set(plain["breakdowns"]["label"][0]["systems"]["a"]) == {"uas", "las", "words", "precision"}
    assert set(plain["breakdowns"]["upos"][0]["systems"]["a"]) == {"uas", "las"}


def test_the_difference_is_that_of_the_scores() -> None:
    gold = random_sentences([6, 9], seed=1)
    poor = [sentence.copy() for sentence in gold]
    for word in poor[0].words[:3]:
        word.deprel = "wrong"
    found = analyse_attachments(read_attachments(gold, [gold, poor], ["good", "poor"]), "g", resamples=20)
    [difference] = found.differences
    assert difference.uas.difference == 0.0
    assert difference.las.difference == pytest.approx(found.scores[0].las - found.scores[1].las)
