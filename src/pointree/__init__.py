"""Sentences to dependency trees with bottom-up hierarchical pointer networks.

    >>> import pointree
    >>> parser = pointree.load("path/to/model")
    >>> [tree] = parser.parse([["John", "and", "Mary", "play", "tennis"]])

Names are imported at their first use, so that `import pointree` and `pointree --help` do not wait for torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pointree.errors import PointreeError
from pointree.version import __version__

if TYPE_CHECKING:
    from pointree.analysis.run import analyse
    from pointree.analysis.statistics import treebank_statistics
    from pointree.config import Config
    from pointree.ensemble import Ensemble, load_ensemble
    from pointree.evaluation import evaluate
    from pointree.options import ParseOptions
    from pointree.parser import Parser, load
    from pointree.pipeline import parse_files
    from pointree.training.run import train
    from pointree.treebank.sentence import Sentence, Token

__all__ = [
    "Config",
    "Ensemble",
    "ParseOptions",
    "Parser",
    "PointreeError",
    "Sentence",
    "Token",
    "__version__",
    "analyse",
    "evaluate",
    "load",
    "load_ensemble",
    "parse_files",
    "train",
    "treebank_statistics",
]

_HOMES = {
    "Config": "pointree.config",
    "Ensemble": "pointree.ensemble",
    "ParseOptions": "pointree.options",
    "Parser": "pointree.parser",
    "Sentence": "pointree.treebank.sentence",
    "Token": "pointree.treebank.sentence",
    "analyse": "pointree.analysis.run",
    "evaluate": "pointree.evaluation",
    "load": "pointree.parser",
    "load_ensemble": "pointree.ensemble",
    "parse_files": "pointree.pipeline",
    "treebank_statistics": "pointree.analysis.statistics",
    "train": "pointree.training.run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pointree' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
