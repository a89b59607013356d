"""All graphs of a model, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pointree.config import BiLstmConfig, Config

if TYPE_CHECKING:
    from pointree.graphs.builder import Graph
    from pointree.pretrained.bert_settings import BertSettings

__all__ = ["chosen_layers", "graph_name", "network_graphs", "why_no_graph"]


def why_no_graph(config: Config, *, has_bert: bool) -> str | None:
    """What keeps a model from having graphs; None if nothing does."""
    if not isinstance(config.encoder, BiLstmConfig):
        return f"its encoder ({config.encoder.kind}) has no graph"
    pretrained = config.embeddings.pretrained
    if pretrained.model and not pretrained.fine_tune:
        return f"its pretrained model ({pretrained.model}) is not part of it"
    if pretrained.model and not has_bert:
        return f"its pretrained model ({pretrained.model}) runs on transformers"
    return None


def network_graphs(
    config: Config, shapes: Mapping[str, Sequence[int]], columns: Sequence[str], bert: BertSettings | None
) -> dict[str, Graph]:
    """The graphs by their names; ``shapes`` are those of the weights, ``columns`` what the network predicts.

    Those that int8 has in another form are there twice: see `graph_name`.
    """
    from pointree.graphs.bert import bert_graph  # parsing, which builds no graphs, does not wait for these modules
    from pointree.graphs.decoder import label_graph, step_graph
    from pointree.graphs.encoder import encoder_graph

    found = {"labels": label_graph(config, shapes)}
    for precision in ("fp32", "int8"):
        integers = precision == "int8"
        found[graph_name("encoder", precision)] = encoder_graph(config, shapes, columns, integers=integers)
        for order in config.decoder.orders:
            found[graph_name(f"step-{order}", precision)] = step_graph(config, shapes, order, integers=integers)
        if bert is not None:
            layers, mixed = chosen_layers(config, bert), config.embeddings.pretrained.mix == "mean"
            graph = bert_graph(bert, shapes, layers, mixed=mixed, integers=integers)
            found[graph_name("bert", precision)] = graph
    return found


def graph_name(name: str, precision: str) -> str:
    """The name of a graph in a precision: all that int8 computes in another way have two."""
    return f"{name}-int8" if precision == "int8" and name != "labels" else name


def chosen_layers(config: Config, bert: BertSettings) -> list[int]:
    """The layers that the parser reads, counted from the input, which is 0."""
    n_layers = bert.num_hidden_layers
    return [layer if layer >= 0 else n_layers + 1 + layer for layer in config.embeddings.pretrained.layers]
