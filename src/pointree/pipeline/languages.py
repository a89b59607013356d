"""Which model parses which input, and a warning where a text is not in the language of its model."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pointree.errors import UsageError
from pointree.models.language import AUTO, fitting_model, language_profiles, other_languages, read_language
from pointree.models.registry import resolve_model
from pointree.pipeline.inputs import Input
from pointree.text.language import SAMPLE_LETTERS, LanguageProfile
from pointree.treebank.sentence import Sentence

__all__ = ["LanguageWarner", "group_by_model"]

logger = logging.getLogger("pointree.messages")

InputGroup = tuple[tuple[str, ...], Iterator[tuple[int, Input]]]


def group_by_model(inputs: Sequence[Input], models: tuple[str, ...], input_format: str | None) -> Iterator[InputGroup]:
    """Neighbouring inputs that the same models parse, numbered from 1; with ``auto``, each input has the model that
    fits its language.
    """
    numbered = enumerate(inputs, 1)
    if AUTO not in models:
        yield models, iter(numbered)
        return
    if len(models) > 1:
        raise UsageError(f"model {AUTO}: expected no other model beside it, found {len(models)} models")
    profiles = language_profiles()

    def choose() -> Iterator[tuple[str, int, Input]]:
        for number, given in numbered:
            text, whole = given.sampled(input_format)
            name = fitting_model(text, profiles, given.title)
            logger.info(f"{given.title}: parsed with the model {name}")
            if others := other_languages(text, profiles, name):
                logger.warning(
                    f"{given.title}: parts of this text look like {' and '.join(others)}, but all of it is parsed with "
                    f"{name}; give each language as a file of its own"
                )
            elif profiles[name].is_foreign(text[:SAMPLE_LETTERS]):
                logger.warning(
                    f"{given.title}: parts of this text are in none of the languages of the installed models, but all "
                    f"of it is parsed with {name}"
                )
            yield name, number, whole

    for name, group in groupby(choose(), key=lambda choice: choice[0]):
        yield (name,), ((number, whole) for _name, number, whole in group)


class LanguageWarner:
    """Warns once if a text is clearly not in the language of the model that parses it."""

    def __init__(self) -> None:
        self._has_warned = False
        self._profiles: dict[str, LanguageProfile | None] = {}

    def watch(self, sentences: Iterable[Sentence], models: tuple[str, ...]) -> Iterator[Sentence]:
        """Pass sentences on, and look at the first ones of every document."""
        text: list[str] = []
        size = 0
        for sentence in sentences:
            if size and sentence.meta("newdoc id") is not None:
                self._judge(" ".join(text), models)
                text, size = [], 0
            if size < SAMPLE_LETTERS:
                text.append(sentence.text)
                size += len(text[-1])
                if size >= SAMPLE_LETTERS:
                    self._judge(" ".join(text), models)
            yield sentence
        if size < SAMPLE_LETTERS:
            self._judge(" ".join(text), models)

    def _judge(self, text: str, models: tuple[str, ...]) -> None:
        if self._has_warned:
            return
        for model in models:
            if model not in self._profiles:
                self._profiles[model] = read_language(resolve_model(model))
        profiles = [profile for model in models if (profile := self._profiles[model]) is not None]
        if profiles and all(profile.is_foreign(text) for profile in profiles):
            self._has_warned = True
            start, names = " ".join(text.split())[:40], " + ".join(models)
            logger.warning(
                f"“{start}…” does not look like the language of the model {names}; expect wrong trees "
                "(`pointree models` lists others, the model auto chooses among them)"
            )
