"""Several models as one parser."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pointree.engines.torch_folder import new_network
from pointree.ensemble import Ensemble, load_ensemble
from pointree.errors import ModelError, UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search.combination import best_heads
from pointree.text.udpipe import TextModel
from pointree.transitions import Constraints, is_projective
from pointree.treebank.sentence import Sentence, get_misc
from pointree.vocabulary import Vocabularies

from ..helpers import HEADS, is_tree, random_sentences, tiny_config, tiny_parser, torch_parser

ORDERS = [
    ("left-to-right", "simple", "gate1"),
    ("right-to-left", "adapted", "gate2"),
    ("outside-in", "full", "gate1"),
]
SENTENCES = random_sentences([1, 2, 3, 7, 12, 12, 20])


def three_orders() -> list[Parser]:
    return [tiny_parser(tiny_config(combination), seed=seed) for seed, combination in enumerate(ORDERS)]


def arcs(sentences: list[Sentence]) -> list[list[tuple[int | None, str]]]:
    return [[(word.head, word.deprel) for word in sentence.words] for sentence in sentences]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_every_tree_is_legal(projective: bool, single_root: bool) -> None:
    ensemble = Ensemble(three_orders())
    parsed = ensemble.parse(SENTENCES, projective=projective, single_root=single_root)
    for sentence, before in zip(parsed, SENTENCES, strict=True):
        heads = [head for head in sentence.heads if head is not None]
        assert sentence.forms == before.forms
        assert is_tree(heads, single_root=single_root)
        assert is_projective(heads) or not projective
        assert all((word.deprel == "root") == (word.head == 0) for word in sentence.words)


def test_two_models_that_agree_outvote_a_third_that_is_no_surer() -> None:
    first, other, _ = three_orders()
    twice, alone = Ensemble([first, other, first]), Ensemble([first])
    agreed = [a == b for a, b in zip(arcs(twice.parse(SENTENCES)), arcs(alone.parse(SENTENCES)), strict=True)]
    assert any(agreed)


def test_the_tree_has_the_greatest_product_of_mean_posteriors() -> None:
    parsers = three_orders()
    ordered = sorted(SENTENCES, key=len, reverse=True)
    with torch.inference_mode():
        means = np.mean([parser.posteriors(ordered, ParseOptions()).heads() for parser in parsers], axis=0)
    for row, sentence in enumerate(Ensemble(parsers).parse(ordered)):
        n = len(sentence)
        if n > 4:
            continue
        scores = np.log(np.maximum(means[row, 1 : n + 1, : n + 1], 1e-30))
        best = max(
            sum(scores[word, head] for word, head in enumerate(heads))
            for heads in product(range(n + 1), repeat=n)
            if is_tree(list(heads), single_root=True)
        )
        found = sum(scores[word, head] for word, head in enumerate(sentence.heads) if head is not None)
        assert found == pytest.approx(best, abs=1e-5)


def test_a_model_of_several_orders_has_one_vote() -> None:
    """Its opinion is the mean of its orders', or that of the order that is named."""
    combined, other = tiny_parser(tiny_config(("combined", "simple", "gate1"))), tiny_parser(seed=5)
    assert arcs(Ensemble([combined]).parse(SENTENCES)) == arcs(combined.parse(SENTENCES))
    ordered = sorted(SENTENCES, key=len, reverse=True)
    means = np.mean([parser.posteriors(ordered, ParseOptions()).heads() for parser in (combined, other)], axis=0)
    best = best_heads(means, [len(sentence) for sentence in ordered], Constraints())
    for row, sentence in enumerate(Ensemble([combined, other]).parse(ordered)):
        assert sentence.heads == best[row, 1 : len(sentence) + 1].tolist()
    named = combined.posteriors(ordered, ParseOptions(order="outside-in"))
    assert [part.branch.order.name for part in named.parts] == ["outside-in"]
    with pytest.raises(UsageError, match="order outside-in: the model has one decoder"):
        Ensemble([combined, other]).parse(SENTENCES, order="outside-in")


def test_neither_order_nor_batching_matters() -> None:
    parsers = three_orders()
    expected = arcs(Ensemble(parsers).parse(SENTENCES))
    assert arcs(Ensemble(parsers[::-1]).parse(SENTENCES, batch_words=1)) == expected


def test_models_with_other_words_and_labels() -> None:
    config = tiny_config()
    own = Sentence.from_words(["ta", "zz"], upos=["NOUN", "X"], head=[2, 0], deprel=["odd", "root"])
    vocabularies = Vocabularies.build([own], min_count=1)
    other = torch_parser(config, vocabularies, new_network(config, vocabularies).eval())
    ensemble = Ensemble([tiny_parser(), other])
    assert sorted(ensemble.deprels) == ["det", "nsubj", "obj", "odd", "root"]
    [parsed] = ensemble.parse([["ta", "tok", "zz"]], probabilities=True)
    assert all(word.deprel in ensemble.deprels for word in parsed.words)
    for word in parsed.words:
        assert 0.0 < float(get_misc(word, "HeadProb") or 0) <= 1.0
        if word.head != 0:
            # Neither model gives a label that the other does not know more than half of the mean.
            limit = 1.0 if word.deprel in ("root",) else 0.5001
            assert float(get_misc(word, "DeprelProb") or 0) <= limit


def test_models_are_loaded_from_folders(tmp_path: Path) -> None:
    parsers = three_orders()[:2]
    for number, parser in enumerate(parsers):
        parser.save(tmp_path / str(number))
    ensemble = load_ensemble([tmp_path / "0", tmp_path / "1"], precision="fp32")
    assert arcs(ensemble.parse(SENTENCES)) == arcs(Ensemble(parsers).parse(SENTENCES))


def test_any_model_may_bring_the_tokeniser_and_tagger(text_model: TextModel) -> None:
    first, second, third = three_orders()
    second.text_model = text_model
    ensemble = Ensemble([first, second, third])
    assert ensemble.require_text_model() is text_model
    [parsed] = ensemble.parse_text("It rains.")
    assert all(word.upos != "_" for word in parsed.words)
    with pytest.raises(ModelError, match="cannot read raw text"):
        Ensemble([first, third]).parse_text("It rains.")


def test_tags_that_a_network_predicts_fill_those_that_are_missing() -> None:
    joint_config = tiny_config(ORDERS[0], HEADS)
    plain, joint = tiny_parser(), tiny_parser(joint_config, seed=1)
    alone = joint.parse([["ta", "tok", "ta"], ["tok"]])
    together = Ensemble([plain, joint]).parse([["ta", "tok", "ta"], ["tok"]])
    tags = [[word.upos for word in sentence.words] for sentence in together]
    assert tags == [[word.upos for word in sentence.words] for sentence in alone]
    assert "_" not in tags[0] + tags[1]


def test_tags_are_completed_for_every_model_whichever_comes_first(text_model: TextModel) -> None:
    read: dict[str, list[str]] = {}
    parsers = []
    for column in ("upos", "xpos"):
        parser = tiny_parser(tiny_config(ORDERS[0], {"embeddings": {"tag": column}}))
        parser.text_model = text_model
        numbers_of = parser.featurizer.numbers_of

        def watched(sentence: Sentence, column: str = column, numbers_of: Any = numbers_of) -> Any:
            read[column] = [getattr(word, column) for word in sentence.words]
            return numbers_of(sentence)

        parser.featurizer.numbers_of = watched  # type: ignore[method-assign]
        parsers.append(parser)
    sentence = Sentence.from_words(["It", "rains"], upos=["X", "Y"])
    for order in (parsers, parsers[::-1]):
        read.clear()
        Ensemble(order).parse([sentence])
        assert read["upos"] == ["X", "Y"], "what is there stays"
        assert "_" not in read["xpos"]


def test_models_that_predict_tags_need_no_tagger_to_do_so_anew() -> None:
    joint = tiny_parser(tiny_config(ORDERS[0], HEADS))
    sentence = Sentence.from_words(["ta", "tok"], upos=["X", "Y"])
    alone, together = (each.parse([sentence], retag=True) for each in (joint, Ensemble([joint, joint])))
    assert [word.upos for word in together[0].words] == [word.upos for word in alone[0].words] != ["X", "Y"]
    with pytest.raises(ModelError, match="cannot tag words"):
        Ensemble([joint, tiny_parser()]).parse([sentence], retag=True)


def test_arcs_of_root_are_labelled_by_models_that_have_a_label_for_them() -> None:
    own = Sentence.from_words(["ta", "tok"], upos=["NOUN", "X"], head=[2, 0], deprel=["odd", "top"])
    vocabularies = Vocabularies.build([own], min_count=1)
    config = tiny_config()
    other = torch_parser(config, vocabularies, new_network(config, vocabularies).eval())
    assert other.root_label is None
    for sentence in Ensemble([other, tiny_parser(), other]).parse(SENTENCES, probabilities=True):
        for word in sentence.words:
            assert (word.deprel == "root") == (word.head == 0)
            if word.head == 0:
                assert get_misc(word, "DeprelProb") == "1.0000"
    assert all(word.deprel in ("odd", "top") for word in Ensemble([other, other]).parse([["ta"]])[0].words)


def test_a_top_down_model_joins_no_others() -> None:
    top_down = tiny_parser(tiny_config(("top-down", "parent", "gate1")))
    with pytest.raises(UsageError, match="expected a bottom-up model, found the order top-down, which gives no prob"):
        Ensemble([tiny_parser(), top_down])


def test_faults_of_the_user() -> None:
    with pytest.raises(UsageError, match="expected at least one model, found none"):
        Ensemble([])
    with pytest.raises(UsageError, match="beam 4: expected 1, since 3 models together parse greedily, to one tree"):
        Ensemble(three_orders()).parse(SENTENCES, beam=4)
    with pytest.raises(UsageError, match="trace: expected one model, found 3 that parse together"):
        Ensemble(three_orders()).trace(SENTENCES[0])
    with pytest.raises(UsageError, match="batch_words must be at least 1, found 0"):
        Ensemble(three_orders()).parse(SENTENCES, batch_words=0)
