"""The graph of a fine-tuned BERT: embedded sub-words in, vectors of the kept ones out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointree.graphs.builder import Graph, GraphBuilder
from pointree.pretrained.bert_settings import BertSettings

__all__ = ["BERT_PREFIX", "bert_graph"]

BERT_PREFIX = "embeddings.pretrained.model.model."
"""What the names of a fine-tuned BERT's weights start with."""

_FAR = -1e9
"""Added to the attention that padding gets."""


def bert_graph(
    settings: BertSettings, shapes: Mapping[str, Sequence[int]], layers: Sequence[int], *, mixed: bool
) -> Graph:
    """See `Bert` and `PretrainedModel`.

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
    for layer in range(max(layers)):
        states.append(_layer(graph, settings, f"{BERT_PREFIX}encoder.layer.{layer}", states[-1], far))
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


def _layer(graph: GraphBuilder, settings: BertSettings, name: str, states: str, far: str) -> str:
    heads, size = settings.num_attention_heads, settings.hidden_size // settings.num_attention_heads

    def read(part: str, order: Sequence[int]) -> str:
        found = graph.reshape(_dense(graph, f"{name}.attention.self.{part}", states), 0, 0, heads, size)
        return graph.op("Transpose", found, perm=list(order))

    query, key, value = read("query", (0, 2, 1, 3)), read("key", (0, 2, 3, 1)), read("value", (0, 2, 1, 3))
    scores = graph.op("Div", graph.op("MatMul", query, key), graph.constant(size**0.5, "float32"))
    weights = graph.op("Softmax", graph.op("Add", scores, far), axis=-1)
    found = graph.op("Transpose", graph.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    found = graph.reshape(found, 0, 0, settings.hidden_size)
    attended = _output(graph, settings, f"{name}.attention.output", found, states)
    inner = _gelu(graph, _dense(graph, f"{name}.intermediate.dense", attended))
    return _output(graph, settings, f"{name}.output", inner, attended)


def _output(graph: GraphBuilder, settings: BertSettings, name: str, features: str, before: str) -> str:
    summed = graph.op("Add", _dense(graph, f"{name}.dense", features), before)
    return _normed(graph, settings, f"{name}.LayerNorm", summed)


def _dense(graph: GraphBuilder, name: str, value: str) -> str:
    """A linear layer of torch, whose weights are ``(outputs, inputs)``; the engine turns them round."""
    outputs, inputs = graph.shapes[f"{name}.weight"]
    product = graph.op("MatMul", value, graph.weight(f"{name}.weight.onnx", (inputs, outputs)))
    return graph.op("Add", product, graph.weight(f"{name}.bias"))


def _normed(graph: GraphBuilder, settings: BertSettings, name: str, value: str) -> str:
    scale, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.op("LayerNormalization", value, scale, bias, epsilon=settings.layer_norm_eps)


def _gelu(graph: GraphBuilder, value: str) -> str:
    """``x (1 + erf(x / √2)) / 2``."""
    inner = graph.op("Erf", graph.op("Div", value, graph.constant(2.0**0.5, "float32")))
    raised = graph.op("Add", inner, graph.constant(1.0, "float32"))
    return graph.op("Mul", graph.op("Mul", value, raised), graph.constant(0.5, "float32"))
