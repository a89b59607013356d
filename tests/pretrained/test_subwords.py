"""Words and their sub-words, for all kinds of tokenisers, against what the tokenisers make of running text."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from pointree.pretrained.subwords import SubwordTokenizer

from .small_models import KINDS, sentences


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One tokeniser of each kind."""
    folders = {kind: tmp_path_factory.mktemp("tokenizer") for kind in KINDS}
    return {kind: make(folders[kind]) for kind, (make, _, _) in KINDS.items()}


def owners_in_running_text(tokenizer: Any, forms: list[str]) -> list[tuple[int, int]]:
    """Each sub-word of a text and the word it came from: slowly, by the characters that it covers."""
    text, ends = "", []
    for form in forms:
        text += f" {form}"
        ends.append(len(text))
    found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    owners = []
    for number, (start, end) in zip(found["input_ids"], found["offset_mapping"], strict=True):
        last = max(start, end - 1)
        owners.append((number, next(word for word, limit in enumerate(ends) if last < limit)))
    return owners


@pytest.mark.parametrize("kind", ["word pieces", "sentence pieces", "bytes"])
def test_words_have_the_subwords_that_running_text_gives_them(kind: str, tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers[kind]
    subwords = SubwordTokenizer(tokenizer, kind)
    for forms in sentences():
        found = [(number, word) for word, numbers in enumerate(subwords(forms)) for number in numbers]
        assert found == owners_in_running_text(tokenizer, forms)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("slow")])
def test_slow_tokenisers_give_the_same_as_in_running_text(kind: str, tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers[kind]
    subwords = SubwordTokenizer(tokenizer, kind)
    for forms in sentences():
        flat = [number for numbers in subwords(forms) for number in numbers]
        assert flat == tokenizer.convert_tokens_to_ids(tokenizer.tokenize(" ".join(forms)))


def test_slow_and_fast_word_pieces_are_the_same(tokenizers: dict[str, Any]) -> None:
    slow, fast = (SubwordTokenizer(tokenizers[kind], kind) for kind in ("slow word pieces", "word pieces"))
    for forms in sentences():
        assert slow(forms) == fast(forms)
    assert (slow.opening, slow.closing, slow.padding) == (fast.opening, fast.closing, fast.padding)


def test_special_tokens_around_a_text_are_found(tokenizers: dict[str, Any]) -> None:
    found = {kind: SubwordTokenizer(tokenizer, kind) for kind, tokenizer in tokenizers.items()}
    assert (found["word pieces"].opening, found["word pieces"].closing) == ((2,), (3,))
    assert (found["sentence pieces"].opening, found["sentence pieces"].closing) == ((0,), (2,))
    assert (found["slow sentence pieces"].opening, found["slow sentence pieces"].closing) == ((), ())


def test_words_of_which_nothing_is_left_are_unknown_words(tokenizers: dict[str, Any]) -> None:
    subwords = SubwordTokenizer(tokenizers["word pieces"], "word pieces")
    assert subwords(["\u200b", "a", "\x96", ""]) == [(1,), subwords(["a"])[0], (1,), (1,)]
    for kind, tokenizer in tokenizers.items():
        assert all(SubwordTokenizer(tokenizer, kind)(["\u200b", "\x96", "\u00ad", "\ufeff"])), kind


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_looks_like_a_special_token_is_a_word(kind: str, tokenizers: dict[str, Any]) -> None:
    subwords = SubwordTokenizer(tokenizers[kind], kind)
    special = {*subwords.opening, *subwords.closing, subwords.padding}
    for found in subwords(["[SEP]", "</s>", "<s>", "[PAD]", "<pad>"]):
        assert special.isdisjoint(found)


def test_what_is_no_word_of_any_language_is_cut(tokenizers: dict[str, Any]) -> None:
    for kind, tokenizer in tokenizers.items():
        [found] = SubwordTokenizer(tokenizer, kind)(["=" * 1_000_000])
        assert 0 < len(found) <= 5_000, kind


def test_very_long_words_are_not_cut(tokenizers: dict[str, Any]) -> None:
    for kind in ("sentence pieces", "slow sentence pieces", "bytes"):
        [found] = SubwordTokenizer(tokenizers[kind], kind)(["tea" * 500])
        assert len(found) > 500, kind
    assert SubwordTokenizer(tokenizers["word pieces"], "")(["tea" * 500]) == [(1,)], "BERT's own rule: unknown"


def test_forgetting_changes_nothing(tokenizers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.pretrained.subwords._MEMORY", 3)
    forgetful = SubwordTokenizer(tokenizers["bytes"], "")
    first = [forgetful(forms) for forms in sentences()]
    assert first == [forgetful(forms) for forms in sentences()]


def test_several_threads_may_ask(tokenizers: dict[str, Any]) -> None:
    subwords = SubwordTokenizer(tokenizers["word pieces"], "")
    expected = [subwords(forms) for forms in sentences()]
    subwords._known.clear()
    found: dict[int, Any] = {}

    def ask(number: int) -> None:
        found[number] = [subwords(forms) for forms in sentences()]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == expected for number in range(4))


def test_folders_are_not_needed(tmp_path: Path) -> None:
    assert SubwordTokenizer(KINDS["word pieces"][0](tmp_path), "")(["the"]) == [
        SubwordTokenizer(KINDS["slow word pieces"][0](tmp_path), "")(["the"])[0]
    ]
