"""Words as the sub-words of a pretrained model, whatever kind of tokeniser it has.

Each word is tokenised on its own, so that it is always known which sub-words belong to it: fast tokenisers and slow
ones, word pieces, sentence pieces and bytes all work alike. Two things differ between tokenisers, and both are tested
when one is opened: whether a word needs a space before it to be split as in running text, and which special tokens
surround a text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from pointree.errors import ModelError

__all__ = ["SubwordTokenizer"]

_MEMORY = 1 << 16
_LONGEST = 4_096
"""Characters of a word that are read; what follows in a longer one, which is no word of any language, is left out."""
_PROBE = "a"


class SubwordTokenizer:
    """Turns words into the numbers of their sub-words.

    Attributes:
        opening: The special tokens before a text.
        closing: The special tokens after a text.
        padding: The token that fills up short texts.
    """

    def __init__(self, tokenizer: Any, name: str) -> None:
        self.tokenizer = tokenizer
        # A word that looks like a special token, such as [SEP], is a word. Not all tokenisers listen: see `_as_word`.
        tokenizer.split_special_tokens = True
        self._known: dict[str, tuple[int, ...]] = {}
        self._lock = threading.Lock()  # a tokeniser in Rust may not be used by two threads
        self._space = ""
        [alone, spaced, twice] = self._tokenize([_PROBE, f" {_PROBE}", f"{_PROBE} {_PROBE}"])
        if twice != [*alone, *alone] and twice == [*alone, *spaced]:
            self._space = " "
        self.opening, self.closing = self._surroundings(name)
        self.padding = _first_of(tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        # What stands for a word of which the tokeniser leaves nothing, such as a lone control character.
        self._nothing = (_first_of(tokenizer.unk_token_id, tokenizer.mask_token_id, self.padding),)
        self._special = {*self.opening, *self.closing, tokenizer.pad_token_id}

    def __call__(self, forms: Sequence[str]) -> list[tuple[int, ...]]:
        """The sub-words of each word, at least one."""
        found = [self._known.get(form) for form in forms]
        missing = list({form for form, subwords in zip(forms, found, strict=True) if subwords is None})
        if not missing:
            return [subwords for subwords in found if subwords is not None]
        tokenized = self._tokenize([self._space + form[:_LONGEST] for form in missing])
        new = {form: self._as_word(numbers) for form, numbers in zip(missing, tokenized, strict=True)}
        if len(self._known) + len(new) > _MEMORY:
            self._known = {}
        self._known.update(new)
        return [subwords or new[form] for form, subwords in zip(forms, found, strict=True)]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def _as_word(self, numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(numbers) if numbers and self._special.isdisjoint(numbers) else self._nothing

    def _tokenize(self, texts: list[str], *, special: bool = False) -> list[list[int]]:
        with self._lock:
            found = self.tokenizer(
                texts,
                add_special_tokens=special,
                padding=False,
                truncation=False,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
            )
        numbers: list[list[int]] = found["input_ids"]
        return numbers

    def _surroundings(self, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        text = self._space + _PROBE
        [bare], [whole] = self._tokenize([text]), self._tokenize([text], special=True)
        for start in range(len(whole) - len(bare) + 1):
            if bare and whole[start : start + len(bare)] == bare:
                return tuple(whole[:start]), tuple(whole[start + len(bare) :])
        raise ModelError(f"pretrained model {name}: expected a tokeniser that can spell {text!r}, found {whole}")


def _first_of(*numbers: int | None) -> int:
    return next(number for number in numbers if number is not None)
