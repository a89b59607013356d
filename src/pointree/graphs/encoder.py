"""The graph of everything that is computed once a batch: characters, BiLSTM, and what decoder and scorers need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointree.config import BiLstmConfig, Config
from pointree.graphs.builder import Graph, GraphBuilder
from pointree.graphs.decoder import decoder_name
from pointree.graphs.integer_bilstm import integer_bilstm
from pointree.graphs.products import Products
from pointree.vocabulary import PAD

__all__ = ["encoder_graph"]


def encoder_graph(
    config: Config, shapes: Mapping[str, Sequence[int]], columns: Sequence[str], *, integers: bool = False
) -> Graph:
    """From embedded rows to the encoding of a batch; with ``integers``, the BiLSTM multiplies 8-bit numbers.

    Inputs: ``rows``, the embeddings of words and tags and the pretrained vectors side by side, ``(n_rows, width)``;
    ``chars``, ``char_lengths`` and ``forms`` as in `BatchFeatures`; ``table`` and ``places``, the layout's table by
    steps and the place of each row in it; ``lengths`` of the sentences. Outputs are those of the network's
    `Encoding`, with the name of its order where each decoder has its own.
    """
    graph = GraphBuilder(shapes)
    embeddings = config.embeddings
    width = shapes["encoder.layers.0.input_weight"][1]
    parts, others = [], width - embeddings.char_filters
    if others:
        rows, words = graph.input("rows", "float", ["n_rows", others]), embeddings.word_size
        parts = graph.split(rows, (words, others - words), axis=1) if 0 < words < others else [rows]
    if embeddings.char_filters:
        # Between words and tags, as `Embeddings` has them.
        place = 1 if embeddings.word_size else 0
        parts.insert(place, _characters(graph, embeddings.char_window))
    table, lengths = graph.input("table", "int", ["n_steps", "batch"]), graph.input("lengths", "int32", ["batch"])
    places = graph.input("places", "int", ["n_rows"])
    packed = graph.op("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
    if not isinstance(config.encoder, BiLstmConfig):
        raise TypeError(f"expected the settings of a BiLSTM, found {type(config.encoder).__name__}")
    bilstm = integer_bilstm if integers else _bilstm
    states, start = bilstm(graph, config.encoder, graph.op("Gather", packed, table, axis=0), lengths)
    products = Products(graph, integers=integers)
    _outputs(graph, config, products, graph.op("Gather", states, places, axis=0), start, columns)
    return graph.finished()


def _characters(graph: GraphBuilder, window: int) -> str:
    """See `CharCnn`. *Shape:* ``(n_rows, filters)``."""
    chars = graph.input("chars", "int", ["n_forms", "n_chars", "n_parts"])
    lengths, forms = graph.input("char_lengths", "int", ["n_forms"]), graph.input("forms", "int", ["n_rows"])
    n_chars = graph.op("Gather", graph.op("Shape", chars), graph.constant(1))
    places = graph.op("Range", graph.constant(0), n_chars, graph.constant(1))
    exists = graph.op("Less", places, graph.op("Unsqueeze", lengths, graph.constant([1])))
    is_part = graph.op("Not", graph.op("Equal", chars, graph.constant(PAD)))
    counts = graph.op("And", graph.op("Unsqueeze", exists, graph.constant([2])), is_part)
    counts = graph.op("Unsqueeze", graph.op("Cast", counts, to=1), graph.constant([3]))
    embedded = graph.op("Mul", graph.op("Gather", graph.weight("embeddings.chars.embedding"), chars), counts)
    summed = graph.op("ReduceSum", embedded, graph.constant([2]), keepdims=0)
    margin = window // 2
    padded = graph.op("Pad", summed, graph.constant([0, margin, 0, 0, margin, 0]))
    shifted = [
        graph.op("Slice", padded, graph.constant([shift]), _end(graph, n_chars, shift), graph.constant([1]))
        for shift in range(window)
    ]
    windows = graph.op("Concat", *shifted, axis=2)
    features = graph.op("MatMul", windows, graph.weight("embeddings.chars.filters"))
    features = graph.op("Add", features, graph.weight("embeddings.chars.bias"))
    nothing = graph.constant(float("-inf"), "float32")
    features = graph.op("Where", graph.op("Unsqueeze", exists, graph.constant([2])), features, nothing)
    found = graph.op("Tanh", graph.op("ReduceMax", features, axes=[1], keepdims=0))
    return graph.op("Gather", found, forms, axis=0)


def _end(graph: GraphBuilder, n_chars: str, shift: int) -> str:
    return graph.op("Unsqueeze", graph.op("Add", n_chars, graph.constant(shift)), graph.constant([0]))


def _bilstm(graph: GraphBuilder, settings: BiLstmConfig, rows: str, lengths: str) -> tuple[str, str]:
    """See `BiLstm`. *Shape:* ``(n_steps, batch, inputs)`` to ``(n_steps · batch, 2 · size)`` and ``(batch, …)``."""
    size, cells = settings.size, ""
    for layer in range(settings.layers):
        name = f"encoder.layers.{layer}"
        inputs = graph.shapes[f"{name}.input_weight"][1]
        weights = (
            graph.weight(f"{name}.input_weight.onnx", (2, 4 * size, inputs)),
            graph.weight(f"{name}.recurrent_weight.onnx", (2, 4 * size, size)),
            graph.weight(f"{name}.bias.onnx", (2, 8 * size)),
        )
        states, _hidden, cells = graph.ops(
            "LSTM", 3, rows, *weights, lengths, direction="bidirectional", hidden_size=size
        )
        rows = graph.reshape(graph.op("Transpose", states, perm=[0, 2, 1, 3]), 0, 0, 2 * size)
    start = graph.reshape(graph.op("Transpose", cells, perm=[1, 0, 2]), 0, 2 * size)
    return graph.reshape(rows, -1, 2 * size), start


def _outputs(
    graph: GraphBuilder, config: Config, products: Products, states: str, start: str, columns: Sequence[str]
) -> None:
    """See `PointerNetwork._encodings`; keys are not padded here."""
    for order in config.decoder.orders:
        name = decoder_name(config, order)
        cell = graph.linear(start, f"{name}.initial")
        pair = (_row(graph, each) for each in (graph.op("Tanh", cell), cell))
        graph.output(f"initial {order}", graph.op("Concat", *pair, axis=1))
        inputs = products.mlp(states, f"{name}.input", states=True)
        gates = graph.op("Add", products(inputs, f"{name}.input_weight"), graph.weight(f"{name}.bias"))
        graph.output(f"input_gates {order}", gates)
    heads = graph.mlp(states, "arcs.head")
    graph.output(
        "keys",
        graph.op("Gemm", heads, graph.weight("arcs.bilinear"), graph.weight("arcs.dependent_linear"), transB=1),
    )
    graph.output(
        "key_biases",
        graph.op("Add", graph.op("MatMul", heads, graph.weight("arcs.head_linear")), graph.weight("arcs.bias")),
    )
    graph.output("label_heads", products.mlp(states, "labels.head", states=True))
    for column in columns:
        name = f"heads.{column}"
        if config.heads.size:
            hidden = products.mlp(states, f"{name}.hidden", states=True)
            graph.output(f"columns.{column}", products.linear(hidden, f"{name}.projection"))
        else:
            graph.output(f"columns.{column}", products.linear(states, f"{name}.projection", states=True))


def _row(graph: GraphBuilder, value: str) -> str:
    return graph.op("Unsqueeze", value, graph.constant([1]))
