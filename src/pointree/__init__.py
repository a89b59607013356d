"""Parse sentences into dependency trees with hierarchical pointer networks.

    >>> import pointree
    >>> parser = pointree.load("path/to/model")
    >>> [tree] = parser.parse([["John", "and", "Mary", "play", "tennis"]])

Names are imported at their first use, so that `import pointree` and `pointree --help` do not wait for torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pointree import rendering  # noqa: F401 - it lets sentences draw themselves
from pointree.errors import MissingExtraError, PointreeError
from pointree.version import __version__

if TYPE_CHECKING:
    from pointree.analysis.run import analyse
    from pointree.analysis.statistics import treebank_statistics
    from pointree.bench.run import run_bench
    from pointree.bulk.run import parse_on_cluster
    from pointree.config import Config
    from pointree.ensemble import Ensemble, load_ensemble
    from pointree.evaluation import evaluate
    from pointree.experiments.compare import compare_experiment
    from pointree.experiments.experiment import report_experiment, run_experiment
    from pointree.models.compact import compact_pretrained
    from pointree.models.package import package
    from pointree.models.push import push
    from pointree.models.shrink import shrink_model
    from pointree.models.summary import list_models
    from pointree.options import ParseOptions
    from pointree.parser import Parser, load
    from pointree.pipeline import parse_files
    from pointree.release.run import release_models
    from pointree.training.calibration import calibrate
    from pointree.training.run import train
    from pointree.treebank.export import to_pandas
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
    "calibrate",
    "compact_pretrained",
    "compare_experiment",
    "evaluate",
    "list_models",
    "load",
    "load_ensemble",
    "package",
    "parse_files",
    "parse_on_cluster",
    "push",
    "release_models",
    "report_experiment",
    "run_bench",
    "run_experiment",
    "shrink_model",
    "to_pandas",
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
    "calibrate": "pointree.training.calibration",
    "compact_pretrained": "pointree.models.compact",
    "compare_experiment": "pointree.experiments.compare",
    "evaluate": "pointree.evaluation",
    "list_models": "pointree.models.summary",
    "load": "pointree.parser",
    "load_ensemble": "pointree.ensemble",
    "package": "pointree.models.package",
    "parse_files": "pointree.pipeline",
    "parse_on_cluster": "pointree.bulk.run",
    "push": "pointree.models.push",
    "release_models": "pointree.release.run",
    "report_experiment": "pointree.experiments.experiment",
    "run_bench": "pointree.bench.run",
    "run_experiment": "pointree.experiments.experiment",
    "shrink_model": "pointree.models.shrink",
    "to_pandas": "pointree.treebank.export",
    "train": "pointree.training.run",
    "treebank_statistics": "pointree.analysis.statistics",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pointree' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(f"pointree.{name}", "train") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
