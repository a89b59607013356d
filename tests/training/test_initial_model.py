"""Training that starts from a trained model: what it keeps, what it adds, and what it refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file

import pointree
from pointree.config import Config, PretrainedConfig, load_config
from pointree.errors import ConfigError, ModelError, TrainingError, UsageError
from pointree.models.layout import CHECKPOINT, MANIFEST, PRETRAINED, TEXT_MODEL, WEIGHTS
from pointree.models.shrink import shrink_model
from pointree.training.initial_model import InitialModel, load_initial_model
from pointree.training.observer import TrainingObserver
from pointree.training.run import TrainingResult, train
from pointree.training.trainer import Trainer, attachment_scores
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence
from pointree.vocabulary.vectors import Vectors

from ..helpers import COMBINATIONS, tiny_config, tiny_parser
from ..pretrained.small_models import make_pretrained
from .runs import small_config, small_data, small_trainer

SHORT = ["training.epochs=2"]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model."""
    folder = tmp_path_factory.mktemp("start") / "small"
    values = small_config(epochs=15, learning_rate=0.03, beta2=0.99, epsilon=1e-8).to_dict()
    for section in ("embeddings", "encoder", "decoder", "scorers"):
        values[section]["dropout"] = 0.0
    small_trainer(folder, Config.from_dict(values)).run()
    return folder


def other_data() -> list[Sentence]:
    """Longer sentences, with a tag and a label that the small model does not know."""
    sentences = [sentence.copy() for sentence in small_data()[1]]
    for sentence in sentences:
        for word in sentence.words:
            word.deprel = "determiner" if word.deprel == "det" else word.deprel
            word.upos = "ARTICLE" if word.upos == "DET" else word.upos
            word.form = "zzyzx" if word.form == "the" else word.form
    return sentences


def other_trainer(init: InitialModel, output: Path, **options: Any) -> Trainer:
    config = init.settings(None, options.pop("settings", SHORT))
    return Trainer(config, other_data(), other_data(), output, init=init, **options)


def write(path: Path, sentences: list[Sentence]) -> Path:
    with open(path, "w", encoding="utf-8") as stream:
        write_conllu(sentences, stream)
    return path


@pytest.fixture
def fine_tune(start: Path, tmp_path: Path) -> Callable[..., TrainingResult]:
    """Fine-tune the small model on the other data."""
    treebank = write(tmp_path / "other.conllu", other_data())

    def run(output: str, **options: Any) -> TrainingResult:
        given = {"init": start, "settings": SHORT, **options}
        return train(treebank, treebank, tmp_path / output, **given)

    return run


def test_vocabularies_grow_and_old_weights_stay(start: Path, tmp_path: Path) -> None:
    init = load_initial_model(start)
    trainer = other_trainer(init, tmp_path)
    old, new = init.vocabularies, trainer.vocabularies
    for name, added in (("deprels", "determiner"), ("tags", "ARTICLE")):
        known, united = getattr(old, name).symbols, getattr(new, name).symbols
        assert united[: len(known)] == known
        assert added in united[len(known) :]
    assert new.words.symbols[: len(old.words)] == old.words.symbols
    assert "zzyzx" in new.words
    assert "zzyzx" not in old.words
    before, now = load_file(start / WEIGHTS), trainer.network.state_dict()
    assert before.keys() == now.keys()
    grown = {name for name in now if now[name].shape != before[name].shape}
    assert grown == {
        *("embeddings.words", "embeddings.chars.embedding", "embeddings.tags"),
        *("labels.bilinear", "labels.dependent_linear", "labels.head_linear", "labels.bias"),
    }
    for name, tensor in before.items():
        assert now[name][tuple(map(slice, tensor.shape))].equal(tensor)
    size = init.config.scorers.label_size
    assert (
        now["labels.bilinear"]
        .unflatten(1, (-1, size))[:, : len(old.deprels)]
        .flatten(1)
        .equal(before["labels.bilinear"])
    )
    fresh = Trainer(trainer.config, other_data(), other_data(), tmp_path).network.state_dict()
    for name in ("embeddings.words", "embeddings.tags"):
        row = now[name][-1]
        assert 0 < float(row.abs().max()) <= 1.1 * float(fresh[name].abs().max())


def test_an_epoch_makes_it_better_and_the_start_helps(start: Path, tmp_path: Path) -> None:
    trainer = other_trainer(
        load_initial_model(start), tmp_path, settings=["training.epochs=1", "training.batch_size=2"]
    )
    before = attachment_scores(trainer.parser, trainer.dev)["las"]
    assert trainer.run().best_las > before
    scratch = Trainer(trainer.config, other_data(), other_data(), tmp_path / "scratch")
    assert trainer.progress.best_las > scratch.run().best_las


def test_the_precision_of_the_run_is_not_that_of_the_model(tmp_path: Path) -> None:
    tiny_parser(tiny_config(COMBINATIONS[1], {"training": {"precision": "bf16"}})).save(tmp_path)
    init = load_initial_model(tmp_path)
    assert init.settings(None).training.precision == "fp32"
    assert init.settings(None, ["training.precision=bf16"]).training.precision == "bf16"
    assert load_initial_model("gone", resumed=tmp_path).settings(None).training.precision == "bf16"


def test_vectors_are_where_new_words_start(start: Path, tmp_path: Path) -> None:
    init = load_initial_model(start)
    known = init.vocabularies.words.symbols[-1]
    vectors = Vectors([known, "zebra"], np.full((2, 8), 7.0, dtype=np.float32))
    trainer = other_trainer(init, tmp_path, vectors=vectors)
    table, lookup = trainer.network.state_dict()["embeddings.words"], trainer.vocabularies.words.lookup
    assert table[lookup("zebra")].tolist() == [7.0] * 8
    assert table[lookup(known)].equal(load_file(start / WEIGHTS)["embeddings.words"][-1])


def test_a_quantised_model_can_be_the_start(start: Path, tmp_path: Path) -> None:
    shrink_model(start, tmp_path / "shrunk", bits=8)
    trainer = other_trainer(load_initial_model(tmp_path / "shrunk"), tmp_path / "model")
    weights = trainer.network.state_dict()["arcs.bilinear"]
    assert (weights - load_file(start / WEIGHTS)["arcs.bilinear"]).abs().max() < 0.02
    trainer.run()
    assert pointree.load(tmp_path / "model").parse([["It", "rains"]])


def test_settings_of_training_and_dropout_may_differ(start: Path, tmp_path: Path) -> None:
    init = load_initial_model(start)
    path = tmp_path / "run.toml"
    path.write_text("[decoder]\ndropout = 0.1\nsize = 8\n[training]\naverage = 0.9\n")
    found = init.settings(path, {"training.learning_rate": 0.001})
    assert (found.decoder.dropout, found.training.average, found.training.learning_rate) == (0.1, 0.9, 0.001)
    assert (found.training.batch_size, found.training.epochs, found.encoder.size) == (6, 15, 8)
    with pytest.raises(ConfigError) as caught:
        init.settings(None, ["encoder.size=16", "decoder.order=outside-in", "training.epochs=3"])
    assert caught.value.faults == (
        f"model {start}: encoder.size must stay 8, found 16",
        f'model {start}: decoder.order must stay "left-to-right", found "outside-in"',
    )


def test_the_result_says_where_the_model_is(fine_tune: Callable[..., TrainingResult], tmp_path: Path) -> None:
    result = fine_tune("model", text_model=False)
    assert (result.folder, result.epochs) == (tmp_path / "model", 2)
    best = [json.loads(line)["dev_las"] for line in (result.folder / "metrics.jsonl").read_text().splitlines()]
    assert max(best) == pytest.approx(result.best_las, abs=1e-3)
    assert best[result.best_epoch - 1] == max(best)
    card = (result.folder / "README.md").read_text(encoding="utf-8")
    assert "The training started from the model small, " in card
    assert "--output model --init small --set training.epochs=2" in card
    assert "determiner" in pointree.load(result.folder).vocabularies.deprels.symbols


def test_a_preset_is_refused(fine_tune: Callable[..., TrainingResult]) -> None:
    with pytest.raises(UsageError, match=r"^preset quick: expected no preset beside an initial model, "):
        fine_tune("model", preset="quick")


def damaged(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-9])


def of_another_format(folder: Path) -> None:
    (folder / MANIFEST).write_text('{"format": 99}')


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damaged, "weights.safetensors: expected safetensors, found a damaged file"),
        (of_another_format, "pointree.json: expected format 1, found 99"),
        (shutil.rmtree, "no such model folder"),
    ],
)
def test_what_is_no_model_is_refused_in_a_line(
    change: Callable[[Path], None], message: str, start: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(start, folder)
    change(folder)
    with pytest.raises(ModelError, match=message) as caught:
        load_initial_model(folder)
    assert "\n" not in str(caught.value)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(ModelError, match=r"^model xx is unknown; available: "):
        load_initial_model("xx")


def test_a_resumed_run_needs_the_initial_model_no_more(
    start: Path, tmp_path: Path, fine_tune: Callable[..., TrainingResult]
) -> None:
    shutil.copytree(start, tmp_path / "gone")
    options: dict[str, Any] = {"init": tmp_path / "gone", "text_model": False, "settings": ["training.epochs=3"]}
    expected = fine_tune("whole", **options)
    observer = Stop()
    with pytest.raises(KeyboardInterrupt):
        fine_tune("parts", observer=observer, **options)
    shutil.rmtree(tmp_path / "gone")
    assert fine_tune("parts", resume=True, **options) == replace(expected, folder=tmp_path / "parts")
    assert (tmp_path / "parts" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    ended, should_end = load_file(tmp_path / "parts" / CHECKPOINT), load_file(tmp_path / "whole" / CHECKPOINT)
    assert all(ended[name].equal(tensor) for name, tensor in should_end.items())


class Stop(TrainingObserver):
    """Leaves after the first epoch."""

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        raise KeyboardInterrupt


def test_a_run_from_another_model_is_not_resumed(
    start: Path, tmp_path: Path, fine_tune: Callable[..., TrainingResult]
) -> None:
    fine_tune("model", text_model=False)
    with pytest.raises(TrainingError, match=r"was made with other data: init not as given now$"):
        fine_tune("model", text_model=False, resume=True, init=tmp_path / "another")


# Tokeniser and tagger


def test_the_text_model_of_the_start_is_kept(
    start: Path, tmp_path: Path, fine_tune: Callable[..., TrainingResult], text_model: Any
) -> None:
    shutil.copytree(start, tmp_path / "start")
    shutil.copy(text_model.name, tmp_path / "start" / TEXT_MODEL)
    (tmp_path / "start" / "LICENSE-encoder").write_text("free")
    folder = fine_tune("model", init=tmp_path / "start").folder
    assert (folder / TEXT_MODEL).read_bytes() == text_model.content()
    assert (folder / "LICENSE-encoder").read_text() == "free"


def test_the_tagger_of_the_start_can_predict_tags(
    start: Path, tmp_path: Path, fine_tune: Callable[..., TrainingResult], text_model: Any
) -> None:
    shutil.copytree(start, tmp_path / "start")
    shutil.copy(text_model.name, tmp_path / "start" / TEXT_MODEL)
    folder = fine_tune("model", init=tmp_path / "start", predicted_tags=True).folder
    tagged = list(read_conllu(folder / "train-tagged.conllu"))
    assert [sentence.words for sentence in tagged] == [each.words for each in text_model.tag(other_data())]
    assert "ARTICLE" not in pointree.load(folder).vocabularies.tags.symbols
    assert "predicted tags" in (folder / "README.md").read_text(encoding="utf-8")


# Predicted columns


def test_classes_of_predicted_columns_are_united(tmp_path: Path) -> None:
    small_trainer(tmp_path / "start", small_config(epochs=1, heads=True)).run()
    init = load_initial_model(tmp_path / "start")
    trainer = other_trainer(init, tmp_path / "model")
    old, new = (each.vocabularies.columns for each in (init, trainer))
    assert new.classes["upos"].symbols[: old.sizes["upos"]] == old.classes["upos"].symbols
    assert "ARTICLE" in new.classes["upos"].symbols[old.sizes["upos"] :]
    before, now = load_file(tmp_path / "start" / WEIGHTS), trainer.network.state_dict()
    for column in old.classes:
        name = f"heads.{column}.projection.weight"
        assert now[name][:, : old.sizes[column]].equal(before[name])
    trainer.run()
    assert "ARTICLE" in pointree.load(tmp_path / "model").vocabularies.columns.classes["upos"]


def test_columns_can_be_added_and_left_out(tmp_path: Path) -> None:
    only = ["heads.xpos=false", "heads.feats=false", "heads.lemma=false"]
    config = load_config(small_config(epochs=1, heads=True), only)
    small_trainer(tmp_path / "start", config).run()
    init = load_initial_model(tmp_path / "start")
    trainer = other_trainer(init, tmp_path / "model", settings=[*SHORT, "heads.lemma=true", "heads.upos=false"])
    assert list(trainer.network.heads) == ["lemma"]
    trainer.run()
    [parsed] = pointree.load(tmp_path / "model").parse([["Dogs", "bark"]])
    assert [(word.upos, word.lemma != "_") for word in parsed.words] == [("_", True)] * 2


# Pretrained models


@pytest.fixture(scope="module", params=["frozen", "tuned", "layers"])
def with_pretrained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model with a tiny BERT."""
    pytest.importorskip("transformers", reason="pretrained embeddings need transformers")
    folder = tmp_path_factory.mktemp(request.param)
    pretrained = PretrainedConfig(
        model=str(make_pretrained(folder / "tiny")),
        layers=(1, 3),
        fine_tune=request.param != "frozen",
        fine_tune_table=request.param == "tuned",
        learning_rate=0.003,
    )
    config = small_config(epochs=1)
    config = replace(config, embeddings=replace(config.embeddings, pretrained=pretrained))
    small_trainer(folder / "model", config, bundle_pretrained=request.param == "frozen").run()
    shutil.rmtree(folder / "tiny")
    return folder / "model"


def test_a_pretrained_model_goes_on_as_it_was(with_pretrained: Path, tmp_path: Path) -> None:
    init = load_initial_model(with_pretrained)
    trainer = other_trainer(init, tmp_path / "model", bundle_pretrained=True)
    before = load_file(with_pretrained / WEIGHTS)
    start = trainer.network.state_dict()
    own = [name for name in before if name.startswith("embeddings.pretrained.model.")]
    assert bool(own) == init.config.embeddings.pretrained.fine_tune
    assert all(start[name].equal(before[name]) for name in own)
    trainer.run()
    after = load_file(tmp_path / "model" / WEIGHTS)
    moved = {name for name in own if not after[name].equal(before[name])}
    tables = {name for name in own if name.endswith("word_embeddings.weight")}
    assert bool(moved) == bool(own)
    assert (tables <= moved) == init.config.embeddings.pretrained.fine_tune_table or not own
    assert (tmp_path / "model" / PRETRAINED).is_dir()
    assert pointree.load(tmp_path / "model").parse([["It", "rains"]])


def test_another_pretrained_model_is_refused(with_pretrained: Path, start: Path) -> None:
    setting = ["embeddings.pretrained.model=other"]
    with pytest.raises(ModelError, match=r'its pretrained model is ".*tiny", but the settings name "other"$'):
        load_initial_model(with_pretrained).settings(None, setting)
    with pytest.raises(ModelError, match=r'its pretrained model is none, but the settings name "other"$'):
        load_initial_model(start).settings(Config.from_dict(load_initial_model(start).config.to_dict()), setting)


def test_the_segmenter_of_another_language_is_not_taken_over() -> None:
    same, other = (load_initial_model("en-fast", other_language=is_other) for is_other in (False, True))
    assert same.network.segmenter is not None
    assert other.network.segmenter is None
    with pytest.raises(ConfigError, match=r"segmenter\.size must stay \d+, found 32"):
        same.settings(None, ["segmenter.size=32"])
    assert other.settings(None, ["segmenter.size=32"]).segmenter.size == 32
