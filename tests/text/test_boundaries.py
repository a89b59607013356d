"""From scores to tokens; `test_char_segmenter` has whole texts."""

from __future__ import annotations

import numpy as np

from pointree.text.alphabet import shapes_of
from pointree.text.boundaries import ScoredText, TokenSpans, cut_sentences
from pointree.text.cleaning import CleanText, clean


def scored(text: str, token: float = -1.0, sentence: float = -1.0) -> ScoredText:
    [*parts] = clean([text])
    whole: CleanText = parts[0]
    for part in parts[1:]:
        whole += part
    scores = np.full((len(whole), 3), (token, sentence, -1.0), dtype=np.float32)
    return ScoredText(whole, shapes_of(whole.text), scores)


def spans(part: ScoredText, *, is_end: bool) -> tuple[list[list[tuple[int, int]]], int]:
    *sentences, rest = cut_sentences(part, is_end=is_end)
    assert isinstance(rest, int)
    found = [each for each in sentences if isinstance(each, TokenSpans)]
    return [list(zip(each.first.tolist(), each.last.tolist(), strict=True)) for each in found], rest


def test_white_space_ends_tokens_and_the_paragraph_a_sentence() -> None:
    assert spans(scored("ab c"), is_end=True) == ([[(0, 2), (3, 4)]], 4)
    assert spans(scored("ab c"), is_end=False) == ([], 0)
    assert spans(scored("  "), is_end=True) == ([], 2)


def test_the_last_character_waits_for_what_follows() -> None:
    assert spans(scored("ab", token=1.0, sentence=1.0), is_end=False) == ([[(0, 1)]], 1)
    assert spans(scored("ab", token=1.0, sentence=1.0), is_end=True) == ([[(0, 1)], [(1, 2)]], 2)


def test_the_last_of_equal_places_is_taken_whatever_the_last_bits_say() -> None:
    """What was read before once moved the cuts of long sentences, because it changes how scores are rounded."""
    cuts = []
    for offset in (0.0, 1e-6, -1e-6):
        part = scored("x " * 600)
        part.scores[::5, 1] += np.float32(offset)
        cuts.append([len(sentence) for sentence in spans(part, is_end=True)[0]])
    assert cuts[0] == cuts[1] == cuts[2] == [200, 200, 200]


def test_marks_stay_with_their_letter() -> None:
    part = scored("x\u0301a\u0327\u0301b👩\u200d👧", token=1.0)
    assert [part.text.text[first:last] for first, last in spans(part, is_end=True)[0][0]] == [
        "x\u0301", "\u00e1\u0327", "b", "👩\u200d👧",
    ]  # fmt: skip


def test_an_ideographic_full_stop_before_a_letter_ends_a_sentence() -> None:
    """Trained on sentences that each stand alone, the Japanese segmenter cut no paragraph into sentences."""
    text = "雨。晴れ。」と「雪。」。\u0301。。 雨"
    found = spans(scored(text, token=1.0), is_end=True)[0]
    assert [text[each[0][0] : each[-1][1]] for each in found] == ["雨。", text[2:]]
    assert spans(scored("雨。", token=1.0), is_end=False) == ([], 0), "what follows may be a bracket"
    assert [len(each) for each in spans(scored("雨。雨"), is_end=True)[0]] == [1, 1]


def test_a_line_that_is_a_sentence_keeps_its_full_stops() -> None:
    [sentence, _rest] = cut_sentences(scored("雨。雨", token=1.0), by_line=True, is_end=True)
    assert isinstance(sentence, TokenSpans)
    assert len(sentence.first) == 3


def test_emoji_are_not_torn_apart() -> None:
    emoji = [
        "👩\u200d👧\u200d👦",
        "🏳\ufe0f\u200d🌈",
        "🇸🇪",
        "🇳🇴",
        "🏴\U000e0067\U000e0062\U000e007f",
        "🧑🏻\u200d🤝\u200d🧑🏿",
        "1\ufe0f\u20e3",
    ]
    text = "".join(emoji)
    [found] = spans(scored(text, token=1.0), is_end=True)[0]
    assert [text[first:last] for first, last in found] == emoji
    [alone] = spans(scored("a\u200d. 🇸b", token=1.0), is_end=True)[0]
    assert alone == [(0, 2), (2, 3), (4, 5), (5, 6)], "punctuation, and half a flag, stand alone"


def test_very_long_emoji_are_cut_between_letters_that_may_be_separated() -> None:
    text = "🇸🇪" * 3_000
    [found] = spans(scored(text), is_end=True)[0]
    assert len(found) > 1
    assert all(first % 2 == 0 for first, _last in found)
