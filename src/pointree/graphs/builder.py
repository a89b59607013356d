"""A graph in the making: operations add nodes and return the names of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pointree.errors import MissingExtraError

__all__ = ["IR_VERSION", "OPSET", "Graph", "GraphBuilder", "import_onnx"]

OPSET, IR_VERSION = 17, 8
"""What graphs are written for: every onnxruntime since 1.14 runs them."""


_OF_ONNXRUNTIME, _DOMAIN = frozenset({"QGemm"}), "com.microsoft"
"""Operations that ONNX does not define, but every onnxruntime does."""


def import_onnx() -> Any:
    """The package `onnx`, or the extra that has it."""
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("writing the graphs of a model", "train") from None
    return onnx


@dataclass(frozen=True, slots=True)
class Graph:
    """A finished graph: the bytes of its file, and the shapes of the weights that it needs."""

    content: bytes
    weights: dict[str, tuple[int, ...]]


class GraphBuilder:
    """Collects the nodes of one graph; ``shapes`` are those of the weights, by name."""

    def __init__(self, shapes: Mapping[str, Sequence[int]]) -> None:
        self._onnx = import_onnx()
        self.shapes = shapes
        self._nodes: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._initializers: dict[str, Any] = {}
        self._weights: dict[str, tuple[int, ...]] = {}
        self._count, self._bodies, self._prefix = 0, 0, ""

    def input(self, name: str, kind: str, shape: Sequence[int | str]) -> str:
        """An input of a kind: float, int, int32 or uint8."""
        self._inputs.append(self._onnx.helper.make_tensor_value_info(name, self._type(kind), list(shape)))
        return name

    def _type(self, kind: str) -> int:
        proto = self._onnx.TensorProto
        types = {"float": proto.FLOAT, "int": proto.INT64, "int32": proto.INT32, "int8": proto.INT8}
        return int({**types, "uint8": proto.UINT8}[kind])

    def output(self, name: str, value: str) -> None:
        """Give a value out under a name."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        self.collected(name)

    def collected(self, value: str, kind: str = "float") -> None:
        """Give a value out under its own name, as the body of a `scan` does: an ``Identity`` would copy it."""
        self._outputs.append(self._onnx.helper.make_tensor_value_info(value, self._type(kind), None))

    def weight(self, name: str, shape: Sequence[int] | None = None, kind: str = "float") -> str:
        """A weight that the engine fills in; ``shape`` is needed where it is not stored under this name."""
        if name not in self._initializers:
            self._weights[name] = tuple(self.shapes[name] if shape is None else shape)
            tensor = self._onnx.TensorProto(
                name=name,
                data_type=self._type(kind),
                dims=self._weights[name],
                data_location=self._onnx.TensorProto.EXTERNAL,
            )
            tensor.external_data.add(key="location", value="weights")
            self._initializers[name] = tensor
        return name

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """A number or a few, written into the graph."""
        array = np.asarray(value, dtype=dtype)
        return self._written(f"constant {array.dtype} {array.tolist()}", array)

    def zeros(self, count: int, dtype: Any) -> str:
        """A row of zeros, written into the graph."""
        return self._written(f"zeros {np.dtype(dtype)} {count}", np.zeros(count, dtype=dtype))

    def _written(self, name: str, array: np.ndarray) -> str:
        if name not in self._initializers:
            self._initializers[name] = self._onnx.numpy_helper.from_array(array, name)
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The result of an operation that has one."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, n_outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """The results of an operation that has several."""
        self._count += 1
        names = [f"{self._prefix}{kind} {self._count}.{number}" for number in range(n_outputs)]
        if kind in _OF_ONNXRUNTIME:
            attributes["domain"] = _DOMAIN
        self._nodes.append(self._onnx.helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def scan(self, body: GraphBuilder, states: Sequence[str], inputs: Sequence[str], *, backward: bool) -> list[str]:
        """Run a graph once for each step of ``inputs``; returns the last states and, of all steps, further outputs.

        ``body`` comes from `body`. Its inputs are the states and one step of each input, its outputs the new states
        and what is collected.
        """
        directions = [int(backward)]
        return self.ops(
            "Scan",
            len(body._outputs),
            *states,
            *inputs,
            body=self._onnx.helper.make_graph(body._nodes, "body", body._inputs, body._outputs),
            num_scan_inputs=len(inputs),
            scan_input_directions=directions * len(inputs),
            scan_output_directions=directions * (len(body._outputs) - len(states)),
        )

    def body(self) -> GraphBuilder:
        """A graph inside of this one, which shares weights and constants with it."""
        inner = GraphBuilder(self.shapes)
        inner._initializers, inner._weights = self._initializers, self._weights
        self._bodies += 1
        inner._prefix = f"{self._prefix}{self._bodies} "
        return inner

    def split(self, value: str, sizes: Sequence[int], axis: int) -> list[str]:
        """Parts of these sizes."""
        return self.ops("Split", len(sizes), value, self.constant(list(sizes)), axis=axis)

    def reshape(self, value: str, *shape: int) -> str:
        """Another shape; 0 keeps a dimension, -1 is what is left."""
        return self.op("Reshape", value, self.constant(list(shape)))

    def linear(self, value: str, name: str) -> str:
        """``x W + b`` of a `Projection`."""
        return self.op("Gemm", value, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))

    def mlp(self, value: str, name: str) -> str:
        """``ELU(x W + b)`` of an `Mlp`."""
        return self.op("Elu", self.linear(value, f"{name}.projection"))

    def finished(self) -> Graph:
        """The graph as it is written."""
        helper = self._onnx.helper
        initializers = [self._initializers[name] for name in sorted(self._initializers)]
        graph = helper.make_graph(self._nodes, "pointree", self._inputs, self._outputs, initializers)
        versions = [helper.make_opsetid("", OPSET)]
        if any(node.op_type in _OF_ONNXRUNTIME for node in self._nodes):
            versions.append(helper.make_opsetid(_DOMAIN, 1))
        model = helper.make_model(graph, opset_imports=versions, ir_version=IR_VERSION)
        return Graph(model.SerializeToString(deterministic=True), self._weights)
