"""The graph of a fine-tuned BERT: embedded sub-words in, vectors of the kept ones out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointree.graphs.builder import Graph, GraphBuilder
from pointree.graphs.integers import Codes, integer_product, rounded_rows
from pointree.pretrained.bert_settings import BertSettings

__all__ = ["BERT_PREFIX", "bert_graph"]

BERT_PREFIX = "embeddings.pretrained.model.model."
"""What the names of a fine-tuned BERT's weights start with."""

_FAR = -1e9
"""Added to the attention that padding gets."""

_LEAST_GELU = -0.17
"""A little below the smallest value of GELU."""


def bert_graph(
    settings: BertSettings,
    shapes: Mapping[str, Sequence[int]],
    layers: Sequence[int],
    *,
    mixed: bool,
    integers: bool = False,
) -> Graph:
    """See `Bert` and `PretrainedModel`; with ``integers``, products with weights are those of 8-bit numbers.

    Inputs: ``pieces``, the rows of the table of sub-words, ``(n_windows, n_tokens, width)``; ``mask``, 1 where there
    is a token, ``(n_windows, n_tokens)``; ``kept`` ``(n_kept,)``. Output: ``vectors`` ``(n_kept, n_vectors, width)``,
    one of each chosen layer, or with ``mixed`` their mean.
    """
    graph, size = GraphBuilder(shapes), settings.hidden_size
    pieces = graph.input("pieces", "float", ["n_windows", "n_tokens", size])
    mask = graph.input("mask", "float", ["n_windows", "n_tokens"])
    kept = graph.input("kept", "int", ["n_kept"])
    far = graph.op("Mul", graph.op("Sub", mask, graph.constant(1.0, "float32")), graph.constant(-_FAR, "float32"))
    far = graph.op("Unsqueeze", far, graph.constant([1, 2]))
    states = [_embedded(graph, settings, pieces)]
    dense = _IntegerDense(graph, pieces) if integers else _Dense(graph)
    for layer in range(max(layers)):
        states.append(_layer(graph, settings, f"{BERT_PREFIX}encoder.layer.{layer}", states[-1], far, dense))
    chosen = [
        graph.op("Unsqueeze", graph.op("Gather", graph.reshape(states[layer], -1, size), kept), graph.constant([1]))
        for layer in layers
    ]
    vectors = graph.op("Concat", *chosen, axis=1)
    graph.output("vectors", graph.op("ReduceMean", vectors, axes=[1], keepdims=1) if mixed else vectors)
    return graph.finished()


def _embedded(graph: GraphBuilder, settings: BertSettings, pieces: str) -> str:
    name = f"{BERT_PREFIX}embeddings"
    n_tokens = graph.op("Slice", graph.op("Shape", pieces), graph.constant([1]), graph.constant([2]))
    start, axis = graph.constant([0]), graph.constant([0])
    positions = graph.op("Slice", graph.weight(f"{name}.position_embeddings.weight"), start, n_tokens, axis)
    kind = graph.op("Gather", graph.weight(f"{name}.token_type_embeddings.weight"), graph.constant(0))
    summed = graph.op("Add", graph.op("Add", pieces, kind), positions)
    return _normed(graph, settings, f"{name}.LayerNorm", summed)


class _Dense:
    """Linear layers of torch, whose weights are ``(outputs, inputs)``; the engine turns them round."""

    def __init__(self, graph: GraphBuilder) -> None:
        self.graph = graph

    def __call__(self, name: str, value: str, lowest: float | None = None) -> str:
        """*Shape:* ``(n_windows, n_tokens, inputs)`` to ``(…, outputs)``; no value is below ``lowest``."""
        outputs, inputs = self.graph.shapes[f"{name}.weight"]
        product = self.graph.op("MatMul", value, self.graph.weight(f"{name}.weight.onnx", (inputs, outputs)))
        return self.graph.op("Add", product, self.graph.weight(f"{name}.bias"))


class _IntegerDense(_Dense):
    """The same with 8-bit numbers; a value that several layers read is rounded once."""

    def __init__(self, graph: GraphBuilder, like: str) -> None:
        super().__init__(graph)
        outer = graph.op("Slice", graph.op("Shape", like), graph.constant([0]), graph.constant([2]))
        self._shape = graph.op("Concat", outer, graph.constant([-1]), axis=0)
        self._rounded: dict[str, tuple[Codes, str]] = {}

    def __call__(self, name: str, value: str, lowest: float | None = None) -> str:
        graph = self.graph
        if value not in self._rounded:
            rows = graph.reshape(value, -1, graph.shapes[f"{name}.weight"][1])
            codes, steps = rounded_rows(graph, rows, lowest)
            self._rounded[value] = codes, graph.op("Reshape", steps, self._shape)
        codes, steps = self._rounded[value]
        product = graph.op("Reshape", integer_product(graph, codes, f"{name}.weight"), self._shape)
        return graph.op("Add", graph.op("Mul", product, steps), graph.weight(f"{name}.bias"))


def _layer(graph: GraphBuilder, settings: BertSettings, name: str, states: str, far: str, dense: _Dense) -> str:
    heads, size = settings.num_attention_heads, settings.hidden_size // settings.num_attention_heads

    def read(part: str, order: Sequence[int]) -> str:
        found = graph.reshape(dense(f"{name}.attention.self.{part}", states), 0, 0, heads, size)
        return graph.op("Transpose", found, perm=list(order))

    query, key, value = read("query", (0, 2, 1, 3)), read("key", (0, 2, 3, 1)), read("value", (0, 2, 1, 3))
    scores = graph.op("Div", graph.op("MatMul", query, key), graph.constant(size**0.5, "float32"))
    weights = graph.op("Softmax", graph.op("Add", scores, far), axis=-1)
    found = graph.op("Transpose", graph.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    found = graph.reshape(found, 0, 0, settings.hidden_size)
    attended = dense(f"{name}.attention.output.dense", found)
    attended = _normed(graph, settings, f"{name}.attention.output.LayerNorm", graph.op("Add", attended, states))
    inner = _gelu(graph, dense(f"{name}.intermediate.dense", attended))
    outer = dense(f"{name}.output.dense", inner, _LEAST_GELU)
    return _normed(graph, settings, f"{name}.output.LayerNorm", graph.op("Add", outer, attended))


def _normed(graph: GraphBuilder, settings: BertSettings, name: str, value: str) -> str:
    scale, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.op("LayerNormalization", value, scale, bias, epsilon=settings.layer_norm_eps)


def _gelu(graph: GraphBuilder, value: str) -> str:
    """``x (1 + erf(x / √2)) / 2``."""
    inner = graph.op("Erf", graph.op("Div", value, graph.constant(2.0**0.5, "float32")))
    raised = graph.op("Add", inner, graph.constant(1.0, "float32"))
    return graph.op("Mul", graph.op("Mul", value, raised), graph.constant(0.5, "float32"))
