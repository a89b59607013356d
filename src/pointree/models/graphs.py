"""The graphs in a model folder: written beside the weights, which they do not repeat."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pointree.config import Config
from pointree.errors import ModelError
from pointree.files import atomic_write, make_folder, read_bounded
from pointree.graphs.network import network_graphs, why_no_graph
from pointree.models.folder import read_folder, write_manifest
from pointree.models.layout import GRAPHS, PRETRAINED

if TYPE_CHECKING:
    from pointree.pretrained.bert_settings import BertSettings
    from pointree.pretrained.word_pieces import WordPieces

__all__ = [
    "GRAPH_PRECISIONS",
    "add_graphs",
    "adding",
    "bert_of",
    "has_graphs",
    "named_precision",
    "read_index",
    "reason_without",
    "write_graphs",
]

_INDEX, _FORMAT = "graphs.json", 1
_MAX_BYTES = 1 << 20
GRAPH_PRECISIONS = ("fp32", "int8")
"""The arithmetics that graphs have."""


def has_graphs(folder: Path) -> bool:
    """Whether a model folder has graphs."""
    return (folder / GRAPHS / _INDEX).is_file()


def bert_of(folder: Path, config: Config) -> tuple[BertSettings, WordPieces] | None:
    """The shape and the tokeniser of a BERT that was fine-tuned with the model."""
    pretrained = config.embeddings.pretrained
    if not pretrained.model or not pretrained.fine_tune:
        return None
    from pointree.pretrained.bert_folder import read_bert

    return read_bert(folder / PRETRAINED)


def reason_without(folder: Path, config: Config) -> str | None:
    """Why a model cannot have graphs; None if it can."""
    return why_no_graph(config, has_bert=bert_of(folder, config) is not None)


def write_graphs(folder: Path, precision: str | None = None) -> None:
    """Add graphs to a model folder; one that cannot have any is a `ModelError`.

    ``precision`` is the one in which the model runs if nobody asks for another; None keeps what the folder names.
    """
    model = read_folder(folder)
    if precision is None:
        precision = named_precision(folder) if has_graphs(folder) else "fp32"
    if (reason := reason_without(folder, model.config)) is not None:
        raise ModelError(f"{folder}: the engine onnx cannot run this model: {reason}")
    bert = bert_of(folder, model.config)
    shapes = {name: array.shape for name, array in model.weights.items()}
    columns = list(model.vocabularies.columns.classes)
    found = network_graphs(model.config, shapes, columns, None if bert is None else bert[0])
    target = folder / GRAPHS
    make_folder(target)
    for name, graph in found.items():
        with atomic_write(target / f"{name}.onnx", "b") as stream:
            stream.write(graph.content)
    with atomic_write(target / _INDEX) as stream:
        weights = {name: graph.weights for name, graph in found.items()}
        json.dump({"format": _FORMAT, "precision": precision, "weights": weights}, stream)
        stream.write("\n")
    write_manifest(folder)


def add_graphs(folder: Path, precision: str | None = None) -> bool:
    """Add graphs to a model folder if the model can have any and `onnx` is installed; says whether it did."""
    if importlib.util.find_spec("onnx") is None or reason_without(folder, read_folder(folder).config) is not None:
        return False
    write_graphs(folder, precision)
    return True


def read_index(folder: Path) -> dict[str, dict[str, tuple[int, ...]]]:
    """The graphs of a model folder, and the weights with their shapes that each needs."""
    return _read(folder)[0]


def named_precision(folder: Path) -> str:
    """The precision in which a model with graphs runs if nobody asks for another."""
    return _read(folder)[1]


def _read(folder: Path) -> tuple[dict[str, dict[str, tuple[int, ...]]], str]:
    path = folder / GRAPHS / _INDEX
    try:
        found = json.loads(read_bounded(path, _MAX_BYTES).decode())
        if found["format"] != _FORMAT:
            raise ModelError(f"{path}: expected format {_FORMAT}, found {found['format']!s:.40}; {adding(folder)}")
        precision = found.get("precision", "fp32")
        if precision not in GRAPH_PRECISIONS:
            known = ", ".join(GRAPH_PRECISIONS)
            raise ModelError(f"{path}: precision: expected one of {known}, found {precision!s:.40}")
        weights = {
            graph: {name: tuple(shape) for name, shape in weights.items()}
            for graph, weights in found["weights"].items()
        }
        return weights, precision
    except FileNotFoundError:
        raise ModelError(f"{folder}: the model has no graphs for the engine onnx; {adding(folder)}") from None
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: expected a list of graphs, found a damaged file ({error!s:.80})") from None


def adding(folder: Path) -> str:
    """What to do about a folder without graphs."""
    return f"`pointree package {folder} --engine onnx` adds them"
