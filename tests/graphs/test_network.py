"""Graphs follow from the settings and the shapes of the weights, and have no weights of their own."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from pointree.graphs.builder import IR_VERSION, OPSET
from pointree.graphs.network import network_graphs, why_no_graph
from pointree.models.graphs import write_graphs

from ..helpers import COMBINATIONS, HEADS, Combination, describe, tiny_config, tiny_parser


@pytest.mark.parametrize("combination", COMBINATIONS[::3], ids=describe)
def test_graphs_are_valid_small_and_pinned(combination: Combination) -> None:
    parser = tiny_parser(tiny_config(combination, HEADS))
    shapes = {name: tuple(tensor.shape) for name, tensor in parser.network.state_dict().items()}
    columns = list(parser.vocabularies.columns.classes)
    found = network_graphs(parser.config, shapes, columns, None)
    twice = ("encoder", f"step-{combination[0]}")
    assert set(found) == {*twice, *(f"{name}-int8" for name in twice), "labels"}
    for name, graph in found.items():
        model = onnx.load_from_string(graph.content)
        assert model.ir_version == IR_VERSION
        extra = [("com.microsoft", 1)] if name.endswith("int8") else []
        assert [(each.domain, each.version) for each in model.opset_import] == [("", OPSET), *extra]
        external = {each.name for each in model.graph.initializer if each.data_location == onnx.TensorProto.EXTERNAL}
        assert external == set(graph.weights)
        assert len(graph.content) < 20_000
    outputs = {each.name for each in onnx.load_from_string(found["encoder"].content).graph.output}
    assert {f"columns.{column}" for column in columns} < outputs
    assert {name: each.content for name, each in found.items()} == {
        name: each.content for name, each in network_graphs(parser.config, shapes, columns, None).items()
    }


def test_why_a_model_has_none() -> None:
    config = tiny_config()
    assert why_no_graph(config, has_bert=False) is None
    frozen = tiny_config(COMBINATIONS[1], {"embeddings": {"pretrained": {"model": "m"}}})
    assert "is not part of it" in str(why_no_graph(frozen, has_bert=False))
    tuned = tiny_config(COMBINATIONS[1], {"embeddings": {"pretrained": {"model": "m", "fine_tune": True}}})
    assert "runs on transformers" in str(why_no_graph(tuned, has_bert=False))
    assert why_no_graph(tuned, has_bert=True) is None


def test_weights_are_not_stored_twice(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path)
    before = (tmp_path / "weights.safetensors").read_bytes()
    write_graphs(tmp_path)
    assert (tmp_path / "weights.safetensors").read_bytes() == before
    assert {path.name for path in (tmp_path / "graphs").iterdir()} == {
        "encoder.onnx",
        "encoder-int8.onnx",
        "step-left-to-right-int8.onnx",
        "step-left-to-right.onnx",
        "labels.onnx",
        "graphs.json",
    }
