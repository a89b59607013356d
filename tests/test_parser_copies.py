"""A parser can be pickled and deep-copied: a copy parses as the original does."""

from __future__ import annotations

import copy
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import pointree
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.nn.pretrained_features import FrozenFeatures, PretrainedFeatures, TrainedFeatures
from pointree.parser import Parser
from pointree.pretrained.cache_folder import CacheFolder
from pointree.pretrained.loading import load_pretrained
from pointree.text.udpipe import TextModel

from .helpers import COMBINATIONS, HEADS, random_sentences, tiny_config, tiny_parser, tiny_vocabularies
from .pretrained.small_models import make_pretrained

SENTENCES = random_sentences([1, 5, 9, 3], seed=4)
KINDS = ("plain", "heads", "frozen", "frozen with a cache", "fine-tuned")


def through_pickle(parser: Parser) -> Parser:
    copied: Parser = pickle.loads(pickle.dumps(parser))
    return copied


COPIES: list[Callable[[Parser], Parser]] = [through_pickle, copy.deepcopy]


@pytest.fixture(scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Parser]:
    """A parser of each kind, in memory."""
    root = tmp_path_factory.mktemp("copies")
    folder = make_pretrained(root / "tiny")
    found = {
        "plain": tiny_parser(),
        "heads": tiny_parser(tiny_config(COMBINATIONS[1], HEADS)),
    }
    for kind in ("frozen", "frozen with a cache", "fine-tuned"):
        pretrained = {"model": str(folder), "layers": [1, 3], "fine_tune": kind == "fine-tuned"}
        config = tiny_config(COMBINATIONS[1], {"embeddings": {"pretrained": pretrained}})
        model = load_pretrained(config.embeddings.pretrained)
        network = new_network(config, tiny_vocabularies(), model.identity).eval()
        features: PretrainedFeatures
        if kind == "fine-tuned":
            network.embeddings.pretrained.model = model
            features = TrainedFeatures(model)
        else:
            features = FrozenFeatures(model, CacheFolder(root / "cache") if "cache" in kind else None)
            features.prepare([sentence.forms for sentence in SENTENCES[:2]])
        found[kind] = Parser(config, tiny_vocabularies(), TorchEngine(config, tiny_vocabularies(), network, features))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make_copy", COPIES)
def test_a_copy_parses_the_same(make_copy: Callable[[Parser], Parser], kind: str, parsers: dict[str, Parser]) -> None:
    parser = parsers[kind]
    expected = parser.parse(SENTENCES, probabilities=True)
    copied = make_copy(parser)
    assert copied.parse(SENTENCES, probabilities=True) == expected
    again = make_copy(copied)
    assert again.config == parser.config
    assert not {id(each) for each in copied.network.parameters()} & {id(each) for each in parser.network.parameters()}
    assert again.parse(SENTENCES, probabilities=True) == expected


def test_a_fine_tuned_model_is_copied_once(parsers: dict[str, Parser]) -> None:
    for make_copy in COPIES:
        copied = make_copy(parsers["fine-tuned"])
        assert copied.engine.pretrained is not None
        assert copied.network.embeddings.pretrained is not None
        assert copied.engine.pretrained.model is copied.network.embeddings.pretrained.model
        assert copied.featurizer.pretrained is copied.engine.pretrained


def test_a_copy_needs_no_files(text_model: TextModel, tmp_path: Path) -> None:
    parser = tiny_parser()
    parser.text_model = text_model
    parser.save(tmp_path / "model")
    parser = pointree.load(tmp_path / "model", precision="fp32")
    expected = parser.parse_text("The cat sat on the mat. It slept.")
    copied = through_pickle(parser)
    data = pickle.dumps(parser)
    shutil.rmtree(tmp_path / "model")
    for each in (copied, pickle.loads(data), copy.deepcopy(parser), through_pickle(copied)):
        assert each.parse_text("The cat sat on the mat. It slept.") == expected
    copied.save(tmp_path / "again")
    assert pointree.load(tmp_path / "again", precision="fp32").parse_text("It slept.")
