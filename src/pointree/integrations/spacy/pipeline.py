"""A whole pipeline from raw text: pointree's segmenter as the tokeniser, and its parser."""

from __future__ import annotations

import os
from typing import Any

import spacy
from spacy.language import Language

from pointree.integrations.spacy.requirement import require_spacy
from pointree.models.hub_card import model_language
from pointree.models.registry import resolve_model

__all__ = ["load"]

_ANY_LANGUAGE = "xx"


def load(model: str | os.PathLike[str] = "en", *, language: str | None = None, **config: Any) -> Language:
    """Make a spaCy pipeline that reads raw text with a pointree model.

        >>> nlp = pointree.integrations.spacy.load("en", n_best=3)
        >>> [(token.text, token.dep_, token.head.text) for token in nlp("It rains.")]

    Args:
        model: The name, folder or Hub id of a model that reads raw text.
        language: The language of the pipeline; by default the one that the card of the model names.
        config: Settings of the component, such as ``beam`` and ``n_best``.
    """
    require_spacy()
    name = os.fspath(model)
    code = language or model_language(resolve_model(model)) or _ANY_LANGUAGE
    how: dict[str, Any] = {key: config.pop(key) for key in ("device", "precision", "engine") if key in config}
    tokenizer = {"@tokenizers": "pointree.Tokenizer.v1", "model": name, **how}
    # spaCy has no tokeniser for some languages, and needs more packages for others: it is never asked for one.
    nlp = spacy.blank(_known(code), config={"nlp": {"tokenizer": tokenizer}})
    nlp.tokenizer.model.parser.require_segmenter()
    nlp.add_pipe("pointree", config={"model": None, "check_language": False, **config})
    return nlp


def _known(code: str) -> str:
    """The code of the language, or of any language where spaCy does not know it."""
    try:
        spacy.util.get_lang_class(code)
    except ImportError:
        return _ANY_LANGUAGE
    return code
