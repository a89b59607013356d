"""Opening graphs with onnxruntime; whatever keeps one from running is an error of one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pointree.engines.onnx_weights import graph_weight
from pointree.errors import ModelError
from pointree.running.threads import thread_count

__all__ = ["OLDEST", "open_session"]

OLDEST = (1, 19)
"""The oldest onnxruntime that graphs are tested with."""


def open_session(path: Path, weights: Mapping[str, tuple[int, ...]], stored: Mapping[str, np.ndarray]) -> Any:
    """A session that runs a graph with the weights of a model; its threads are those of the process.

    ``weights`` are the names and shapes of those that the graph needs, ``stored`` all that the model has.
    """
    runtime = _runtime()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{path}: missing from the model folder") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong comes back as an error
    threads = thread_count()
    if threads is not None:
        options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        arrays = {name: graph_weight(stored, name) for name in weights}
        _check_shapes(path, weights, arrays)
        values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
        options.add_external_initializers(list(arrays), values)
        return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except KeyError as error:
        raise ModelError(f"{path}: the graph does not fit the weights: {error.args[0]} is missing") from None
    except ModelError:
        raise
    except Exception as error:  # onnxruntime names no base class
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"{path}: expected a graph for onnxruntime {runtime.__version__}: {first:.200}") from None


def _check_shapes(path: Path, weights: Mapping[str, tuple[int, ...]], arrays: Mapping[str, np.ndarray]) -> None:
    for name, shape in weights.items():
        if arrays[name].shape != shape:
            problem = f"{name} has shape {arrays[name].shape}, expected {shape}"
            raise ModelError(f"{path}: the graph does not fit the weights: {problem}")


def _runtime() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise ModelError("the engine onnx needs onnxruntime; pip install onnxruntime") from None
    found = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    if found < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ModelError(
            f"the engine onnx needs onnxruntime {oldest} or later, found {onnxruntime.__version__}; "
            f'pip install "onnxruntime>={oldest}"'
        )
    return onnxruntime
