"""Opening graphs with onnxruntime; whatever keeps one from running is an error of one line."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np

from pointree.engines.onnx_weights import graph_weights
from pointree.errors import ModelError
from pointree.files import read_bounded, reading_part
from pointree.running.threads import thread_count

__all__ = ["OLDEST", "Session", "open_session"]

_MAX_BYTES = 1 << 24
"""Bytes of a graph, which has no weights: those of a large network take some 100 KB."""

_ENDLESS = b"Loop"
"""An operation that may never end, which no graph of ours has; the others end with their input."""

OLDEST = (1, 19)
"""The oldest onnxruntime that graphs are tested with."""


class Session:
    """A graph that runs, also in a process that was forked from the one that opened it.

    A fork has none of the threads of onnxruntime and would wait for them for ever. So it opens the graph again when it
    runs it for the first time.

    Args:
        name: What messages call the graph.
        open_graph: Opens the graph with as many threads as this process should use.
    """

    def __init__(self, name: str, open_graph: Callable[[], Any]) -> None:
        self._name = name
        self._open_graph = open_graph
        self._opened: Any = open_graph()
        self.inputs: list[str] = [given.name for given in self._opened.get_inputs()]
        self.outputs: list[str] = [output.name for output in self._opened.get_outputs()]
        _sessions.add(self)

    def run(self, outputs: Sequence[str], feed: Mapping[str, Any]) -> list[Any]:
        """The values of these outputs; a graph that cannot compute them is a `ModelError`."""
        opened = self._opened
        if opened is None:  # no lock, which could have been held at the fork: at worst, two threads open the graph
            opened = self._opened = self._open_graph()
        try:
            found: list[Any] = opened.run(outputs, feed)
        except Exception as error:  # onnxruntime names no base class
            raise ModelError(f"{self._name}: the graph fails: {_first_line(error)}") from error
        return found

    def require(self, outputs: Iterable[str]) -> Session:
        """This session; one whose graph lacks an output is a `ModelError`."""
        if missing := sorted(set(outputs).difference(self.outputs)):
            raise ModelError(f"{self._name}: expected a graph with the output {missing[0]}, found none")
        return self

    def abandon(self) -> None:
        """Leave the graph as it was opened by another process alone."""
        if self._opened is not None:
            # Even the end of a session waits for its threads, so it must never end.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._opened))
            self._opened = None


_sessions: WeakSet[Session] = WeakSet()


def _abandon_all() -> None:
    for session in list(_sessions):
        session.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_all)


def open_session(path: Path, weights: Mapping[str, tuple[int, ...]], stored: Mapping[str, np.ndarray]) -> Session:
    """A session that runs a graph with the weights of a model; its threads are those of the process.

    ``weights`` are the names and shapes of those that the graph needs, ``stored`` all that the model has.
    """
    runtime = _runtime()
    with reading_part(path):
        content = read_bounded(path, _MAX_BYTES)
    if _ENDLESS in content:
        raise ModelError(f"{path}: expected a graph without loops, found one with {_ENDLESS.decode()}")
    return Session(str(path), partial(_open, runtime, path, content, weights, stored))


def _open(
    runtime: Any,
    path: Path,
    content: bytes,
    weights: Mapping[str, tuple[int, ...]],
    stored: Mapping[str, np.ndarray],
) -> Any:
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong comes back as an error
    threads = thread_count()
    if threads is not None:
        options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena holds more than it gives: 22 MB of a long file, for no time that can be measured.
    options.enable_cpu_mem_arena = False
    # Plans of memory, one for each shape of a batch, want blocks that a heap in use for long no longer has: 20 MB.
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        arrays = graph_weights(stored, weights)
        _check_shapes(path, weights, arrays)
        values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
        options.add_external_initializers(list(arrays), values)
        return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except KeyError as error:
        raise ModelError(f"{path}: the graph does not fit the weights: {error.args[0]} is missing") from None
    except ModelError:
        raise
    except Exception as error:  # onnxruntime names no base class
        expected = f"expected a graph for onnxruntime {runtime.__version__}"
        raise ModelError(f"{path}: {expected}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"{first:.200}"


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
