"""The parser as its users see it."""

from __future__ import annotations

import math
import resource
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

import pointree
from pointree.engines.torch_folder import new_network
from pointree.errors import ModelError, UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser, load
from pointree.text.udpipe import TextModel
from pointree.transitions import is_projective
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence, get_misc
from pointree.vocabulary import Vocabularies

from .helpers import (
    COMBINATIONS,
    WORDS,
    Combination,
    describe,
    ewt_sentences,
    is_tree,
    random_sentence,
    random_sentences,
    tiny_config,
    tiny_parser,
    torch_parser,
    trained_parser,
)

RICH = """\
# sent_id = rich-1
# text = Vámonos ya tú
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\tGloss=go
1\tVamos\tir\tVERB\t_\tMood=Imp\t_\t_\t_\t_
2\tnos\tnosotros\tPRON\t_\tCase=Acc\t_\t_\t_\t_
2.1\tnada\tnada\tPRON\t_\t_\t_\t_\t1:obj\t_
3\tya\tya\tADV\t_\t_\t_\t_\t_\tSpaceAfter=No|Note=x

"""


@pytest.fixture(scope="module")
def parser() -> Parser:
    return tiny_parser()


def rich_sentence() -> Sentence:
    (sentence,) = read_conllu(StringIO(RICH))
    return sentence


# What goes in


def test_lists_of_words_are_parsed(parser: Parser) -> None:
    words = [["ta", "tok", "rosa"], ("a",), ["never", "seen"]]
    parsed = parser.parse(words)
    assert [sentence.forms for sentence in parsed] == [list(forms) for forms in words]
    for sentence in parsed:
        assert is_tree([head for head in sentence.heads if head is not None])
        assert set(sentence.deprels) <= set(parser.vocabularies.deprels.symbols)


def test_the_input_is_not_changed(parser: Parser) -> None:
    sentences = [*random_sentences([4, 2]), rich_sentence()]
    before = [format_sentence(sentence) for sentence in sentences]
    parsed = parser.parse(sentences, n_best=3, probabilities=True)
    assert [format_sentence(sentence) for sentence in sentences] == before
    assert all(sentence is not given for sentence in parsed for given in sentences)


def test_gold_heads_and_labels_have_no_influence(parser: Parser) -> None:
    gold = random_sentences([7, 3], seed=1)
    blank = [Sentence.from_words(sentence.forms, upos=[word.upos for word in sentence.words]) for sentence in gold]
    assert parser.trees(gold) == parser.trees(blank)


def test_output_has_the_order_of_the_input(parser: Parser) -> None:
    lengths = Random(2).choices(range(1, 15), k=60)
    sentences = random_sentences(lengths, seed=3)
    parsed = parser.parse(sentences, batch_words=40)
    assert [sentence.forms for sentence in parsed] == [sentence.forms for sentence in sentences]
    assert parser.parse([]) == []


@pytest.mark.parametrize("given", ["A whole text.", ["one", "two"], [["fine"], "not"]], ids=str)
def test_strings_are_refused(parser: Parser, given: Any) -> None:
    with pytest.raises(UsageError, match=r"a list of words, found the string .*; parse_text reads raw text"):
        parser.parse(given)


def test_load_takes_one_model() -> None:
    with pytest.raises(UsageError, match=r"one model, found \['en', 'en'\]; load_ensemble takes several$"):
        pointree.load(["en", "en"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "empty", [[], Sentence([]), Sentence(rich_sentence().tokens[3:4])], ids=["words", "rows", "node"]
)
def test_a_sentence_without_words_is_refused(parser: Parser, empty: Any) -> None:
    with pytest.raises(UsageError, match="at least one word"):
        parser.parse([["fine"], empty])


def test_words_that_no_file_can_hold_are_refused(parser: Parser) -> None:
    with pytest.raises(UsageError, match="word 2: expected text without tabs and line ends"):
        parser.parse([["fine", "not\tfine"]])


@pytest.mark.parametrize("option", ["beam", "n_best", "batch_words"])
def test_options_below_one_are_refused_at_once(parser: Parser, option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} must be at least 1, found 0"):
        parser.stream([["fine"]], **{option: 0})  # type: ignore[arg-type]


# What comes out


def test_all_rows_and_comments_are_kept(parser: Parser) -> None:
    (parsed,) = parser.parse([rich_sentence()])
    expected = rich_sentence()
    for word, found in zip(expected.words, parsed.words, strict=True):
        word.head, word.deprel = found.head, found.deprel
    assert format_sentence(parsed) == format_sentence(expected)
    assert [token.id for token in parsed.tokens] == ["1-2", "1", "2", "2.1", "3"]
    assert parsed.tokens[0].head is None
    assert is_tree([head for head in parsed.heads if head is not None])


def test_probabilities_go_to_misc(parser: Parser) -> None:
    sentences = [*random_sentences([5]), rich_sentence()]
    plain, parsed = parser.parse(sentences), parser.parse(sentences, probabilities=True)
    for sentence, without, (tree,) in zip(parsed, plain, parser.trees(sentences), strict=True):
        assert sentence.heads == without.heads
        for word, head_prob, label_prob in zip(sentence.words, tree.head_probs, tree.label_probs, strict=True):
            assert get_misc(word, "HeadProb") == f"{head_prob:.4f}"
            assert get_misc(word, "DeprelProb") == f"{label_prob:.4f}"
    assert parsed[1].words[2].misc.startswith("SpaceAfter=No|Note=x|HeadProb=")
    assert parsed[1].tokens[0].misc == "Gloss=go"
    assert plain[1].words[2].misc == "SpaceAfter=No|Note=x"


def test_n_best_trees_of_a_file_without_a_last_blank_line_stay_apart(parser: Parser) -> None:
    [sentence] = read_conllu(StringIO("\ufeff1\tta\t_\t_\t_\t_\t_\t_\t_\t_\n2\ttok\t_\t_\t_\t_\t_\t_\t_\t_"))
    first, second = parser.parse([sentence], n_best=2)
    assert (first.leader, first.trailer) == ("\ufeff", "\n\n")
    assert (second.leader, second.trailer) == ("", sentence.trailer)


def test_n_best_trees_come_best_first_with_rank_and_score(parser: Parser) -> None:
    sentences = random_sentences([5, 1, 2], seed=4)
    parsed = parser.parse(sentences, n_best=4)
    assert [sentence.meta("tree_rank") for sentence in parsed] == ["1", "2", "3", "4", "1", "1", "2"]
    scores = [float(sentence.meta("tree_log_prob") or "nan") for sentence in parsed]
    assert scores[:4] == sorted(scores[:4], reverse=True)
    assert len({tuple(sentence.heads) for sentence in parsed[:4]}) == 4
    assert not any(math.isnan(score) for score in scores)
    for found, tree in zip(parsed, parser.trees(sentences, ParseOptions(beam=4, n_best=4))[0], strict=False):
        assert found.heads == tree.heads
    assert parser.parse(sentences[:1])[0].meta("tree_rank") is None


def test_rules_are_kept() -> None:
    parser = tiny_parser(seed=9, scale=3.0)
    sentences = random_sentences([12] * 6, seed=5)
    free = parser.parse(sentences, single_root=False)
    assert any(sentence.heads.count(0) > 1 for sentence in free)
    assert not all(is_projective([head or 0 for head in sentence.heads]) for sentence in parser.parse(sentences))
    for sentence in parser.parse(sentences, projective=True):
        heads = [head or 0 for head in sentence.heads]
        assert heads.count(0) == 1
        assert is_projective(heads)


def test_a_treebank_with_one_label_uses_it_everywhere() -> None:
    sentence = Sentence.from_words(["a", "b"], head=[2, 0], deprel=["root", "root"])
    vocabularies = Vocabularies.build([sentence], min_count=1)
    config = tiny_config()
    parsed = torch_parser(config, vocabularies, new_network(config, vocabularies).eval()).parse([["a", "b", "c"]])
    assert parsed[0].deprels == ["root"] * 3


# Many sentences


def test_a_stream_reads_one_window_ahead(parser: Parser) -> None:
    taken = 0

    def endless() -> Iterator[list[str]]:
        nonlocal taken
        while True:
            taken += 1
            yield [WORDS[taken % len(WORDS)]]

    stream = parser.stream(endless())
    assert taken == 0, "nothing is read before the first sentence is asked for"
    next(stream)
    window = taken
    assert 1 <= window <= 4096
    for _ in range(window - 1):
        next(stream)
    assert taken == window
    assert next(stream).forms == [WORDS[(window + 1) % len(WORDS)]]
    assert taken <= 2 * window


def test_a_fault_in_a_stream_comes_after_the_windows_before_it(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.parser._WINDOW_SENTENCES", 2)
    stream = parser.stream([["a"], ["ta"], ["o"], []])
    assert [next(stream).forms for _ in range(2)] == [["a"], ["ta"]]
    with pytest.raises(UsageError):
        next(stream)


def test_windows_change_nothing(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = random_sentences([3, 9, 1, 4, 4, 2, 8], seed=6)
    whole = [format_sentence(sentence) for sentence in parser.parse(sentences)]
    for size in (1, 2, 3, 7):
        monkeypatch.setattr("pointree.parser._WINDOW_SENTENCES", size)
        assert [format_sentence(sentence) for sentence in parser.stream(iter(sentences))] == whole


@pytest.mark.slow
def test_threads_may_share_a_parser() -> None:
    """Caches are filled by all threads at once, and no tree depends on it."""
    sentences = ewt_sentences()[:30]
    expected = [format_sentence(sentence) for sentence in trained_parser().parse(sentences)]
    fresh = trained_parser()
    shared = torch_parser(fresh.config, fresh.vocabularies, fresh.network)
    start = threading.Barrier(8)

    def work(number: int) -> list[str]:
        start.wait()
        turned = sentences[number:] + sentences[:number]
        parsed = [format_sentence(sentence) for sentence in shared.parse(turned)]
        return parsed[len(parsed) - number :] + parsed[: len(parsed) - number]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(found == expected for found in pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)


# Models on disk


@pytest.mark.parametrize("combination", COMBINATIONS[1::4], ids=describe)
def test_a_parser_that_was_saved_and_loaded_is_the_same(combination: Combination, tmp_path: Path) -> None:
    parser = tiny_parser(tiny_config(combination))
    parser.save(tmp_path / "model", "Card.\n")
    sentences = random_sentences([6, 2, 9], seed=7)
    expected = [tree for trees in parser.trees(sentences, ParseOptions(beam=3, n_best=3)) for tree in trees]
    for read in (load, pointree.load, Parser.load):
        loaded = read(tmp_path / "model", precision="fp32")
        found = [tree for trees in loaded.trees(sentences, ParseOptions(beam=3, n_best=3)) for tree in trees]
        assert [(tree.heads, tree.labels) for tree in found] == [(tree.heads, tree.labels) for tree in expected]
        assert [tree.log_prob for tree in found] == pytest.approx([tree.log_prob for tree in expected], abs=1e-5)
    again = tmp_path / "again"
    loaded.save(again, "Card.\n")
    for path in (tmp_path / "model").iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name


def test_precision_auto_loads_wherever_it_is(parser: Parser, tmp_path: Path) -> None:
    parser.save(tmp_path)
    (sentence,) = random_sentences([3])
    assert load(str(tmp_path)).parse([sentence])[0].heads


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"precision": "fp8"}, "precision must be one of auto, fp32, bf16, int8, found fp8"),
        ({"device": "abacus"}, "device abacus cannot be used: "),
        ({"device": "cuda:99"}, "device cuda:99 cannot be used: "),
    ],
    ids=str,
)
def test_choices_that_cannot_be_had_are_one_line(
    parser: Parser, tmp_path: Path, choices: dict[str, str], message: str
) -> None:
    parser.save(tmp_path)
    with pytest.raises(UsageError) as caught:
        load(tmp_path, **choices)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_raw_text_needs_a_text_model(parser: Parser) -> None:
    with pytest.raises(ModelError, match=r"cannot read raw text, it has no segmenter; give it words"):
        parser.parse_text("A text.")
    with pytest.raises(ModelError, match=r"cannot tag words, it was trained without a tagger"):
        parser.parse([["a"]], retag=True)


def test_the_text_model_is_saved_with_the_parser(parser: Parser, tmp_path: Path) -> None:
    (tmp_path / "text.udpipe").write_bytes(b"what UDPipe wrote")
    text_model = TextModel(object(), str(tmp_path / "text.udpipe"))
    torch_parser(parser.config, parser.vocabularies, parser.network, text_model).save(tmp_path / "model")
    assert (tmp_path / "model" / "text.udpipe").read_bytes() == b"what UDPipe wrote"
    with pytest.raises(ModelError, match=r"text\.udpipe: expected a UDPipe 1 model, found"):
        load(tmp_path / "model", precision="fp32")


# Sizes


def peak_bytes() -> int:
    """The most memory that this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


@pytest.mark.slow
@pytest.mark.parametrize(("n", "projective"), [(10_000, False), (3_000, True)])
def test_a_very_long_sentence_is_parsed_in_little_memory(n: int, projective: bool) -> None:
    parser = tiny_parser()
    sentence = random_sentence(n, Random(8))
    before = peak_bytes()
    ((tree,),) = parser.trees([sentence], ParseOptions(projective=projective))
    assert peak_bytes() - before < 2 * n * n + 10_000_000, "no table of all pairs of words is made"
    assert is_tree(tree.heads)
    assert is_projective(tree.heads) or not projective


def test_a_long_sentence_has_a_beam_as_well() -> None:
    ((first, second),) = tiny_parser().trees(random_sentences([1000], seed=9), ParseOptions(beam=2, n_best=2))
    assert is_tree(first.heads)
    assert is_tree(second.heads)
    assert first.heads != second.heads
