"""In int8, trees do not depend on their batch, and scores are close to those of fp32."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from pointree.config import Config
from pointree.engines.onnx_weights import graph_weights
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.models.folder import read_folder
from pointree.models.graphs import write_graphs
from pointree.models.quantise import dequantise
from pointree.models.shrink import shrink_model
from pointree.models.weights import write_weights
from pointree.nn.pretrained_features import TrainedFeatures
from pointree.parser import Parser, load
from pointree.pretrained.loading import load_pretrained
from pointree.search.resumable import run_to_end
from pointree.treebank.sentence import Sentence

from ..helpers import COMBINATIONS, HEADS, merge, random_sentences, tiny_config, tiny_parser, tiny_vocabularies
from ..pretrained.small_models import make_pretrained

SENTENCES = random_sentences([9, 4, 1, 12, 7, 2, 12, 3], seed=3)
COMBINED = ("combined", "simple", "gate1")

NETWORKS: dict[str, Config] = {
    "one decoder": tiny_config(),
    "one layer": tiny_config(COMBINATIONS[1], {"encoder": {"layers": 1}}),
    "three layers": tiny_config(COMBINATIONS[-1], {"encoder": {"layers": 3}}),
    "combined": tiny_config(COMBINED),
    "combined with heads": tiny_config(COMBINED, HEADS),
}


def with_bert(place: Path) -> Parser:
    """A combined model with a fine-tuned BERT and heads."""
    source = make_pretrained(place / "bert", hidden_size=32)
    pretrained: dict[str, Any] = {"pretrained": {"model": str(source), "layers": [2], "fine_tune": True}}
    config = tiny_config(COMBINED, merge(HEADS, {"embeddings": pretrained}))
    vocabularies = tiny_vocabularies(("upos", "xpos", "feats", "lemma"))
    model = load_pretrained(config.embeddings.pretrained)
    network = new_network(config, vocabularies, model.identity).eval()
    assert network.embeddings.pretrained is not None
    network.embeddings.pretrained.model = model
    engine = TorchEngine(config, vocabularies, network, TrainedFeatures(model))
    return Parser(config, vocabularies, engine)


@cache
def parsers(name: str) -> tuple[Parser, Parser]:
    """The same model in fp32 and in int8."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "model"
        (with_bert(Path(place)) if name == "bert" else tiny_parser(NETWORKS[name], seed=7)).save(folder)
        write_graphs(folder)
        return load(folder, engine="onnx"), load(folder, precision="int8")


@pytest.mark.parametrize("name", [*NETWORKS, "bert"])
def test_a_tree_does_not_depend_on_its_batch(name: str) -> None:
    parser = parsers(name)[1]
    assert (parser.engine.name, parser.precision) == ("onnx", "int8")
    bare = [Sentence.from_words(sentence.forms) for sentence in SENTENCES] if parser.vocabularies.columns else SENTENCES
    together = parser.parse(bare, probabilities=True)
    alone = [parser.parse([sentence], probabilities=True)[0] for sentence in bare]
    for one, other in zip(together, alone, strict=True):
        assert (one.heads, one.deprels) == (other.heads, other.deprels)
        assert [word.upos for word in one.words] == [word.upos for word in other.words]
        scores = [float(each.meta("tree_log_prob") or 0) for each in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def difference(exact: Parser, other: Parser) -> float:
    """How far what decoders read is from what it should be, as a share of that."""
    found = []
    for parser in (exact, other):
        numbered = [parser.featurizer.numbers_of(sentence) for sentence in sorted(SENTENCES, key=len, reverse=True)]
        branches: Any = run_to_end(parser.engine.encode_steps(numbered)).branches
        parts = [each for branch in branches.values() for each in (branch.initial, branch.input_gates)]
        found.append(np.concatenate([part.reshape(-1) for part in parts]))
    return float(np.linalg.norm(found[0] - found[1]) / np.linalg.norm(found[0]))


@pytest.mark.parametrize("name", [*NETWORKS, "bert"])
def test_encodings_are_close_to_those_of_fp32(name: str) -> None:
    exact, rounded = parsers(name)
    # With random weights of a width of 32 the BERT is off by 0.058; the networks without one stay below 0.05.
    assert 0 < difference(exact, rounded) < 0.08


def test_stored_matrices_are_used_as_they_are(tmp_path: Path) -> None:
    tiny_parser(tiny_config()).save(tmp_path / "model")
    shrink_model(tmp_path / "model", tmp_path / "small", bits=8, precision="int8")
    stored = read_folder(tmp_path / "small").weights
    name = "encoder.layers.1.recurrent_weight"
    found = graph_weights(stored, [f"{name}.int8.{part}{rest}" for part in (0, 1) for rest in ("", ".scale")])
    for part in (0, 1):
        codes, scale = found[f"{name}.int8.{part}"], found[f"{name}.int8.{part}.scale"]
        assert np.shares_memory(codes, stored[name])
        assert scale.dtype == np.float32
        np.testing.assert_array_equal(codes * scale, dequantise(stored)[name][part])


def test_models_with_a_scale_for_every_128_columns_are_rounded_again(tmp_path: Path) -> None:
    config = tiny_config(COMBINATIONS[1], {"encoder": {"size": 64}})
    tiny_parser(config).save(tmp_path / "model")
    shrink_model(tmp_path / "model", tmp_path / "new", bits=8, precision="int8")
    shrink_model(tmp_path / "model", tmp_path / "old", bits=8, precision="int8")
    model = read_folder(tmp_path / "model")
    weights = dict(read_folder(tmp_path / "old").weights)
    for name in [name for name in weights if name.startswith("encoder.layers.") and name.endswith("_weight")]:
        groups = model.weights[name].reshape(*model.weights[name].shape[:-1], 2, 128)
        scale = np.abs(groups).max(axis=-1, keepdims=True) / 127
        weights[name] = np.rint(groups / scale).astype(np.int8).reshape(model.weights[name].shape)
        weights[f"{name}.scale"] = scale[..., 0].astype(np.float32)
    write_weights(tmp_path / "old" / "weights.safetensors", weights)
    exact = load(tmp_path / "new", precision="fp32")
    for name, precision in (("old", "fp32"), ("old", "int8"), ("new", "int8")):
        assert 0 < difference(exact, load(tmp_path / name, precision=precision)) < 0.05
    [tree] = load(tmp_path / "old", engine="torch").parse(SENTENCES[:1])
    assert load(tmp_path / "old", precision="fp32").parse(SENTENCES[:1])[0].heads == tree.heads
