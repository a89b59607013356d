"""The BiLSTM with products of 8-bit numbers, step by step: ONNX's own LSTM rounds whole batches by one scale."""

from __future__ import annotations

from pointree.config import BiLstmConfig
from pointree.graphs.builder import GraphBuilder
from pointree.graphs.integers import integer_product, rounded_rows, rounded_states, state_codes

__all__ = ["integer_bilstm"]


def integer_bilstm(graph: GraphBuilder, settings: BiLstmConfig, rows: str, lengths: str) -> tuple[str, str]:
    """See `BiLstm`. *Shape:* ``(n_steps, batch, inputs)`` to ``(n_steps · batch, 2 · size)`` and ``(batch, …)``.

    Layers hand on their states in 7 bits; the last one gives them in full.
    """
    size, shape = settings.size, graph.op("Shape", rows)
    n_steps, batch = (_part(graph, shape, place) for place in (0, 1))
    by_step = graph.op("Concat", n_steps, batch, graph.constant([-1]), axis=0)
    exists = _exists(graph, n_steps, lengths)
    zeros = graph.op("ConstantOfShape", graph.op("Concat", batch, graph.constant([size]), axis=0))
    start = (rounded_states(graph, zeros), zeros)
    inputs = graph.shapes["encoder.layers.0.input_weight"][1]
    codes, steps = rounded_rows(graph, graph.reshape(rows, -1, inputs))
    for layer in range(settings.layers):
        name, last = f"encoder.layers.{layer}", layer == settings.layers - 1
        found, cells = [], []
        for direction in (0, 1):
            gates = integer_product(graph, codes, f"{name}.input_weight", direction)
            if layer == 0:
                gates = graph.op("Mul", gates, steps)
            bias = graph.op("Gather", graph.weight(f"{name}.bias"), graph.constant(direction))
            gates = graph.op("Reshape", graph.op("Add", gates, bias), by_step)
            given = [gates, exists] if direction else [gates]
            body = _step(graph, f"{name}.recurrent_weight", direction, size, last=last)
            _codes, cell, states, *others = graph.scan(body, start, given, backward=direction == 1)
            found.append(states)
            cells += others or [cell]
        states = graph.reshape(graph.op("Concat", *found, axis=2), -1, 2 * size)
        codes = state_codes(states)
    # The forward cells of a sentence end at its last position, and go on over padding.
    ends = graph.op("Sub", graph.op("Cast", lengths, to=7), graph.constant(1))
    ends = graph.op("Unsqueeze", ends, graph.constant([0, 2]))
    places = graph.op("Expand", ends, graph.op("Concat", graph.constant([1]), batch, graph.constant([size]), axis=0))
    forward = graph.op("Squeeze", graph.op("GatherElements", cells[0], places, axis=0), graph.constant([0]))
    return states, graph.op("Concat", forward, cells[1], axis=1)


def _part(graph: GraphBuilder, shape: str, place: int) -> str:
    return graph.op("Slice", shape, graph.constant([place]), graph.constant([place + 1]))


def _exists(graph: GraphBuilder, n_steps: str, lengths: str) -> str:
    """1 where a sentence has a position, 0 at padding. *Shape:* ``(n_steps, batch, 1)``."""
    count = graph.op("Squeeze", n_steps, graph.constant([0]))
    steps = graph.op("Range", graph.constant(0), count, graph.constant(1))
    steps = graph.op("Unsqueeze", steps, graph.constant([1]))
    exists = graph.op("Less", steps, graph.op("Cast", lengths, to=7))
    return graph.op("Unsqueeze", graph.op("Cast", exists, to=1), graph.constant([2]))


def _step(graph: GraphBuilder, recurrent: str, direction: int, size: int, *, last: bool) -> GraphBuilder:
    """One step of a direction, of which all steps collect the states: in 7 bits, or of the ``last`` layer in full.

    There, the forward direction collects its cells as well.
    """
    body = graph.body()
    codes, cell = body.input("codes", "uint8", ["batch", size]), body.input("cell", "float", ["batch", size])
    given = body.input("gates", "float", ["batch", 4 * size])
    gates = body.op("Add", integer_product(body, state_codes(codes), recurrent, direction), given)
    open_gates, candidate = body.split(gates, (3 * size, size), axis=1)
    output, entry, forget = body.split(body.op("Sigmoid", open_gates), (size,) * 3, axis=1)
    kept = body.op("Mul", forget, cell)
    cell = body.op("Add", kept, body.op("Mul", entry, body.op("Tanh", candidate)))
    if direction:
        # Backward starts in padding: cells of 0 keep the states at 0 until a sentence begins.
        cell = body.op("Mul", cell, body.input("exists", "float", ["batch", 1]))
    states = body.op("Mul", output, body.op("Tanh", cell))
    rounded = rounded_states(body, states)
    body.collected(rounded, "uint8")
    body.collected(cell)
    if last:
        body.collected(states)
    else:
        body.collected(body.op("Identity", rounded), "uint8")
    if last and not direction:
        body.collected(body.op("Identity", cell))
    return body
