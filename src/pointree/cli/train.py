"""`pointree train`: a treebank in, a model folder out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pointree.cli.console import show, warn
from pointree.cli.options import DeviceOption, ThreadsOption, new_app
from pointree.config import PRESETS, READ_TAGS, Config, describe, load_config
from pointree.config.rules import as_toml
from pointree.errors import OutputError, UsageError
from pointree.models.layout import CHECKPOINT, MANIFEST, TEXT_MODEL

if TYPE_CHECKING:
    from pointree.training.checkpoint import RunState
    from pointree.treebank.sentence import Sentence

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree train --train train.conllu --dev dev.conllu --output model
  pointree train --train train.conllu --dev dev.conllu --output model \\
      --vectors glove.txt.gz --set decoder.order=outside-in --set training.epochs=40
  pointree train --train train.conllu --dev dev.conllu --output model \\
      --set embeddings.pretrained.model=bert-base-cased --bundle-pretrained
  pointree train --train train.conllu --dev dev.conllu --output model --predicted-tags
  pointree train --train train.conllu --dev dev.conllu --output model --resume
  pointree train --train train.conllu --dev dev.conllu --output model --resume \\
      --preset cpu --set training.epochs=60 --set 'training.restarts=[36]'    # 24 epochs more
"""

app = new_app()


def _list_options(wanted: bool) -> None:
    if wanted:
        for option in describe():
            show(f"{option.name} = {as_toml(option.default)}\n    {option.help} ({option.expectation})")
        raise typer.Exit


@app.command("train", epilog=EXAMPLES)
def command(
    train: Annotated[Path, typer.Option("--train", metavar="FILE", help="Treebank to learn from.")],
    dev: Annotated[Path, typer.Option("--dev", metavar="FILE", help="Treebank that chooses the best epoch.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the model.")],
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings in TOML; the rest keeps its defaults.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help=f"Settings to start from: {', '.join(PRESETS)}.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.FIELD=VALUE", help="One setting; may be given several times."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", metavar="FILE", help="Word vectors: word2vec, GloVe or fastText text, also gzipped."),
    ] = None,
    bundle_pretrained: Annotated[
        bool, typer.Option("--bundle-pretrained", help="Copy the encoder of pretrained embeddings into the model.")
    ] = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="DIR", help="Where vectors of a frozen encoder are kept (default: $POINTREE_CACHE)."
        ),
    ] = None,
    cache_gb: Annotated[
        float, typer.Option("--cache-gb", metavar="N", min=0, help="What that folder may hold at most, in GB.")
    ] = 20.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the output folder.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a treebank with a sentence that is no tree with a single root.")
    ] = False,
    text_model: Annotated[
        bool | None,
        typer.Option(
            "--text-model/--no-text-model",
            help="Train a tokeniser and tagger for raw text too (default: if the treebank has `# text`).",
        ),
    ] = None,
    predicted_tags: Annotated[
        bool,
        typer.Option(
            "--predicted-tags",
            help="Learn from tags as the text model predicts them, not from gold ones.",
        ),
    ] = False,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
    _options: Annotated[
        bool, typer.Option("--list-settings", callback=_list_options, is_eager=True, help="List all settings and exit.")
    ] = False,
) -> None:
    """Train a model on a treebank.

    After every epoch the dev treebank is parsed; the folder keeps the model with the best LAS, a line in
    metrics.jsonl, and a checkpoint. A run that was stopped goes on with --resume and ends with the same weights.
    """
    settings = load_config(config, overrides or (), preset)
    if bundle_pretrained and not settings.embeddings.pretrained.model:
        raise UsageError("--bundle-pretrained: expected embeddings.pretrained.model to name an encoder, found none")
    resume = _check_output(output, resume)

    from pointree.cli.training_display import TrainingDisplay
    from pointree.models.card import model_card, pretrained_folder
    from pointree.pretrained import CacheFolder, default_cache
    from pointree.running.threads import prepare_process
    from pointree.training.data import read_gold
    from pointree.training.trainer import Trainer
    from pointree.vocabulary.vectors import read_vectors

    prepare_process(threads)
    word_size = settings.embeddings.word_size
    pretrained = read_vectors(vectors, expected_size=word_size) if vectors is not None else None
    train_sentences = read_gold(train, strict=strict, warn=warn)
    dev_sentences = read_gold(dev, strict=strict, warn=warn)
    text_model = _wants_text_model(text_model, train_sentences)
    if predicted_tags:
        _check_tags(settings, text_model)
    counts = len(train_sentences), sum(map(len, train_sentences))
    encoder = pretrained_folder(settings.embeddings.pretrained.model)
    command_line = _command_line(train, dev, output, config, vectors, encoder)

    def card(progress: RunState) -> str:
        files = {"train": train, "dev": dev, "vectors": vectors}
        return model_card(settings, progress, files, counts, command_line, predicted_tags=predicted_tags)

    try:
        if predicted_tags:
            tagged = _tagged_before(train_sentences, dev_sentences, output)
            if tagged is None:
                _train_text_model(train_sentences, dev_sentences, output)
                tagged = _predict_tags(train_sentences, dev_sentences, output)
            train_sentences, dev_sentences = tagged
        with TrainingDisplay() as display:
            trainer = Trainer(
                settings,
                train_sentences,
                dev_sentences,
                output,
                pretrained,
                observer=display,
                card=card,
                device=device,
                caches=CacheFolder(cache or default_cache(), int(cache_gb * 1e9)),
                bundle_pretrained=bundle_pretrained,
                features_progress=display.features_computed,
            )
            if resume:
                trainer.resume()
            progress = trainer.run()
        if text_model and not (predicted_tags or _has_text_model(output)):
            _train_text_model(train_sentences, dev_sentences, output)
    except KeyboardInterrupt:
        warn(f"{output}: stopped; the same command with --resume goes on")
        raise
    show(f"{output}: best LAS on dev {progress.best_las:.2f} (epoch {progress.best_epoch})")


def _check_output(output: Path, resume: bool) -> bool:
    """Whether there is a run to resume; one that would be overwritten is an error."""
    has_checkpoint = (output / CHECKPOINT).exists()
    if not resume and has_checkpoint:
        raise UsageError(f"{output}: holds a training run; add --resume to go on with it, or choose another folder")
    if not has_checkpoint and (output / MANIFEST).exists():
        raise UsageError(f"{output}: holds a model without the checkpoint of its training; choose another folder")
    if resume and not has_checkpoint:
        warn(f"{output}: nothing to resume; the training starts from the beginning")
    return has_checkpoint


def _command_line(*paths: Path | None) -> str:
    """The command that makes the model, without folders of this machine and without --resume."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
    for path in paths:
        if path is not None and path.name:
            arguments = [argument.replace(str(path), path.name) for argument in arguments]
    return shlex.join(["pointree", *arguments])


def _wants_text_model(wanted: bool | None, train: Sequence[Sentence]) -> bool:
    """Whether to train a text model: if asked, or if nothing is said and the treebank has what it takes."""
    without = next((number for number, sentence in enumerate(train, 1) if sentence.meta("text") is None), None)
    if wanted and without is not None:
        raise UsageError(
            f"--text-model: expected a `# text` comment in every sentence, found none in sentence {without}"
        )
    return without is None if wanted is None else wanted


def _check_tags(settings: Config, text_model: bool) -> None:
    """Predicted tags need somebody who predicts them and somebody who reads them."""
    if not text_model:
        raise UsageError("--predicted-tags: expected a text model, whose tagger predicts them; see --text-model")
    if settings.embeddings.tag not in READ_TAGS:
        found = as_toml(settings.embeddings.tag)
        raise UsageError(f"--predicted-tags: expected embeddings.tag to be {' or '.join(READ_TAGS)}, found {found}")


def _tagged_files(output: Path) -> tuple[Path, Path]:
    """Where a run keeps its treebanks with predicted tags."""
    return output / "train-tagged.conllu", output / "dev-tagged.conllu"


def _tagged_before(
    train: Sequence[Sentence], dev: Sequence[Sentence], output: Path
) -> tuple[list[Sentence], list[Sentence]] | None:
    """The treebanks that this run tagged before it was stopped, if it did; those of another run are an error."""
    from pointree.treebank.conllu import read_conllu

    places = _tagged_files(output)
    if not (_has_text_model(output) and all(place.exists() for place in places)):
        return None
    found = list(read_conllu(places[0])), list(read_conllu(places[1]))
    for place, before, now in zip(places, found, (train, dev), strict=True):
        if [_gold(sentence) for sentence in before] != [_gold(sentence) for sentence in now]:
            raise UsageError(f"{place}: was made from another treebank; choose another folder")
    return found


def _gold(sentence: Sentence) -> tuple[Any, ...]:
    """What tagging leaves as it is."""
    return tuple((word.form, word.head, word.deprel) for word in sentence.words)


def _has_text_model(output: Path) -> bool:

    return (output / TEXT_MODEL).exists()


def _predict_tags(
    train: Sequence[Sentence], dev: Sequence[Sentence], output: Path
) -> tuple[list[Sentence], list[Sentence]]:
    """The treebanks with tags such as raw text will have, which are also kept for a run that is resumed."""
    from pointree.cli.training_display import TextModelDisplay
    from pointree.files import atomic_write
    from pointree.text.udpipe import TextModel
    from pointree.training.jackknife import jackknife_tags
    from pointree.training.text_model import TaggerOptions
    from pointree.treebank.conllu import write_conllu

    with TextModelDisplay() as display:
        tagged = jackknife_tags(train, dev, tagger=TaggerOptions(lemmas=False), progress=display.update)
    found = list(tagged), list(TextModel.load(output / TEXT_MODEL).tag(dev))
    for place, sentences in zip(_tagged_files(output), found, strict=True):
        with atomic_write(place) as stream:
            write_conllu(sentences, stream)
    return found


def _train_text_model(train: Sequence[Sentence], dev: Sequence[Sentence], output: Path) -> None:
    from pointree.cli.training_display import TextModelDisplay
    from pointree.training.text_model import train_text_model

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from error
    with TextModelDisplay() as display:
        train_text_model(train, dev, output / TEXT_MODEL, progress=display.update)
