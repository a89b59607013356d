"""A trained model as the start of another training run, on other data.

The new run has the network of the old one. Its vocabularies grow by the words, characters, tags and labels of the new
data; what they had before keeps its weights, and what is new starts as in a fresh network.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from pointree.config import Config, TrainingConfig, describe, load_config
from pointree.config.rules import as_toml
from pointree.engines.torch_folder import load_folder
from pointree.errors import ConfigError, ModelError
from pointree.files import atomic_write, make_folder, reading
from pointree.models.layout import LANGUAGE, PRETRAINED, PRETRAINED_IDENTITY, TEXT_MODEL
from pointree.models.registry import resolve_model
from pointree.nn.model import PointerNetwork
from pointree.pretrained.identity import read_identity
from pointree.pretrained.loading import input_table, load_pretrained
from pointree.pretrained.model import PretrainedModel
from pointree.vocabulary import ColumnClasses, Vocabularies

__all__ = ["InitialModel", "load_initial_model"]

_MAY_DIFFER = (
    "embeddings.unk_replacement",
    "embeddings.min_count",
    "segmenter.epochs",
    "segmenter.learning_rate",
    "segmenter.min_count",
    "embeddings.pretrained.fine_tune_table",
    "embeddings.pretrained.learning_rate",
    "embeddings.pretrained.warmup",
    "heads.upos",
    "heads.xpos",
    "heads.feats",
    "heads.lemma",
    "heads.weight",
)
"""Settings that are neither of training nor a dropout and still leave the weights that the network has as they are."""


@dataclass(frozen=True, slots=True)
class InitialModel:
    """A trained model from which a run starts; `name` is what the user calls it."""

    name: str
    folder: Path
    config: Config
    vocabularies: Vocabularies
    network: PointerNetwork
    other_language: bool = False
    """Whether it is of another language: then its lemmas, segmenter and letter statistics are not taken over."""

    @property
    def short_name(self) -> str:
        """Its name without the folders of this machine."""
        return Path(os.path.abspath(self.name)).name

    @property
    def text_model(self) -> Path | None:
        """The file of its tokeniser and tagger, if it has them."""
        path = self.folder / TEXT_MODEL
        return path if path.exists() else None

    @property
    def carried(self) -> Path | None:
        """The folder of the pretrained model that it carries, if it does."""
        folder = self.folder / PRETRAINED
        return folder if folder.is_dir() else None

    def settings(
        self,
        config: Path | Config | None,
        settings: Sequence[str] | Mapping[str, Any] = (),
        on_notice: Callable[[str], None] | None = None,
    ) -> Config:
        """The model's settings with others laid over them, which must leave the network as it is."""
        found = load_config(config, settings, base=self.config, on_notice=on_notice)
        pairs = list(zip(describe(self.config), describe(found), strict=True))
        named = [setting.value for pair in pairs for setting in pair if setting.name == "embeddings.pretrained.model"]
        if named[0] != named[1]:
            own, other = (as_toml(name) if name else "none" for name in named)
            raise ModelError(f"model {self.name}: its pretrained model is {own}, but the settings name {other}")
        faults = [
            f"model {self.name}: {old.name} must stay {as_toml(old.value)}, found {as_toml(new.value)}"
            for old, new in pairs
            if old.value != new.value and not self._may_differ(old.name)
        ]
        if faults:
            raise ConfigError(faults)
        return found

    def _may_differ(self, setting: str) -> bool:
        free = ("training.", "selection.", *(("segmenter.",) if self.network.segmenter is None else ()))
        return setting.startswith(free) or setting.endswith(".dropout") or setting in _MAY_DIFFER

    def pretrained_model(self, config: Config) -> PretrainedModel | None:
        """Its pretrained model: a part of the network if it was fine-tuned, else the one that it was trained with.

        A fine-tuned one goes on training. A fine-tuned BERT has no dropout of its own then: it is read without
        `transformers`, by a network that has none.
        """
        pretrained, embedding = config.embeddings.pretrained, self.network.embeddings.pretrained
        if embedding is None:
            return None
        if embedding.model is None:
            expected = read_identity(self.folder / PRETRAINED_IDENTITY)
            return load_pretrained(pretrained, place=self.carried, expected=expected)
        embedding.model.requires_grad_(True)
        input_table(embedding.model.model).requires_grad_(pretrained.fine_tune_table)
        return embedding.model

    @torch.no_grad()
    def copy_weights(self, network: PointerNetwork) -> None:
        """Give a network with the same settings and larger vocabularies all weights of this one."""
        old = self.network.state_dict()
        for name, tensor in network.state_dict().items():
            # Old symbols come first in every vocabulary, and so do their rows and columns in every tensor.
            if name in old:  # a column that the old model did not predict has a fresh head
                tensor[tuple(slice(size) for size in old[name].shape)] = old[name]

    def copy_files(self, output: Path, *, text_model: bool) -> None:
        """Copy what a model made from this one needs: licences, language and, if wanted, the tokeniser and tagger."""
        files = [*self.folder.glob("LICEN[CS]E*")]
        if not self.other_language:
            files.extend(self.folder.glob(LANGUAGE))
        if text_model and self.text_model is not None:
            files.append(self.text_model)
        make_folder(output)
        for file in files:
            if not (output / file.name).exists():
                with reading(file), atomic_write(output / file.name, "b") as stream:
                    stream.write(file.read_bytes())


def load_initial_model(
    model: str | os.PathLike[str], resumed: Path | None = None, *, other_language: bool = False
) -> InitialModel:
    """Load a model by its name, its folder or its Hub id; what cannot be one is a `ModelError`.

    Its settings are the start of the run's, except the precision: the new run may be on another machine.

    A run that is ``resumed`` has in its own folder all that it took from the model, which need not be there any more.
    """
    name = os.fspath(model)
    if resumed is not None:
        with suppress(ModelError):  # it may have been killed before it wrote everything
            return _initial_model(name, resumed, other_language)
    found = _initial_model(name, resolve_model(model), other_language)
    training = replace(found.config.training, precision=TrainingConfig().precision)
    return replace(found, config=replace(found.config, training=training))


def _initial_model(name: str, folder: Path, other_language: bool) -> InitialModel:
    config, vocabularies, network = load_folder(folder)
    if other_language:
        vocabularies = replace(vocabularies, columns=ColumnClasses(vocabularies.columns.classes))
        network.segmenter = None
    return InitialModel(name, folder, config, vocabularies, network, other_language)
