"""`pointree.train`: what the command does, as a function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.config import Config
from pointree.errors import ConfigError, UsageError
from pointree.models.layout import WEIGHTS
from pointree.training.command import training_command
from pointree.training.observer import TrainingObserver
from pointree.training.run import resolve_settings
from pointree.treebank.conllu import read_conllu, write_conllu

from .runs import small_config

TREE, CYCLE = [(1, 0), (2, 1)], [(1, 0), (2, 3), (3, 2)]


class Epochs(TrainingObserver):
    """Counts epochs, and ignores everything else."""

    def __init__(self) -> None:
        self.ended: list[int] = []

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        self.ended.append(metrics["epoch"])


def test_a_treebank_becomes_a_model(ewt: Path, tmp_path: Path) -> None:
    observer, told = Epochs(), list[str]()
    result = pointree.train(
        str(ewt),
        [ewt],
        tmp_path / "model",
        config=small_config(),
        settings={"training.epochs": 2},
        text_model=False,
        resume=True,
        observer=observer,
        on_warning=told.append,
    )
    assert (result.folder, result.epochs, observer.ended) == (tmp_path / "model", 2, [1, 2])
    assert told == [f"{tmp_path / 'model'}: nothing to resume; the training starts from the beginning"]
    assert pointree.load(result.folder).config.training.epochs == 2
    card = (result.folder / "README.md").read_text(encoding="utf-8")
    assert "--output model --set embeddings.word_size=8 --set" in card
    assert "--set training.epochs=2 --no-text-model\n" in card


def test_warnings_are_those_of_python_unless_somebody_listens(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    blocks = ["".join(f"{i}\tw\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, head in heads) for heads in (TREE, CYCLE)]
    path.write_text("\n".join([*blocks, ""]))
    with pytest.warns(UserWarning, match="left out because they are no trees: sentence 2: cycle") as caught:
        pointree.train(path, path, tmp_path / "model", config=small_config(epochs=1))
    assert len(caught) == 2


def test_several_treebanks_are_read_in_order(ewt: Path, tmp_path: Path) -> None:
    sentences = list(read_conllu(ewt))
    parts = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    for path, part in zip(parts, (sentences[:20], sentences[20:]), strict=True):
        with open(path, "w", encoding="utf-8") as stream:
            write_conllu(part, stream)
    for name, treebank in (("one", ewt), ("two", parts)):
        pointree.train(treebank, treebank, tmp_path / name, config=small_config(epochs=1), text_model=False)
    assert (tmp_path / "one" / WEIGHTS).read_bytes() == (tmp_path / "two" / WEIGHTS).read_bytes()


def test_what_cannot_be_trained_is_told_before_anything_is_written(ewt: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^expected at least one treebank, found none$"):
        pointree.train([], ewt, tmp_path / "model")
    with pytest.raises(ConfigError, match=r"^settings: training\.rest was removed in 0\.2, found 0\.5$"):
        pointree.train(ewt, ewt, tmp_path / "model", settings=["training.rest=0.5"])
    with pytest.raises(UsageError, match=r"^preset quick: expected no preset beside a whole configuration$"):
        resolve_settings(Config(), "quick", ())
    assert not (tmp_path / "model").exists()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"file: expected a folder for the model, found a file$"):
        pointree.train(ewt, ewt, tmp_path / "file")


def test_heads_that_a_network_with_tags_ignores_are_told(ewt: Path, tmp_path: Path) -> None:
    notices: list[str] = []
    config = small_config(epochs=1, heads=True)
    config = replace(config, embeddings=replace(config.embeddings, tag="upos"))
    pointree.train(ewt, ewt, tmp_path / "model", config=config, text_model=False, on_notice=notices.append)
    reason = 'because the network reads tags (embeddings.tag = "upos")'
    assert notices == [f"heads: upos, xpos, feats, lemma will not be predicted, {reason}"]


def test_the_command_of_a_card_has_no_folders_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    command = training_command(
        [tmp_path / "a b.conllu", tmp_path / "c.conllu"],
        [tmp_path / "dev.conllu"],
        tmp_path / "model",
        config=tmp_path / "run.toml",
        preset="cpu",
        settings=[f"embeddings.pretrained.model={tmp_path / 'bert'}", "training.epochs=3"],
        vectors=tmp_path / "glove.txt",
        init=tmp_path / "start",
        strict=True,
        text_model=True,
        bundle_pretrained=True,
    )
    assert command == (
        "pointree train --train 'a b.conllu' --train c.conllu --dev dev.conllu --output model --init start "
        "--preset cpu --config run.toml --vectors glove.txt --set embeddings.pretrained.model=bert "
        "--set training.epochs=3 --text-model --strict --bundle-pretrained"
    )
    nested = {"embeddings.pretrained": {"model": str(tmp_path / "bert"), "layers": (1, 2)}}
    assert training_command([], [], Path("m"), settings=nested) == (
        "pointree train --output m --set embeddings.pretrained.model=bert --set 'embeddings.pretrained.layers=[1, 2]'"
    )
