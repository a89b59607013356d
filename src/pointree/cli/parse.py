"""`pointree parse`: text or treebanks in, trees out."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from pointree.cli.console import track, warn
from pointree.cli.options import DeviceOption, PrecisionOption, ThreadsOption, new_app
from pointree.cli.sources import FORMATS as INPUT_FORMATS
from pointree.cli.sources import Source, find_sources, read_source
from pointree.errors import FormatError, InputError, UsageError
from pointree.files import atomic_write
from pointree.rendering import FORMATS, write
from pointree.rendering.json_format import write_array
from pointree.running.workers import parse_with_workers
from pointree.treebank.sentence import Sentence

if TYPE_CHECKING:
    from pointree.ensemble import Ensemble
    from pointree.parser import Parser

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree parse "John and Mary play tennis together."
  pointree parse article.txt --to svg --output article.svg
  pointree parse treebank.conllu --output parsed.conllu --beam 10
  pointree parse treebank.conllu --model l2r --model r2l --model oi --output parsed.conllu
  cat text | pointree parse --to json
"""

TRACE = "trace"
OUTPUT_FORMATS = (*FORMATS, TRACE)
"""Drawings and files of trees, and the account of how the parser came to them."""

_SUFFIXES = {".json": "json", ".svg": "svg", ".tex": "tikz"}

app = new_app()


@app.command("parse", epilog=EXAMPLES)
def command(
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT|FILE|GLOB|-", help="What to parse; nothing or - is stdin.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Name, folder or Hugging Face Hub id of a model (default: en); several parse together.",
        ),
    ] = None,
    combine: Annotated[
        str | None,
        typer.Option(
            "--combine",
            metavar="CHOICE",
            help="How several models make one tree: posteriors (default), expected or votes.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to standard output.")
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help=f"Input format: {', '.join(INPUT_FORMATS)} (default: guessed)."),
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"Output format: {', '.join(OUTPUT_FORMATS)} (default: by the suffix of the output; tree on a "
            "terminal, else conllu).",
        ),
    ] = None,
    presegmented: Annotated[bool, typer.Option("--presegmented", help="Text has one sentence a line.")] = False,
    retag: Annotated[bool, typer.Option("--retag", help="Replace given tags by those of the model.")] = False,
    beam: Annotated[int, typer.Option("--beam", metavar="N", min=1, help="Hypotheses to keep; 1 is greedy.")] = 1,
    n_best: Annotated[
        int, typer.Option("--n-best", metavar="N", min=1, help="Trees to write for each sentence, best first.")
    ] = 1,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write HeadProb= and DeprelProb= into MISC.")
    ] = False,
    projective: Annotated[bool, typer.Option("--projective", help="Allow no crossing arcs.")] = False,
    multi_root: Annotated[bool, typer.Option("--multi-root", help="Allow several words to depend on ROOT.")] = False,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out malformed sentences and say which.")
    ] = False,
    precision: PrecisionOption = "auto",
    threads: ThreadsOption = None,
    batch_words: Annotated[
        int, typer.Option("--batch-words", metavar="N", min=1, help="Words parsed together.")
    ] = 2500,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", metavar="N", min=1, help="Processes that parse; --threads is then for each (default: 1)."
        ),
    ] = 1,
    device: DeviceOption = "cpu",
) -> None:
    """Parse text or treebanks.

    Arguments that name files are read; other arguments are text themselves. Text is split into sentences and words
    and tagged by the model. CoNLL-U keeps everything that it has but for HEAD and DEPREL.
    """
    sources = find_sources(inputs or ())
    _check_choice("--from", input_format, INPUT_FORMATS)
    _check_choice("--to", output_format, OUTPUT_FORMATS)
    target = output_format or _default_format(output)
    if target == TRACE:
        _check_trace({"--n-best": n_best > 1, "--workers": workers > 1, "--probabilities": probabilities})
    models = model or ["en"]
    if len(models) > 1 or combine is not None:
        _check_ensemble(target, {"--beam": beam, "--n-best": n_best, "--workers": workers})
    parser = _load(models, combine, precision, device, threads)

    from pointree.parser import Parser, load

    skipped: list[FormatError] = []

    def skip(error: FormatError) -> None:
        skipped.append(error)
        warn(f"skipped: {error}")

    sentences = _read(sources, parser, input_format, presegmented, skip if skip_invalid else None)
    how: dict[str, Any] = {
        "single_root": not multi_root,
        "projective": projective,
        "retag": retag,
    }
    parsed: Iterator[Any]
    if not isinstance(parser, Parser):
        parsed = parser.stream(sentences, **how, probabilities=probabilities, batch_words=batch_words)
    elif target == TRACE:
        how["beam_width"] = beam
        parsed = (parser.trace(sentence, **how).to_object() for sentence in sentences)
    else:
        how |= {"beam_width": beam, "n_best": n_best, "probabilities": probabilities, "batch_words": batch_words}
        if workers > 1:
            parsed = parse_with_workers(
                partial(load, models[0], precision=precision, device=device),
                sentences,
                workers=workers,
                threads=threads or 1,
                **how,
            )
        else:
            parsed = parser.stream(sentences, **how)
    stream_context: Any = atomic_write(output) if output is not None else nullcontext(_standard_output())
    with stream_context as stream:
        shown = track(parsed, "parsing") if output is not None else parsed
        if target == TRACE:
            write_array(shown, stream)
        else:
            write(shown, stream, target, colour=output is None and sys.stdout.isatty())
    if skipped:
        warn(f"malformed sentences that were skipped: {len(skipped):,}")


def _load(
    models: list[str], combine: str | None, precision: str, device: str, threads: int | None
) -> Parser | Ensemble:
    import pointree
    from pointree.running.threads import prepare_process

    prepare_process(threads)
    if len(models) == 1 and combine is None:
        return pointree.load(models[0], precision=precision, device=device)
    from pointree.ensemble import load_ensemble

    return load_ensemble(models, combine=combine or "posteriors", precision=precision, device=device)


def _check_trace(options: dict[str, bool]) -> None:
    """A trace tells of one tree a sentence, made in one process, and has all probabilities."""
    for option, given in options.items():
        if given:
            raise UsageError(f"--to {TRACE} goes without {option}")


def _check_ensemble(target: str, numbers: dict[str, int]) -> None:
    """Several models parse greedily, in one process, to one tree."""
    for option, number in numbers.items():
        if number > 1:
            raise UsageError(f"{option} {number} is for one model, found several models or --combine")
    if target == TRACE:
        raise UsageError(f"--to {TRACE} tells of one model, found several models or --combine")


def _read(
    sources: list[Source], parser: Parser | Ensemble, format_: str | None, presegmented: bool, on_invalid: Any
) -> Iterator[Sentence]:
    found = False
    for number, source in enumerate(sources, 1):
        prefix = f"{number}-" if len(sources) > 1 else ""
        for sentence in read_source(
            source,
            format_,
            parser.require_text_model,
            presegmented=presegmented,
            prefix=prefix,
            on_invalid=on_invalid,
        ):
            found = True
            yield sentence
    if not found:
        raise InputError(f"{', '.join(source.title for source in sources[:3])}: no sentences found")


def _check_choice(option: str, value: str | None, choices: Any) -> None:
    if value is not None and value not in choices:
        raise UsageError(f"{option} must be one of {', '.join(choices)}, found {value}")


def _default_format(output: Path | None) -> str:
    if output is not None:
        return _SUFFIXES.get(output.suffix, "conllu")
    return "tree" if sys.stdout.isatty() else "conllu"


def _standard_output() -> TextIO:
    """Standard output as the formats want it: UTF-8, whatever the locale says, and line ends as they are."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    return sys.stdout
