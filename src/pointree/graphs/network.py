"""All graphs of a model, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointree.config import BiLstmConfig, Config
from pointree.graphs.bert import bert_graph
from pointree.graphs.builder import Graph
from pointree.graphs.decoder import label_graph, step_graph
from pointree.graphs.encoder import encoder_graph
from pointree.pretrained.bert_settings import BertSettings

__all__ = ["chosen_layers", "network_graphs", "why_no_graph"]


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
    """The graphs by their names; ``shapes`` are those of the weights, ``columns`` what the network predicts."""
    found = {"encoder": encoder_graph(config, shapes, columns), "labels": label_graph(config, shapes)}
    found |= {f"step-{order}": step_graph(config, shapes, order) for order in config.decoder.orders}
    if bert is not None:
        mixed = config.embeddings.pretrained.mix == "mean"
        found["bert"] = bert_graph(bert, shapes, chosen_layers(config, bert), mixed=mixed)
    return found


def chosen_layers(config: Config, bert: BertSettings) -> list[int]:
    """The layers that the parser reads, counted from the input, which is 0."""
    n_layers = bert.num_hidden_layers
    return [layer if layer >= 0 else n_layers + 1 + layer for layer in config.embeddings.pretrained.layers]
