"""The version of spaCy that the integration needs."""

from __future__ import annotations

import re

from pointree.errors import MissingExtraError, UsageError

__all__ = ["require_spacy"]

_OLDEST = (3, 8)


def require_spacy() -> None:
    """Refuse a spaCy that is missing or too old, in one line that says what to install."""
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("the component for spaCy", "spacy") from None
    found = tuple(map(int, re.findall(r"\d+", spacy.__version__)[:2]))
    if found < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        problem = f"spaCy: expected version {oldest} or later, found {spacy.__version__}"
        raise UsageError(f"{problem}: pip install 'pointree[spacy]'")
