"""An encoder from outside: this file registers a small transformer, and everything else takes it as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, layer_norm

import pointree
from pointree.bench.flops import counted_flops, forward_flops
from pointree.bench.synthetic import N_LABELS, WORD_CHARS, new_parser, random_sentences
from pointree.config import Config, EncoderConfig, load_config
from pointree.config.encoders import ENCODER_KIND, ENCODER_SETTINGS
from pointree.config.rules import as_toml, share, whole
from pointree.config.settings import describe
from pointree.errors import ConfigError, ModelError
from pointree.models.card import model_card
from pointree.models.shrink import shrink_model
from pointree.nn import initialise
from pointree.nn.dropout import drop_shared
from pointree.nn.encoders import ENCODERS, Encoder, register
from pointree.nn.linear import Mlp, Projection
from pointree.nn.packing import Packing
from pointree.options import ParseOptions
from pointree.search import search_steps
from pointree.search.resumable import run_to_end
from pointree.training.trainer import Trainer
from pointree.treebank.conllu import read_conllu

KIND = "test-transformer"


@dataclass(frozen=True, slots=True)
class TransformerConfig(EncoderConfig):
    """A transformer over the embeddings."""

    jointly: ClassVar[frozenset[str]] = frozenset({"width", "heads"})

    kind: str = field(default=KIND, metadata=ENCODER_KIND)
    width: int = field(default=32, metadata=whole("Width of all layers."))
    blocks: int = field(default=2, metadata=whole("Layers."))
    heads: int = field(default=4, metadata=whole("Attention heads of each layer."))
    dropout: float = field(default=0.1, metadata=share("Dropout of each layer."))

    @classmethod
    def conflicts(cls, values: Any) -> Iterator[str]:
        if values["width"] % values["heads"]:
            yield f"encoder.width must be a multiple of encoder.heads = {values['heads']}, found {values['width']}"

    def describe(self) -> str:
        return f"transformer {self.blocks} × {self.width} with {self.heads} heads"


class Block(nn.Module):
    """Attention and a perceptron, each added to its input, which is normalised first."""

    def __init__(self, *, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attended = Projection(inputs=width, outputs=3 * width)
        self.mixed = Projection(inputs=width, outputs=width)
        self.inner = Mlp(inputs=width, outputs=4 * width)
        self.outer = Projection(inputs=4 * width, outputs=width)

    def forward(self, rows: Tensor, packing: Packing) -> Tensor:
        width = rows.shape[1]
        padded = packing.pad(self.attended(layer_norm(rows, (width,))))
        query, key, value = padded.unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        exists = torch.from_numpy(packing.mask).to(rows.device)[:, None, None]
        scores = (query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])).masked_fill(~exists, float("-inf"))
        mixed = (scores.softmax(dim=3) @ value).transpose(1, 2).flatten(2).flatten(0, 1)
        rows = rows + self.mixed(mixed.index_select(0, packing.flat_index))
        return rows + self.outer(self.inner(layer_norm(rows, (width,))))


class Transformer(Encoder):
    """Its start state is the row of ROOT, half as wide as the others."""

    def __init__(self, settings: TransformerConfig, *, inputs: int) -> None:
        super().__init__(settings, inputs=inputs)
        self.inputs, self.size, self.state_size = inputs, settings.width, settings.width // 2
        self.dropout = settings.dropout
        self.input = Projection(inputs=inputs, outputs=settings.width)
        self.places = initialise.xavier(512, settings.width, fan_in=settings.width, fan_out=1)
        self.blocks = nn.ModuleList(Block(width=settings.width, heads=settings.heads) for _ in range(settings.blocks))
        self.start = Projection(inputs=settings.width, outputs=self.state_size)

    def set_dropout(self, probability: float) -> None:
        self.dropout = probability

    def forward(self, rows: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        owners, batch_size = packing.sentence_index, packing.batch_size
        steps = torch.repeat_interleave(torch.tensor(packing.active)).to(rows.device)
        rows = self.input(rows) + embedding(steps, self.places.to(rows.dtype))
        for block in self.blocks:
            rows = block(drop_shared(rows, owners, batch_size, self.dropout, self.training), packing)
        return rows, self.start(rows[:batch_size])

    def flops(self, n_positions: int) -> int:
        products = n_positions * self.inputs * self.size + self.size * self.state_size
        products += len(self.blocks) * n_positions * (12 * self.size**2 + 2 * n_positions * self.size)
        return 2 * products


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    register(TransformerConfig, Transformer)
    yield
    del ENCODERS[KIND], ENCODER_SETTINGS[KIND]


SETTINGS: dict[str, dict[str, Any]] = {
    "embeddings": {"word_size": 16, "char_size": 8, "char_filters": 8, "tag_size": 8, "min_count": 1},
    "encoder": {"kind": KIND, "width": 24, "heads": 3},
    "decoder": {"size": 16},
    "scorers": {"arc_size": 16, "label_size": 16},
    "training": {"epochs": 2, "schedule": "linear", "learning_rate": 0.01, "batch_size": 8},
}


@pytest.fixture(scope="module")
def model(ewt: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a parser that was trained for two epochs."""
    config = Config.from_dict(SETTINGS)
    sentences = list(read_conllu(ewt))
    folder = tmp_path_factory.mktemp("transformer") / "model"

    def card(progress: Any) -> str:
        return model_card(config, progress, {}, (60, 1), "pointree train")

    trainer = Trainer(config, sentences, sentences, folder, card=card)
    trainer.run()
    first, second = trainer.progress.metrics
    assert second["arc_loss"] < first["arc_loss"]
    return folder


@pytest.mark.slow
def test_it_is_trained_saved_and_loaded(model: Path, ewt: Path) -> None:
    parser = pointree.load(str(model), precision="fp32")
    assert isinstance(parser.network.encoder, Transformer)
    assert parser.config == Config.from_dict(SETTINGS)
    sentences = list(read_conllu(ewt))
    together = parser.parse(sentences)
    assert [parser.parse([sentence])[0].heads for sentence in sentences] == [parsed.heads for parsed in together]
    assert [parsed.deprels for parsed in together] == [parser.parse([each])[0].deprels for each in sentences]
    assert [parsed.heads for parsed in parser.parse(sentences, beam=1)] == [p.heads for p in together]


def test_it_is_shrunk(model: Path, ewt: Path, tmp_path: Path) -> None:
    shrink_model(model, tmp_path / "small", bits=8)
    sentences = list(read_conllu(ewt))[:5]
    small = pointree.load(tmp_path / "small", precision="fp32").parse(sentences)
    assert [len(parsed.heads) for parsed in small] == [len(sentence) for sentence in sentences]


def test_its_card_has_its_line(model: Path) -> None:
    assert "; encoder transformer 2 × 24 with 3 heads, decoder 16;" in (model / "README.md").read_text()


@pytest.mark.parametrize("length", [2, 9])
def test_its_operations_are_those_of_the_counter(length: int) -> None:
    config = Config.from_dict(SETTINGS)
    parser = new_parser(config)
    sentence = random_sentences([length], seed=length)[0]
    batch = parser.featurizer.batch([parser.featurizer.numbers_of(sentence)])
    with torch.no_grad():
        counted = counted_flops(lambda: run_to_end(search_steps(parser.engine.encode(batch), ParseOptions(), None)))
    chars = (len(set(sentence.forms)) + 1) * WORD_CHARS
    assert counted == forward_flops(config, length, n_labels=N_LABELS, chars=chars)


def test_the_network_sets_its_dropout() -> None:
    network = new_parser(Config.from_dict(SETTINGS)).network
    network.set_dropout(0.5)
    assert (network.encoder.dropout, network.output_dropout) == (0.05, 0.05)


def test_its_settings_come_from_files_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(Config.from_dict(SETTINGS).to_toml())
    assert load_config(path) == Config.from_dict(SETTINGS)
    config = load_config(path, ["encoder.heads=6"])
    assert config.encoder == TransformerConfig(width=24, heads=6)
    assert load_config(None, ["encoder.heads=2", f"encoder.kind={KIND}"]).encoder == TransformerConfig(heads=2)


def test_settings_of_another_encoder_are_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(Config().to_toml())
    for config in (load_config(path, [f"encoder.kind={KIND}"]), load_config(None, [f"encoder.kind={KIND}"], "quick")):
        assert config.encoder == TransformerConfig()


@pytest.mark.parametrize(
    ("override", "fault"),
    [
        ("encoder.heads=0", "settings: encoder.heads must be a whole number >= 1, found 0"),
        ("encoder.heads=5", "settings: encoder.width must be a multiple of encoder.heads = 5, found 32"),
        ("encoder.kinds=2", "settings: encoder.kinds is unknown; did you mean encoder.kind?"),
        ("encoder.head=2", "settings: encoder.head is unknown; did you mean encoder.heads?"),
    ],
)
def test_its_settings_are_checked(override: str, fault: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(None, [f"encoder.kind={KIND}", override])
    assert list(error.value.faults) == [fault]


def test_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError) as error:
        load_config(None, ["encoder.kind=mamba", "encoder.states=3"])
    assert list(error.value.faults) == [f'settings: encoder.kind must be one of bilstm, {KIND}, found "mamba"']


def test_its_settings_are_described() -> None:
    described = {
        setting.name: setting for setting in describe(Config.from_dict(SETTINGS)) if setting.name.startswith("encoder.")
    }
    assert list(described) == [f"encoder.{name}" for name in ("kind", "width", "blocks", "heads", "dropout")]
    assert described["encoder.kind"].expectation == f"one of bilstm, {KIND}"
    assert as_toml(described["encoder.heads"].default) == "4"
    assert "encoder.heads" not in {setting.name for setting in describe()}


def test_settings_are_of_one_kind() -> None:
    with pytest.raises(ConfigError, match=r'encoder\.kind must be "test-transformer" .* found "bilstm"'):
        TransformerConfig(kind="bilstm")
    with pytest.raises(ValueError, match="expected a new kind of encoder, found test-transformer"):
        register(TransformerConfig, Transformer)


def test_it_has_no_graph_so_it_runs_on_torch_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    new_parser(Config.from_dict(SETTINGS)).save(tmp_path)
    with caplog.at_level("INFO", logger="pointree.messages"):
        assert pointree.load(tmp_path).engine.name == "torch"
    assert f"runs on torch, because its encoder ({KIND}) has no graph" in caplog.text
    with pytest.raises(ModelError, match=rf"its encoder \({KIND}\) has no graph; use the engine torch$"):
        pointree.load(tmp_path, engine="onnx")


def test_a_model_whose_encoder_is_not_registered_is_refused(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ENCODER_SETTINGS, KIND)
    with pytest.raises(
        ModelError, match=r'config\.toml: encoder\.kind must be one of bilstm, found "test-transformer"'
    ):
        pointree.load(str(model))
