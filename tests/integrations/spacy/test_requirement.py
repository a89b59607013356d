"""A spaCy that is missing or too old is one clear line."""

from __future__ import annotations

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
