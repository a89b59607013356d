"""The language of a model: its profile on disk, and the model among the installed ones that fits a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pointree.errors import ModelError
from pointree.files import atomic_write, make_folder, read_bounded
from pointree.models.catalogue import not_installed
from pointree.models.layout import LANGUAGE
from pointree.models.registry import available_models
from pointree.text.language import ENOUGH_LETTERS, SAMPLE_LETTERS, LanguageProfile
from pointree.treebank.sentence import Sentence

__all__ = ["AUTO", "fitting_model", "language_profiles", "other_languages", "read_language", "write_language"]

AUTO = "auto"
"""The name that asks for the model that fits each text."""

_MOST_BYTES = 1 << 22


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
    """The profiles of all models with a name, in the order in which a name is looked for."""
    found: dict[str, LanguageProfile] = {}
    for model in available_models():
        if model.name not in found and (profile := read_language(model.folder)) is not None:
            found[model.name] = profile
    return found


def fitting_model(text: str, profiles: dict[str, LanguageProfile], name: str) -> str:
    """The model whose language a text is in; a text that is in none of them is a `ModelError`.

    Of models of one language, and for a text without letters, the first is taken.
    """
    sample = text[:SAMPLE_LETTERS]
    known = ", ".join(profiles)
    if not profiles:
        raise ModelError("model auto: no installed model says what its language is; name a model")
    bits = {model: found for model, profile in profiles.items() if (found := profile.bits(sample)) is not None}
    best = min(bits, key=lambda model: bits[model], default=next(iter(profiles)))
    if profiles[best].is_foreign(sample):
        if by_parts := Counter(_languages_of_parts(text, profiles)):
            return by_parts.most_common(1)[0][0]  # a text of several languages fits none of them as a whole
        raise ModelError(
            f"{name}: model auto: this text is in none of the languages of the installed models: {known}"
            f"{'; `pointree models` says how to install others' if not_installed(profiles) else ''}"
        )
    return best


def other_languages(text: str, profiles: Mapping[str, LanguageProfile], model: str) -> list[str]:
    """The models whose languages parts of a text are in, if these are clearly not in that of its model."""
    return [other for other in dict.fromkeys(_languages_of_parts(text, profiles, model)) if other != model]


def _languages_of_parts(
    text: str, profiles: Mapping[str, LanguageProfile], default: str | None = None
) -> Iterator[str]:
    """The model of each part of a text that is clearly in its language: the default, if the part can be in that.

    Parts are neighbouring lines with enough letters to tell.
    """
    for part in _parts(text):
        bits = {model: found for model, profile in profiles.items() if (found := profile.bits(part)) is not None}
        best = min(bits, key=lambda model: bits[model], default=None)
        if default is not None and not profiles[default].is_foreign(part):
            yield default
        elif best is not None and not profiles[best].is_foreign(part):
            yield best


def _parts(text: str) -> Iterator[str]:
    part = ""
    for line in text.splitlines():
        part += line + "\n"
        if len(part) >= 2 * ENOUGH_LETTERS:
            yield part[:SAMPLE_LETTERS]
            part = ""
