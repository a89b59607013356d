"""The language of a model: its profile on disk, and the model among the installed ones that fits a text."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pointree.errors import ModelError
from pointree.files import atomic_write, make_folder, read_bounded
from pointree.models.catalogue import not_installed
from pointree.models.layout import LANGUAGE
from pointree.models.registry import AUTO, available_models
from pointree.text.language import SAMPLE_LETTERS, LanguageProfile, count_letters
from pointree.treebank.sentence import Sentence

__all__ = ["AUTO", "fitting_model", "language_profiles", "other_languages", "read_language", "write_language"]

logger = logging.getLogger("pointree.messages")

_MOST_BYTES = 1 << 22

_PART_LETTERS = 100
"""Letters of neighbouring lines that are looked at apart from the rest of a text."""

_PART_CHARACTERS = 300
"""Characters of a long line that are looked at together."""

_PARTS_CHARACTERS = 1 << 15
"""Characters of a text whose parts are looked at."""

_CLEARLY_FEWER_BITS = 1.0
"""How many bits a letter fewer another language needs for a part that is in it. Of 2,180 such parts of dev sets in six
languages, none needed so many fewer in another one."""


def write_language(folder: Path, sentences: Iterable[Sentence]) -> None:
    """Write the profile of a treebank into a model folder; one without letters has none."""
    profile = LanguageProfile.of(sentence.text for sentence in sentences)
    if profile is not None:
        make_folder(folder)
        with atomic_write(folder / LANGUAGE) as stream:
            stream.write(profile.to_json())


def read_language(folder: Path) -> LanguageProfile | None:
    """The profile of a model; older folders have none."""
    path = folder / LANGUAGE
    try:
        content = read_bounded(path, _MOST_BYTES).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from None
    return LanguageProfile.from_json(content, str(path))


def language_profiles() -> dict[str, LanguageProfile]:
    """The profiles of all models with a name, in the order in which a name is looked for; damaged ones are told."""
    found: dict[str, LanguageProfile] = {}
    seen: set[str] = set()
    for model in available_models():
        if model.name in seen:
            continue
        seen.add(model.name)
        try:
            profile = read_language(model.folder)
        except ModelError as error:
            logger.warning(f"{error}; the model {model.name} is left out")
            continue
        if profile is not None:
            found[model.name] = profile
    return found


def fitting_model(text: str, profiles: Mapping[str, LanguageProfile], name: str) -> str:
    """The model whose language a text is in; a text that is in none of them is a `ModelError`.

    Of models of one language, and for a text without letters, the first is taken. A text of few letters must have the
    script of the language.
    """
    sample = text[:SAMPLE_LETTERS]
    known = ", ".join(profiles)
    if not profiles:
        raise ModelError("model auto: no installed model says what its language is; name a model")
    fitting = _with_script(sample, profiles)
    bits = _bits(sample, fitting)
    best = min(bits, key=lambda model: bits[model], default=next(iter(fitting), None))
    if best is None or fitting[best].is_foreign(sample):
        if by_parts := Counter(_languages_of_parts(text, profiles)):
            return by_parts.most_common(1)[0][0]  # a text of several languages fits none of them as a whole
        raise ModelError(
            f"{name}: model auto: this text is in none of the languages of the installed models: {known}"
            f"{'; `pointree models` says how to install others' if not_installed(profiles) else ''}"
        )
    return best


def _with_script(text: str, profiles: Mapping[str, LanguageProfile]) -> dict[str, LanguageProfile]:
    """The languages that are written in the script of a text; those that have it now and then, if there are no others.

    A language that does not have a script has no counts of its letters, so its bits a letter say nothing.
    """
    usual = {model: profile for model, profile in profiles.items() if profile.has_script(text, usually=True)}
    return usual or {model: found for model, found in profiles.items() if found.has_script(text, usually=False)}


def _bits(text: str, profiles: Mapping[str, LanguageProfile]) -> dict[str, float]:
    return {model: found for model, profile in profiles.items() if (found := profile.bits(text)) is not None}


def other_languages(text: str, profiles: Mapping[str, LanguageProfile], model: str) -> list[str]:
    """The models whose languages parts of a text are in, if these are clearly not in that of its model."""
    return [other for other in dict.fromkeys(_languages_of_parts(text, profiles, model)) if other != model]


def _languages_of_parts(
    text: str, profiles: Mapping[str, LanguageProfile], default: str | None = None
) -> Iterator[str]:
    """The model of each part of a text that is clearly in its language: the default, if the part can be in that."""
    for part in _parts(text[:_PARTS_CHARACTERS]):
        bits = _bits(part, profiles)
        if not bits:
            continue
        best = min(bits, key=lambda model: bits[model])
        is_long = count_letters(part) >= _PART_LETTERS
        fits = profiles[best].fits(part) if is_long else not profiles[best].is_foreign(part)
        if default is None:
            is_other = is_long
        else:
            is_clear = is_long and bits[default] - bits[best] > _CLEARLY_FEWER_BITS
            is_other = is_clear or profiles[default].is_foreign(part)
        if fits and is_other:
            yield best
        elif default is not None and not is_other:
            yield default


def _parts(text: str) -> Iterator[str]:
    """Neighbouring lines with enough letters, pieces of long lines, and what is left."""
    part = ""
    for line in text.splitlines():
        for start in range(0, len(line), _PART_CHARACTERS):
            part += line[start : start + _PART_CHARACTERS] + "\n"
            if count_letters(part) >= _PART_LETTERS or start + _PART_CHARACTERS >= len(line) > _PART_CHARACTERS:
                yield part
                part = ""
    if part:
        yield part
