"""The English model in spaCy, loaded once; without spaCy, the tests skip."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def nlp() -> Any:
    """spaCy's own tokeniser with the component."""
    spacy = pytest.importorskip("spacy")
    import pointree.integrations.spacy  # noqa: F401 - it registers the component

    pipeline = spacy.blank("en")
    pipeline.add_pipe("pointree", config={"model": "en"})
    return pipeline


@pytest.fixture(scope="session")
def raw(nlp: Any) -> Any:
    """The whole pipeline from raw text, which shares the parser of the other one."""
    from pointree.integrations.spacy import load

    pipeline = load("en")
    pipeline.tokenizer.model._parser = nlp.get_pipe("pointree").model.parser
    return pipeline


TEXTS = [
    "John and Mary  play tennis. It rains!\n\n  I don't know,\tdo you?   ",
    "",
    "  \n ",
    "\ufeffa\u200bb cafe\u0301 x\x00y 👩‍👩‍👧 :-) ",
    "One word",
    "See http://example.org/a-b?c=d (e.g. page 3). U.S. troops can't.",
]
"""Double spaces, tabs, line ends, nothing, white space alone, invisible characters, letters to compose, emoji."""
