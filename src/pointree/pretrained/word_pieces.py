"""BERT's tokeniser in plain Python: each word is cut into the longest pieces that the vocabulary has.

Before that, the text is cleaned, accents and capitals are removed (if the model is uncased), and it is split at spaces
and punctuation. `SubwordTokenizer` remembers the pieces of each word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["WordPieces"]

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Blocks of characters that are words by themselves, as in the tokeniser with which BERT was trained."""


class WordPieces:
    """Cuts texts into pieces, with the interface of `transformers` that `SubwordTokenizer` uses."""

    eos_token_id = None
    split_special_tokens = True

    def __init__(self, settings: Mapping[str, Any], max_length: int) -> None:
        normalizer, model = settings["normalizer"], settings["model"]
        self.settings = settings
        self.model_max_length = max_length
        self.vocabulary: Mapping[str, int] = model["vocab"]
        self.clean: bool = normalizer["clean_text"]
        self.lowercase: bool = normalizer["lowercase"]
        self.split_cjk: bool = normalizer["handle_chinese_chars"]
        accents = normalizer["strip_accents"]
        self.strip_accents: bool = self.lowercase if accents is None else accents
        self.prefix: str = model["continuing_subword_prefix"]
        self.longest_word: int = model["max_input_chars_per_word"]
        self.unk_token_id = self.vocabulary[model["unk_token"]]
        self.pad_token_id = self.vocabulary["[PAD]"]
        self.mask_token_id = self.vocabulary.get("[MASK]")
        self._around = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]

    @staticmethod
    def describes(settings: Mapping[str, Any]) -> bool:
        """Whether a `tokenizer.json` is that of a BERT, with [CLS] and [SEP] around a text and no words added."""
        try:
            kinds = [settings[part]["type"] for part in ("normalizer", "pre_tokenizer", "model")]
            around = [each["id"] for part in settings["post_processor"]["single"] for each in part.values()]
            special = all(token["special"] for token in settings["added_tokens"])
        except (AttributeError, LookupError, TypeError):
            return False
        bert = ["BertNormalizer", "BertPreTokenizer", "WordPiece"]
        return kinds == bert and around == ["[CLS]", "A", "[SEP]"] and special

    def __call__(
        self, texts: Sequence[str], *, add_special_tokens: bool = False, **_others: Any
    ) -> dict[str, list[list[int]]]:
        """The pieces of each text."""
        found = [[piece for word in self._words(text) for piece in self._pieces(word)] for text in texts]
        if add_special_tokens:
            opening, closing = self._around
            found = [[opening, *pieces, closing] for pieces in found]
        return {"input_ids": found}

    def _words(self, text: str) -> Iterator[str]:
        word = ""
        for character in self._normalised(text):
            if character.isspace():
                if word:
                    yield word
                word = ""
            elif _is_punctuation(character):
                if word:
                    yield word
                yield character
                word = ""
            else:
                word += character
        if word:
            yield word

    def _normalised(self, text: str) -> str:
        if self.clean:
            text = "".join(" " if each.isspace() else each for each in text if not _is_control(each))
        if self.split_cjk:
            text = "".join(f" {each} " if _is_cjk(each) else each for each in text)
        if self.strip_accents:
            text = "".join(each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) != "Mn")
        if self.lowercase:
            text = "".join(each.lower() for each in text)  # one by one: a sigma at the end of a word is one as well
        return text

    def _pieces(self, word: str) -> list[int]:
        if len(word) > self.longest_word:
            return [self.unk_token_id]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = self.prefix if start else ""
            for end in range(len(word), start, -1):
                number = self.vocabulary.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self.unk_token_id]
            pieces.append(number)
            start = end
        return pieces


def _is_control(character: str) -> bool:
    if character in "\t\n\r":
        return False
    return character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co")


def _is_cjk(character: str) -> bool:
    return character >= "\u3400" and any(first <= ord(character) <= last for first, last in _CJK)


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
