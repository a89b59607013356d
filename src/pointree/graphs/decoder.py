"""The graphs of a decoder step and of the labels of arcs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointree.config import Config
from pointree.graphs.builder import Graph, GraphBuilder
from pointree.graphs.products import Products
from pointree.transitions import TransitionSystem

__all__ = ["decoder_name", "label_graph", "step_graph"]


def decoder_name(config: Config, order: str) -> str:
    """What the names of a decoder's weights start with; see `PointerNetwork`."""
    return "decoder" if len(config.decoder.orders) == 1 else f"decoders.{order}"


def step_graph(config: Config, shapes: Mapping[str, Sequence[int]], order: str, *, integers: bool = False) -> Graph:
    """See `decoder_step`; the states are returned and not written. With ``integers``, products are of 8-bit numbers.

    Inputs: ``memory`` ``(n_states, 2, size)``, ``state_ids`` ``(n, 1 + n_slots)``, ``input_gates`` ``(n_rows, 4 ·
    size)`` and ``rows`` ``(n,)``. Outputs: ``states`` ``(n, 2, size)``, ``queries`` and, with fusion, ``gates``.
    """
    graph, size, name = GraphBuilder(shapes), config.decoder.size, decoder_name(config, order)
    n_slots = len(TransitionSystem.of(order, config.decoder.fusion).slots)
    memory = graph.input("memory", "float", ["n_states", 2, size])
    state_ids = graph.input("state_ids", "int", ["n", 1 + n_slots])
    input_gates = graph.input("input_gates", "float", ["n_rows", 4 * size])
    rows = graph.input("rows", "int", ["n"])
    products = Products(graph, integers=integers)
    sources = graph.op("Transpose", graph.op("Gather", memory, state_ids, axis=0), perm=[0, 2, 1, 3])
    if n_slots:
        hidden, cell = _fused(graph, config, products, name, sources, n_slots)
    else:
        hidden, cell = graph.split(graph.reshape(sources, 0, 2 * size), (size, size), axis=1)
    gates = products(hidden, f"{name}.recurrent_weight", states=True)
    gates = graph.op("Add", gates, graph.op("Gather", input_gates, rows, axis=0))
    open_gates, candidate = graph.split(gates, (3 * size, size), axis=1)
    output, entry, forget = graph.split(graph.op("Sigmoid", open_gates), (size,) * 3, axis=1)
    kept = graph.op("Mul", forget, cell)
    new_cell = graph.op("Add", kept, graph.op("Mul", entry, graph.op("Tanh", candidate)))
    new_hidden = graph.op("Mul", output, graph.op("Tanh", new_cell))
    pair = (graph.op("Unsqueeze", each, graph.constant([1])) for each in (new_hidden, new_cell))
    graph.output("states", graph.op("Concat", *pair, axis=1))
    graph.output("queries", graph.mlp(new_hidden, "arcs.dependent"))
    return graph.finished()


def _fused(
    graph: GraphBuilder, config: Config, products: Products, name: str, sources: str, n_slots: int
) -> tuple[str, str]:
    """See `fuse`. *Shape:* ``sources`` is ``(n, 2, 1 + n_slots, size)``; returns ``(n, size)`` twice."""
    size = config.decoder.size
    flat = graph.reshape(sources, -1, (1 + n_slots) * size)
    joint = graph.reshape(products(flat, f"{name}.fusion.joint"), -1, 2, graph.shapes[f"{name}.fusion.joint"][1])
    if config.decoder.gate == "gate1":
        value, gate = graph.split(joint, (size, size), axis=2)
    else:
        value = joint
        previous, slots = graph.split(sources, (1, n_slots), axis=2)
        similar = graph.reshape(graph.op("Mul", previous, slots), 0, 0, n_slots * size)
        gate = graph.op("MatMul", similar, graph.weight(f"{name}.fusion.gate"))
    gate = graph.op("Sigmoid", graph.op("Add", gate, graph.weight(f"{name}.fusion.gate_bias")))
    fused = graph.op("Mul", graph.op("Tanh", value), gate)
    hidden, cell = graph.split(graph.reshape(fused, 0, 2 * size), (size, size), axis=1)
    if not config.decoder.fuse_cell:
        first = graph.op("Slice", sources, *(graph.constant([value]) for value in (0, 1, 2)))
        _own_hidden, cell = graph.split(graph.reshape(first, 0, 2 * size), (size, size), axis=1)
        own, _passing = graph.split(gate, (1, 1), axis=1)
        zeros = graph.op("ConstantOfShape", graph.op("Shape", own))
        gate = graph.op("Concat", own, graph.op("Add", zeros, graph.constant(1.0, "float32")), axis=1)
    graph.output("gates", gate)
    return hidden, cell


def label_graph(config: Config, shapes: Mapping[str, Sequence[int]]) -> Graph:
    """See `LabelScorer`.

    Inputs: ``states`` ``(n_arcs, size)``, ``label_heads`` ``(n_rows, label_size)`` and ``head_rows`` ``(n_arcs,)``.
    Output: ``logits`` ``(n_arcs, n_labels)``.
    """
    graph, size = GraphBuilder(shapes), config.scorers.label_size
    n_labels = shapes["labels.bias"][0]
    states = graph.input("states", "float", ["n_arcs", config.decoder.size])
    heads = graph.op(
        "Gather",
        graph.input("label_heads", "float", ["n_rows", size]),
        graph.input("head_rows", "int", ["n_arcs"]),
        axis=0,
    )
    dependents = graph.mlp(states, "labels.dependent")
    products = graph.op("MatMul", dependents, graph.weight("labels.bilinear"))
    products = graph.reshape(products, -1, n_labels, size)
    logits = graph.op("MatMul", products, graph.op("Unsqueeze", heads, graph.constant([2])))
    logits = graph.reshape(logits, -1, n_labels)
    for value, name in ((dependents, "dependent_linear"), (heads, "head_linear")):
        logits = graph.op("Add", logits, graph.op("MatMul", value, graph.weight(f"labels.{name}")))
    graph.output("logits", graph.op("Add", logits, graph.weight("labels.bias")))
    return graph.finished()
