"""Tests of the engine without torch: copies, what cannot run on it, and every kind of damage in one line."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from pointree.engines import onnx_session
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.errors import ModelError, PointreeError, UsageError
from pointree.models.folder import write_manifest
from pointree.models.graphs import write_graphs
from pointree.nn.pretrained_features import TrainedFeatures
from pointree.parser import Parser, load
from pointree.pretrained.loading import load_pretrained

from ..helpers import COMBINATIONS, random_sentences, tiny_config, tiny_parser, tiny_vocabularies
from ..pretrained.small_models import make_pretrained

SENTENCES = random_sentences([5, 2, 8], seed=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tiny_parser().save(tmp_path / "model", "A card.\n")
    write_graphs(tmp_path / "model")
    return tmp_path / "model"


def test_a_model_with_graphs_runs_on_them_and_others_on_torch(folder: Path, tmp_path: Path) -> None:
    assert load(folder).engine.name == "onnx"
    assert load(folder, engine="torch").engine.name == "torch"
    assert load(folder, precision="bf16").engine.name == "torch"
    tiny_parser().save(tmp_path / "old")
    assert load(tmp_path / "old").engine.name == "torch"


def test_torch_is_not_imported(folder: Path) -> None:
    script = (
        f"import sys, pointree; print(len(pointree.load({str(folder)!r}).parse([['a', 'b']])), 'torch' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "1 False\n"


def test_a_copy_parses_the_same(folder: Path, tmp_path: Path) -> None:
    parser = load(folder)
    parser.save(tmp_path / "saved", "Another card.\n")
    assert (tmp_path / "saved" / "README.md").read_text() == "Another card.\n"
    for twin in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser)), load(tmp_path / "saved")):
        assert twin.parse(SENTENCES) == parser.parse(SENTENCES)


@pytest.mark.parametrize(
    ("layers", "mix", "subwords"), [([2], "mean", "mean"), ([1, -1], "learned", "first"), ([0, 2], "mean", "last")]
)
def test_a_fine_tuned_bert(tmp_path: Path, layers: list[int], mix: str, subwords: str) -> None:
    source = make_pretrained(tmp_path / "bert", hidden_size=32)
    pretrained = {"model": str(source), "layers": layers, "mix": mix, "subwords": subwords, "fine_tune": True}
    config = tiny_config(COMBINATIONS[1], {"embeddings": {"pretrained": pretrained}})
    model = load_pretrained(config.embeddings.pretrained)
    network = new_network(config, tiny_vocabularies(), model.identity).eval()
    network.embeddings.pretrained.model = model  # type: ignore[union-attr]
    engine = TorchEngine(config, tiny_vocabularies(), network, TrainedFeatures(model))
    Parser(config, tiny_vocabularies(), engine).save(tmp_path / "model")
    write_graphs(tmp_path / "model")
    long = ["tok", "Ulme"] * 150  # more than a window
    one, other = (load(tmp_path / "model", engine=name) for name in ("torch", "onnx"))
    assert other.parse([*SENTENCES, long]) == one.parse([*SENTENCES, long])


def fault_of(folder: Path, engine: str = "onnx") -> str:
    with pytest.raises(PointreeError) as caught:
        load(folder, engine=engine)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_without_graphs_says_how_to_add_them(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path)
    assert f"`pointree package {tmp_path} --engine onnx` adds them" in fault_of(tmp_path)


def test_a_frozen_pretrained_model_runs_on_torch_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = tiny_config(
        COMBINATIONS[1], {"embeddings": {"pretrained": {"model": str(make_pretrained(tmp_path / "b")), "layers": [1]}}}
    )
    model = load_pretrained(config.embeddings.pretrained)
    network = new_network(config, tiny_vocabularies(), model.identity).eval()
    from pointree.nn.pretrained_features import FrozenFeatures

    engine = TorchEngine(config, tiny_vocabularies(), network, FrozenFeatures(model))
    engine.save(tmp_path / "model", "")
    with caplog.at_level("INFO", logger="pointree.messages"):
        assert load(tmp_path / "model").engine.name == "torch"
    assert "runs on torch, because its pretrained model" in caplog.text
    with pytest.raises(ModelError, match="the engine onnx cannot run this model: its pretrained model"):
        write_graphs(tmp_path / "model")
    assert "use the engine torch" in fault_of(tmp_path / "model")


def test_models_of_earlier_versions_take_their_steps_in_32_bits(folder: Path) -> None:
    expected = load(folder, precision="int8").parse(SENTENCES)
    (folder / "graphs" / "step-left-to-right-int8.onnx").unlink()
    index = folder / "graphs" / "graphs.json"
    found = json.loads(index.read_text())
    del found["weights"]["step-left-to-right-int8"]
    index.write_text(json.dumps(found))
    write_manifest(folder)
    parser = load(folder, precision="int8")
    assert parser.precision == "int8"
    assert [sentence.forms for sentence in parser.parse(SENTENCES)] == [sentence.forms for sentence in expected]


@pytest.mark.parametrize("name", ["encoder", "step-left-to-right", "labels"])
def test_damaged_graphs(folder: Path, name: str) -> None:
    path = folder / "graphs" / f"{name}.onnx"
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert f"{name}.onnx: damaged: the content differs from its checksum" in fault_of(folder)
    write_manifest(folder)
    assert f"{name}.onnx: expected a graph for onnxruntime" in fault_of(folder)
    path.unlink()
    write_manifest(folder)
    assert f"{name}.onnx: missing from the model folder" in fault_of(folder)


@pytest.mark.parametrize("content", ["", "[]", '{"format": 1, "weights": {"step": 3}}', '{"format": 9, "weights": {}}'])
def test_a_damaged_list_of_graphs(folder: Path, content: str) -> None:
    (folder / "graphs" / "graphs.json").write_text(content)
    write_manifest(folder)
    assert "graphs.json: expected" in fault_of(folder)


def test_graphs_of_another_network(folder: Path, tmp_path: Path) -> None:
    other = tiny_config(COMBINATIONS[1], {"decoder": {"size": 11}})
    tiny_parser(other).save(tmp_path / "other")
    (folder / "graphs").rename(tmp_path / "other" / "graphs")
    write_manifest(tmp_path / "other")
    assert "the graph does not fit the weights" in fault_of(tmp_path / "other")
    index = tmp_path / "other" / "graphs" / "graphs.json"
    found = json.loads(index.read_text())
    found["weights"] = {"encoder": {"nothing": [1]}}
    index.write_text(json.dumps(found))
    write_manifest(tmp_path / "other")
    assert "nothing is missing" in fault_of(tmp_path / "other")


def test_an_onnxruntime_that_is_too_old(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onnxruntime.__version__", "1.2.0")
    oldest = ".".join(map(str, onnx_session.OLDEST))
    assert f"needs onnxruntime {oldest} or later, found 1.2.0" in fault_of(folder)


def test_what_the_engine_cannot_do(folder: Path) -> None:
    with pytest.raises(UsageError, match="engine must be one of auto, onnx, torch, found fast"):
        load(folder, engine="fast")
    with pytest.raises(UsageError, match="expected the device cpu, found cuda"):
        load(folder, engine="onnx", device="cuda")
    with pytest.raises(UsageError, match="expected the precision fp32 or int8, found bf16"):
        load(folder, engine="onnx", precision="bf16")
    with pytest.raises(UsageError, match="has no network of torch"):
        _ = load(folder).network


def test_a_model_names_its_precision(folder: Path, tmp_path: Path) -> None:
    assert load(folder).precision == load(folder, precision="auto").precision == "fp32"
    write_graphs(folder, "int8")
    assert load(folder).precision == load(folder, precision="auto").precision == "int8"
    assert load(folder, precision="fp32").precision == load(folder, engine="torch").precision == "fp32"
    parser = load(folder)
    parser.save(tmp_path / "saved")
    for twin in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser)), load(tmp_path / "saved")):
        assert twin.precision == "int8"
        assert twin.parse(SENTENCES) == parser.parse(SENTENCES)
    write_graphs(folder)
    assert load(folder).precision == "int8", "graphs that are written again keep what was named"
    index = folder / "graphs" / "graphs.json"
    index.write_text(index.read_text().replace('"int8"', '"int4"'))
    write_manifest(folder)
    assert "graphs.json: precision: expected one of fp32, int8, found int4" in fault_of(folder)


def test_where_int8_cannot_be_had(folder: Path, tmp_path: Path) -> None:
    for choice in ({"engine": "torch"}, {"device": "cuda"}):
        with pytest.raises(UsageError, match="precision int8: expected the engine onnx on the device cpu, found the"):
            load(folder, precision="int8", **choice)
    tiny_parser().save(tmp_path / "old")
    with pytest.raises(ModelError, match="has no graphs for the engine onnx; `pointree package"):
        load(tmp_path / "old", precision="int8")
    index = folder / "graphs" / "graphs.json"
    found = json.loads(index.read_text())
    del found["weights"]["encoder-int8"], found["precision"]  # as earlier versions wrote it
    index.write_text(json.dumps(found))
    write_manifest(folder)
    assert load(folder).precision == "fp32"
    with pytest.raises(ModelError, match="it has no graphs of int8; `pointree package"):
        load(folder, precision="int8")


def test_without_torch_it_says_what_to_install(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else object())
    assert "pointree[train]" in fault_of(folder, "torch")
    tiny_parser().save(tmp_path / "old")
    assert "--engine onnx` adds them" in fault_of(tmp_path / "old", "auto")
