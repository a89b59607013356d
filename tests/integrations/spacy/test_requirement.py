"""A spaCy that is missing or too old is one clear line."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from pointree.errors import MissingExtraError, UsageError
from pointree.integrations.spacy.requirement import require_spacy


def test_spacy_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError) as caught:
        require_spacy()
    assert str(caught.value) == ("the component for spaCy needs an optional dependency: pip install 'pointree[spacy]'")


@pytest.mark.parametrize("version", ["2.3.9", "3.7.5", "3.0.0rc1"])
def test_spacy_is_too_old(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ModuleType("spacy")
    old.__version__ = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", old)
    with pytest.raises(UsageError) as caught:
        require_spacy()
    assert str(caught.value) == (
        f"spaCy: expected version 3.8 or later, found {version}: pip install 'pointree[spacy]'"
    )


def test_a_spacy_that_is_too_old_keeps_its_other_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """spaCy imports the component with every pipeline, so only the use of the component may fail."""
    spacy = pytest.importorskip("spacy")
    monkeypatch.setattr(spacy, "__version__", "3.7.5")
    importlib.reload(importlib.import_module("pointree.integrations.spacy"))
    pipeline = spacy.blank("en")
    with pytest.raises(UsageError, match=r"expected version 3\.8 or later, found 3\.7\.5"):
        pipeline.add_pipe("pointree")
    with pytest.raises(UsageError, match=r"expected version 3\.8 or later, found 3\.7\.5"):
        importlib.import_module("pointree.integrations.spacy").load("en")


def test_an_old_spacy_can_read_what_it_calls() -> None:
    """spaCy 3.7 reads annotations that are types, and failed with a riddle on names of types."""
    spacy = pytest.importorskip("spacy")
    from pointree.integrations.spacy.component import make_component
    from pointree.integrations.spacy.tokenizer import create_tokenizer

    assert make_component.__annotations__["nlp"] is spacy.Language
    assert not [hint for hint in create_tokenizer.__annotations__.values() if isinstance(hint, str)]
