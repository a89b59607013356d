"""`pointree train`: a treebank in, a model folder out."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pointree.cli.console import show, warn
from pointree.cli.options import new_app
from pointree.config import PRESETS, describe, load_config
from pointree.errors import UsageError

if TYPE_CHECKING:
    from pointree.training.checkpoint import Progress

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree train --train train.conllu --dev dev.conllu --output model
  pointree train --train train.conllu --dev dev.conllu --output model \\
      --vectors glove.txt.gz --set decoder.order=outside-in --set training.epochs=40
  pointree train --train train.conllu --dev dev.conllu --output model --resume
"""

app = new_app()


def _list_options(wanted: bool) -> None:
    if wanted:
        for option in describe():
            show(f"{option.name} = {option.default}\n    {option.help} ({option.expectation})")
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
        str | None, typer.Option("--preset", help=f"Settings to start from: {', '.join(PRESETS)}.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.FIELD=VALUE", help="One setting; may be given several times."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", metavar="FILE", help="Word vectors: word2vec, GloVe or fastText text, also gzipped."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the output folder.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse trees without a single root.")] = False,
    text_model: Annotated[
        bool | None,
        typer.Option(
            "--text-model/--no-text-model",
            help="Train a tokeniser and tagger for raw text too (default: if the treebank has `# text`).",
        ),
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="CPU threads (default: all cores).")] = None,
    device: Annotated[str, typer.Option("--device", help="Where to compute: cpu, cuda, …")] = "cpu",
    _options: Annotated[
        bool, typer.Option("--list-settings", callback=_list_options, is_eager=True, help="List all settings and exit.")
    ] = False,
) -> None:
    """Train a model on a treebank.

    After every epoch the dev treebank is parsed; the folder keeps the model with the best LAS, a line in
    metrics.jsonl, and a checkpoint. A run that was stopped goes on with --resume and ends with the same weights.
    """
    settings = load_config(config, overrides or (), preset)

    import torch

    from pointree.cli.training_display import TrainingDisplay
    from pointree.training.checkpoint import CHECKPOINT
    from pointree.training.data import read_gold
    from pointree.training.trainer import Trainer
    from pointree.treebank.vectors import read_vectors

    if threads is not None:
        torch.set_num_threads(threads)
    if not resume and (output / CHECKPOINT).exists():
        raise UsageError(f"{output}: holds a training run; add --resume to go on with it, or choose another folder")
    word_size = settings.embeddings.word_size
    pretrained = read_vectors(vectors, expected_size=word_size) if vectors is not None else None
    train_sentences = read_gold(train, strict=strict, warn=warn)
    dev_sentences = read_gold(dev, strict=strict, warn=warn)
    command_line = shlex.join(["pointree", *sys.argv[1:]])

    def card(progress: Progress) -> str:
        from pointree.training.card import model_card

        data: dict[str, Any] = {"train": train, "dev": dev, "vectors": vectors}
        counts = (len(train_sentences), sum(map(len, train_sentences)))
        return model_card(settings, progress, data, counts, command_line)

    with TrainingDisplay() as display:
        trainer = Trainer(
            settings, train_sentences, dev_sentences, output, pretrained, observer=display, card=card, device=device
        )
        if resume:
            trainer.resume()
        progress = trainer.run()
    _train_text_model(text_model, train_sentences, dev_sentences, output)
    show(f"{output}: best LAS on dev {progress.best_las:.2f} (epoch {progress.best_epoch})")


def _train_text_model(wanted: bool | None, train: Any, dev: Any, output: Path) -> None:
    from pointree.cli.training_display import TextModelDisplay
    from pointree.model_folder import TEXT_MODEL
    from pointree.training.tagger import train_text_model

    has_text = all(sentence.meta("text") is not None for sentence in train)
    if wanted is False or (wanted is None and not has_text) or (output / TEXT_MODEL).exists():
        return
    if not has_text:
        raise UsageError("--text-model: expected a `# text` comment in every training sentence, found some without")
    with TextModelDisplay() as display:
        train_text_model(train, dev, output / TEXT_MODEL, progress=display.update)
