"""pointree in spaCy: a component for any pipeline, and a whole pipeline from raw text.

>>> nlp = spacy.blank("en")
>>> nlp.add_pipe("pointree", config={"model": "en"})

>>> nlp = pointree.integrations.spacy.load("en")
"""

from __future__ import annotations

from pointree.integrations.spacy.requirement import find_spacy

# spaCy imports this package with every pipeline, so a version that is too old is refused when the component is made.
find_spacy()

from pointree.integrations.spacy.component import PointreeComponent  # noqa: E402
from pointree.integrations.spacy.doc_parse import DocParse, register_extensions  # noqa: E402
from pointree.integrations.spacy.pipeline import load  # noqa: E402
from pointree.integrations.spacy.tokenizer import PointreeTokenizer  # noqa: E402

register_extensions()

__all__ = ["DocParse", "PointreeComponent", "PointreeTokenizer", "load"]
