"""`pointree train`: treebanks in, a model folder out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import notice, show, warn
from pointree.cli.messages import silence
from pointree.cli.options import DeviceOption, ThreadsOption, new_app
from pointree.config import PRESETS, describe, load_config
from pointree.config.rules import as_toml
from pointree.errors import PointreeError, TrainingError, UsageError

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree train --train train.conllu --dev dev.conllu --output model
  pointree train --train news.conllu --train web.conllu --dev dev.conllu --output model
  pointree train --train train.conllu --dev dev.conllu --output model \\
      --vectors glove.txt.gz --set decoder.order=outside-in --set training.epochs=40
  pointree train --train train.conllu --dev dev.conllu --output model \\
      --set embeddings.pretrained.model=bert-base-cased --bundle-pretrained
  pointree train --train train.conllu --dev dev.conllu --output model --predicted-tags
  pointree train --train train.conllu --dev dev.conllu --output model --resume
  pointree train --train mine.conllu --dev mine-dev.conllu --output mine --init en \\
      --set training.epochs=5 --set training.learning_rate=1e-3
  pointree train --preset quick --list-settings
  torchrun --nproc-per-node 8 -m pointree train --train train.conllu --dev dev.conllu --output model --device cuda
"""

app = new_app()


@app.command("train", epilog=EXAMPLES)
def command(
    train: Annotated[
        list[Path] | None,
        typer.Option("--train", metavar="FILE", help="Treebank to learn from (required); may be given several times."),
    ] = None,
    dev: Annotated[
        list[Path] | None,
        typer.Option(
            "--dev", metavar="FILE", help="Treebank that chooses the best epoch (required); may be given several times."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder of the model (required).")
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(
            "--init", metavar="MODEL", help="Fine-tune this model: its name, folder or Hub id. Keeps its settings."
        ),
    ] = None,
    other_language: Annotated[
        bool,
        typer.Option("--other-language", help="--init is of another language: keep its network and not its lemmas."),
    ] = False,
    teacher: Annotated[
        list[str] | None,
        typer.Option(
            "--teacher",
            metavar="MODEL",
            help="Learn this model's probabilities besides the gold trees; may be given several times.",
        ),
    ] = None,
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
        bool, typer.Option("--bundle-pretrained", help="Copy the pretrained model into the model folder.")
    ] = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="DIR",
            help="Folder for the vectors of a frozen pretrained model (default: $POINTREE_CACHE).",
        ),
    ] = None,
    cache_gb: Annotated[
        float, typer.Option("--cache-gb", metavar="N", min=0, help="Maximum size of that folder, in GB.")
    ] = 20.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the output folder.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a treebank with a sentence that is no tree with a single root.")
    ] = False,
    text_model: Annotated[
        bool | None,
        typer.Option(
            "--text-model/--no-text-model",
            help="Learn to read raw text too (default: if the treebank has `# text`).",
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
    list_settings: Annotated[
        bool, typer.Option("--list-settings", help="List all settings with the values of this run, and exit.")
    ] = False,
) -> None:
    """Train a model on treebanks.

    After every epoch the dev treebank is parsed; the folder keeps the model with the best LAS, a line in
    metrics.jsonl, and a checkpoint. A run that was stopped goes on with --resume and ends with the same weights.
    """
    settings = overrides or []
    if list_settings:
        _list_settings(config, settings, preset, init)
        return
    if not train or not dev or output is None:
        missing = "--train" if not train else "--dev" if not dev else "--output"
        raise UsageError(f"Missing option '{missing}'; see pointree train --help")
    if init is None:
        load_config(config, settings, preset)  # faults of the settings are told before torch is imported

    from pointree.cli.training_display import TrainingDisplay
    from pointree.training.observer import TrainingObserver
    from pointree.training.run import train as run_training

    is_first = os.environ.get("RANK", "0") == "0"  # of the processes that torchrun starts, one speaks
    if not is_first:
        silence()
    try:
        with TrainingDisplay() if is_first else nullcontext(TrainingObserver()) as display:
            result = run_training(
                train,
                dev,
                output,
                config=config,
                preset=preset,
                settings=settings,
                vectors=vectors,
                init=init,
                other_language=other_language,
                teacher=teacher or (),
                resume=resume,
                strict=strict,
                text_model=text_model,
                predicted_tags=predicted_tags,
                bundle_pretrained=bundle_pretrained,
                cache=cache,
                cache_gb=cache_gb,
                device=device,
                threads=threads,
                observer=display,
                on_warning=warn,
                on_notice=notice,
            )
    except KeyboardInterrupt:
        warn(f"{output}: stopped; the same command with --resume goes on")
        raise
    except PointreeError as error:
        if is_first or isinstance(error, TrainingError):
            raise
        raise typer.Exit(2) from None  # what is wrong with arguments and files, the first process tells
    if is_first:
        show(f"{output}: best LAS on dev {result.best_las:.2f} (epoch {result.best_epoch})")


def _list_settings(config: Path | None, settings: Sequence[str], preset: str | None, init: str | None) -> None:
    """Show every setting with its value, and its default where that is another one."""
    if init is None:
        chosen = load_config(config, settings, preset, on_notice=notice)
    else:
        from pointree.training.initial_model import load_initial_model
        from pointree.training.run import resolve_settings

        chosen = resolve_settings(config, preset, settings, load_initial_model(init), notice)
    for setting in describe(chosen):
        default = "" if setting.value == setting.default else f"; default {as_toml(setting.default)}"
        show(f"{setting.name} = {as_toml(setting.value)}\n    {setting.help} ({setting.expectation}{default})")
