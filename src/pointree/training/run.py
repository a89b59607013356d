"""`pointree.train`: treebanks in, a model folder out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pointree.config import READ_TAGS, Config, load_config
from pointree.config.rules import as_toml
from pointree.engines.torch_engine import resolve_device
from pointree.errors import UsageError
from pointree.models.card import model_card
from pointree.models.language import write_language
from pointree.models.layout import CHECKPOINT, LANGUAGE, MANIFEST, SEGMENTER_CHECKPOINT
from pointree.parser import Parser
from pointree.pretrained.cache_folder import CacheFolder, default_cache
from pointree.running.threads import prepare_process
from pointree.training.command import training_command
from pointree.training.data import read_gold
from pointree.training.distributed import join_group
from pointree.training.initial_model import InitialModel, load_initial_model
from pointree.training.observer import TrainingObserver
from pointree.training.tagging import RunTextModel
from pointree.training.trainer import Trainer
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import COLUMNS
from pointree.vocabulary.vectors import read_vectors

__all__ = ["TrainingResult", "resolve_settings", "train"]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a training run ended with.

    Attributes:
        folder: The folder of the model that was best on dev, by `selection.metric`; `pointree.load` reads it.
        best_las: Its LAS on dev, in percent.
        best_epoch: The epoch after which it was reached, from 1.
        epochs: How many epochs were trained, in all parts of the run.
    """

    folder: Path
    best_las: float
    best_epoch: int
    epochs: int


def train(
    train: PathLike | Sequence[PathLike],
    dev: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    config: Config | PathLike | None = None,
    preset: str | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    vectors: PathLike | None = None,
    init: PathLike | None = None,
    other_language: bool = False,
    teacher: PathLike | Sequence[PathLike] = (),
    resume: bool = False,
    strict: bool = False,
    text_model: bool | None = None,
    predicted_tags: bool = False,
    bundle_pretrained: bool = False,
    cache: PathLike | None = None,
    cache_gb: float = 20.0,
    device: str = "cpu",
    threads: int | None = None,
    observer: TrainingObserver | None = None,
    on_warning: Callable[[str], None] | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> TrainingResult:
    """Train a model on treebanks and return where it is and how good it is.

    Processes that `torchrun` starts train together: they share every batch, and the first of them writes.

    After every epoch the dev treebank is parsed. The output folder keeps the best model, a line in
    metrics.jsonl, and a checkpoint from which a run that was stopped can be resumed.

    Args:
        train: Treebanks to learn from, in CoNLL-U or CoNLL-X: one path, or several, which are read in order.
        dev: Treebanks that choose the best epoch, likewise.
        output: Folder of the model. It must not hold another one.
        config: Settings: a TOML file or a `Config`. What a file does not set keeps its default.
        preset: Name of the settings to start from; see `pointree.config.PRESETS`.
        settings: Single settings, which count most: ``["training.epochs=40"]`` or ``{"training.epochs": 40}``.
        vectors: Word vectors: word2vec, GloVe or fastText text, plain or gzipped.
        teacher: A trained model, or several that count alike, whose probabilities of arcs and labels the new model
            learns besides the gold trees.
        init: A trained model to fine-tune: its name, folder or Hub id. Its settings are the start, except the
            precision; only those of training and dropout may differ. Its vocabularies are extended by the new data. It
            keeps its segmenter and tagger unless ``text_model`` is true. A fine-tuned pretrained model goes on
            training, without dropout in it.
        other_language: Whether ``init`` is of another language than the data: its network is taken over, and its lemmas
            and what it knows of its language are not.
        resume: Go on with the run in the output folder, and end with the weights that it would have ended with.
        strict: Refuse a treebank with a sentence that is no tree with a single root.
        text_model: Learn to read raw text too: train a segmenter and, for a network that predicts no tags, a tagger.
            None trains them if the treebank has ``# text``.
        predicted_tags: Learn from tags as a tagger predicts them, not from gold ones.
        bundle_pretrained: Copy the pretrained model that the settings name into the output folder.
        cache: Folder for vectors of a frozen pretrained model; None is ``$POINTREE_CACHE``.
        cache_gb: Maximum size of that folder, in GB.
        device: Where to compute: ``cpu``, ``cuda``, …
        threads: CPU threads; None is all cores.
        observer: Told how the training goes on.
        on_warning: Told, in one line each, of sentences that were left out and the like. None makes them warnings of
            Python.
        on_notice: Told, in one line each, of old settings that were ignored or renamed.
    """
    trees = {"train": _paths(train), "dev": _paths(dev)}
    folder, warn = Path(output), on_warning or _warn
    observer = observer or TrainingObserver()
    resumed = _has_run(folder, resume, warn)
    if other_language and init is None:
        raise UsageError("other language: expected an initial model, which is of another language, found none")
    start = (
        None if init is None else load_initial_model(init, folder if resumed else None, other_language=other_language)
    )
    path = config if isinstance(config, Config) or config is None else Path(config)
    chosen = resolve_settings(path, preset, settings, start, on_notice)
    heads = [name for name in COLUMNS if getattr(chosen.heads, name)]
    if on_notice is not None and heads and not chosen.predicted_columns:
        reason = f"because the network reads tags (embeddings.tag = {as_toml(chosen.embeddings.tag)})"
        on_notice(f"heads: {', '.join(heads)} will not be predicted, {reason}")
    if bundle_pretrained and not chosen.embeddings.pretrained.model:
        raise UsageError("bundle pretrained: expected a pretrained model (embeddings.pretrained.model), found none")
    if _names(teacher) and chosen.decoder.order == "top-down":
        raise UsageError("teacher: expected a bottom-up decoder.order, found top-down, which learns from trees alone")
    prepare_process(threads)
    arithmetic = "bf16" if chosen.training.precision == "bf16" else None
    teachers = [Parser.load(name, device=device, precision=arithmetic) for name in _names(teacher)]
    for each in teachers:
        each.require_posteriors()
    group = join_group(device)  # of all processes that have seen whether there is a run to resume
    resolve_device(group.device)  # an unknown one is told before any stage begins
    word_vectors = None
    if vectors is not None:
        observer.stage_progressed("word vectors", 0, 1)
        word_vectors = read_vectors(vectors, expected_size=chosen.embeddings.word_size)
        observer.stage_progressed("word vectors", 1, 1)
    gold = _read(trees, strict, warn, observer)
    texts = RunTextModel(
        folder, start, observer, wanted=text_model, train=gold["train"], config=chosen, resumed=resumed
    )
    if predicted_tags:
        _check_tags(chosen, texts)
    card = partial(
        model_card,
        chosen,
        data={**trees, "vectors": [] if vectors is None else [Path(vectors)]},
        training_size=(len(gold["train"]), sum(map(len, gold["train"]))),
        command=training_command(
            trees["train"],
            trees["dev"],
            folder,
            config=path,
            preset=preset,
            settings=settings,
            vectors=vectors,
            init=init,
            other_language=other_language,
            teacher=_names(teacher),
            strict=strict,
            text_model=text_model,
            predicted_tags=predicted_tags,
            bundle_pretrained=bundle_pretrained,
        ),
        predicted_tags=predicted_tags,
        init=None if start is None else start.short_name,
        teachers=[Path(os.path.abspath(name)).name for name in _names(teacher)],
    )
    if predicted_tags:
        with group.first_alone():
            gold["train"], gold["dev"] = texts.predicted_tags(gold["train"], gold["dev"])
    with group.first_alone():
        segmenter = texts.segmenter(gold["train"], gold["dev"])
    trainer = Trainer(
        chosen,
        gold["train"],
        gold["dev"],
        folder,
        word_vectors,
        observer=observer,
        card=card,
        device=group.device,
        caches=CacheFolder(Path(cache) if cache is not None else default_cache(), int(cache_gb * 1e9)),
        bundle_pretrained=bundle_pretrained or (start is not None and start.carried is not None),
        init=start,
        segmenter=segmenter,
        teachers=teachers,
        group=group,
    )
    if resumed:
        trainer.resume()
    if group.is_first:
        texts.copy()
        if not (folder / LANGUAGE).exists():
            write_language(folder, gold["train"])
    progress = trainer.run()
    group.leave()
    if group.is_first:
        texts.finish(gold["train"], gold["dev"])
        trainer.calibrate()
    return TrainingResult(folder, progress.best_las, progress.best_epoch, progress.epoch)


def resolve_settings(
    config: Config | Path | None,
    preset: str | None,
    settings: Sequence[str] | Mapping[str, Any],
    init: InitialModel | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> Config:
    """All settings of a run, from the sources that `train` has for them."""
    if preset is not None and init is not None:
        raise UsageError(f"preset {preset}: expected no preset beside an initial model, which brings its own settings")
    if preset is not None and isinstance(config, Config):
        raise UsageError(f"preset {preset}: expected no preset beside a whole configuration")
    if init is not None:
        return init.settings(config, settings, on_notice)
    return load_config(config, settings, preset, on_notice=on_notice)


def _paths(files: PathLike | Sequence[PathLike]) -> list[Path]:
    found = [Path(files)] if isinstance(files, str | os.PathLike) else [Path(file) for file in files]
    if not found:
        raise UsageError("expected at least one treebank, found none")
    return found


def _read(
    trees: Mapping[str, Sequence[Path]], strict: bool, warn: Callable[[str], None], observer: TrainingObserver
) -> dict[str, list[Sentence]]:
    """The sentences of all treebanks by their roles."""
    gold: dict[str, list[Sentence]] = {role: [] for role in trees}
    files = [(role, path) for role, paths in trees.items() for path in paths]
    for number, (role, path) in enumerate(files):
        observer.stage_progressed("reading", number, len(files))
        gold[role] += read_gold(path, strict=strict, warn=warn)
    observer.stage_progressed("reading", len(files), len(files))
    return gold


def _names(models: PathLike | Sequence[PathLike]) -> list[str]:
    given = [models] if isinstance(models, str | os.PathLike) else models
    return [os.fspath(model) for model in given]


def _has_run(output: Path, resume: bool, warn: Callable[[str], None]) -> bool:
    """Whether there is a run to resume; one that would be overwritten is an error."""
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: expected a folder for the model, found a file")
    has_checkpoint = (output / CHECKPOINT).exists()
    if not resume and has_checkpoint:
        raise UsageError(f"{output}: holds a training run; resume it, or choose another folder")
    if not has_checkpoint and (output / MANIFEST).exists():
        raise UsageError(f"{output}: holds a model without the checkpoint of its training; choose another folder")
    if resume and not has_checkpoint and not (output / SEGMENTER_CHECKPOINT).exists():
        warn(f"{output}: nothing to resume; the training starts from the beginning")
    return has_checkpoint


def _check_tags(settings: Config, texts: RunTextModel) -> None:
    """Predicted tags need somebody who predicts them and somebody who reads them."""
    if not texts.exists:
        raise UsageError("predicted tags: expected a text model, whose tagger predicts them")
    if settings.embeddings.tag not in READ_TAGS:
        found = as_toml(settings.embeddings.tag)
        raise UsageError(f"predicted tags: expected embeddings.tag to be {' or '.join(READ_TAGS)}, found {found}")


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=3)
