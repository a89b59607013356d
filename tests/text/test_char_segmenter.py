"""The segmenter over characters: the same sentences whatever the blocks, exact places, and bounded work."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.options import SENTENCE_BREAKS, SentenceBreaks
from pointree.text import char_segmenter as module
from pointree.text.boundaries import MAX_TOKEN, MAX_WORDS
from pointree.text.cleaning import clean
from pointree.text.reading import segment_steps, segment_text
from pointree.treebank.sentence import Sentence

from .segmenters import random_segmenter, rule_segmenter


def forms(sentences: Any) -> list[list[str]]:
    return [sentence.forms for sentence in sentences]


def everything(sentences: list[Sentence]) -> list[Any]:
    return [(s.comments, s.start, s.end, [(t.id, t.form, t.misc, t.start, t.end) for t in s.tokens]) for s in sentences]


def test_tokens_sentences_and_places() -> None:
    text = "\ufeffone,  two. three\tfour\r\n\r\n five!"
    first, second, third = segment_text(text, rule_segmenter())
    assert forms([first, second, third]) == [["one", ",", "two", "."], ["three", "four"], ["five", "!"]]
    assert [text[t.start : t.end] for t in first.tokens] == first.forms
    assert [t.misc for t in first.tokens] == ["SpaceAfter=No", "_", "SpaceAfter=No", "_"]
    assert third.comments == ["# newpar", "# sent_id = 3", "# text = five!"]
    assert second.comments[0] == "# sent_id = 2"


def test_multiword_tokens_are_expanded() -> None:
    [sentence] = segment_text("evdeki x ki.", rule_segmenter())
    assert [(t.id, t.form) for t in sentence.tokens] == [
        ("1-2", "evdeki"), ("1", "evde"), ("2", "ki"), ("3", "x"), ("4-5", "ki"), ("4", "k"), ("5", "i"), ("6", "."),
    ]  # fmt: skip
    assert {(t.start, t.end) for t in sentence.tokens[:3]} == {(0, 6)}


def test_what_a_line_break_means() -> None:
    text = "one two\nthree. four\n\nfive\nsix"
    found = {breaks: forms(segment_text(text, rule_segmenter(), sentences=breaks)) for breaks in SENTENCE_BREAKS}  # type: ignore[arg-type]
    assert found["auto"] == [["one", "two", "three", "."], ["four"], ["five", "six"]]
    assert found["line"] == [["one", "two"], ["three", "."], ["four"], ["five"], ["six"]]
    assert found["presegmented"] == [["one", "two"], ["three", ".", "four"], ["five"], ["six"]]


def test_white_space_inside_a_token() -> None:
    segmenter = rule_segmenter(spaces=True)
    segmenter._scores = lambda chars, shapes: rule_less(chars)
    [sentence] = segment_text("one \n two", segmenter)
    assert sentence.forms == ["one two"]
    assert (sentence.start, sentence.end) == (0, 9)


def rule_less(chars: Any) -> Any:
    import numpy as np

    return np.full((*chars.shape, 3), -1.0, dtype=np.float32)


ugly = st.text("ab.,i k\n\r\u0301é日\u2029\u00a0\ufeff", max_size=60)


@given(text=ugly, size=st.integers(1, 9), breaks=st.sampled_from(SENTENCE_BREAKS))
def test_blocks_make_no_difference(text: str, size: int, breaks: SentenceBreaks) -> None:
    segmenter = random_segmenter()
    whole = [sentence for sentence, _ in segmenter.sentences(clean([text]), breaks)]
    blocks = [text[start : start + size] for start in range(0, len(text), size)]
    parts = [sentence for sentence, _ in segmenter.sentences(clean(blocks), breaks)]
    assert everything(parts) == everything(whole)


@pytest.mark.parametrize("breaks", SENTENCE_BREAKS)
def test_windows_and_batches_make_no_difference(breaks: SentenceBreaks, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    text = "".join(rng.choices("abcik., \n", weights=[4, 4, 4, 2, 2, 1, 1, 4, 0.4], k=30_000))
    whole = everything(list(segment_text(text, random_segmenter(), sentences=breaks)))
    assert len(whole) > 100
    for window, batch in ((40, 1), (64, 3), (512, 1)):
        monkeypatch.setattr(module, "WINDOW", window)
        monkeypatch.setattr(module, "BATCH", batch)
        assert everything(list(segment_text(text, random_segmenter(), sentences=breaks))) == whole


def test_a_paragraph_alone_is_cut_as_among_others() -> None:
    paragraphs = ["abc. ki,a", "b", "i. a, b\nc", "k" * 40]
    alone = [each for paragraph in paragraphs for each in forms(segment_text(paragraph, random_segmenter()))]
    assert forms(segment_text("\n\n".join(paragraphs), random_segmenter())) == alone


def test_long_text_is_cut_at_the_likeliest_places() -> None:
    words = ["a"] * 1000
    words[150] = words[299] = words[700] = "b,"
    found = forms(segment_text(" ".join(words), rule_segmenter()))
    assert max(map(len, found)) <= MAX_WORDS
    assert [sentence[-1] for sentence in found[:2]] == [",", ","]
    assert sum(map(len, found)) == 1003


@pytest.mark.slow
def test_words_and_texts_without_an_end() -> None:
    started = time.process_time()
    assert max(len(form) for s in segment_text("x" * 200_000, rule_segmenter()) for form in s.forms) <= MAX_TOKEN
    dots = segment_text("." * 100_000, rule_segmenter())
    assert sum(len(form) for sentence in dots for form in sentence.forms) == 100_000
    assert time.process_time() - started < 20


def test_the_first_sentences_come_before_the_end_is_read() -> None:
    def endless() -> Any:
        while True:
            yield "one two. three four. "

    sentences = rule_segmenter().sentences(clean(endless()))
    assert forms(sentence for sentence, _ in (next(sentences) for _ in range(3)))[2] == ["one", "two", "."]
    sentences.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("breaks", SENTENCE_BREAKS)
def test_there_are_pauses_where_no_sentence_ends(breaks: SentenceBreaks) -> None:
    """A line of four million characters once took 42 s before anything came of it."""
    segmenter = rule_segmenter()
    asked: list[int] = []
    scores = segmenter._scores
    segmenter._scores = lambda chars, shapes: asked.append(chars.size) or scores(chars, shapes)  # type: ignore[func-returns-value]
    text = ("ab" * 1_000 + " ") * 25
    found = []
    for each in segment_steps(text, segmenter, sentences=breaks):
        assert sum(asked) <= 2 * module.BATCH * module.WINDOW
        asked.clear()
        found += [] if each is None else [each]
    assert everything(found) == everything(list(segment_text(text, segmenter, sentences=breaks)))
