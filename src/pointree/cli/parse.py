"""`pointree parse`: text or treebanks in, trees out."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from pointree.cli.console import shard_progress, track
from pointree.cli.messages import silence
from pointree.cli.options import DeviceOption, EngineOption, QuietOption, ThreadsOption, new_app, with_parse_options
from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.pipeline import INPUT_FORMATS, OUTPUT_FORMATS, parse_files

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree parse "John and Mary play tennis together."
  pointree parse article.txt --to svg --output article.svg
  pointree parse treebank.conllu --output parsed.conllu --beam 10
  pointree parse treebank.conllu --model l2r --model r2l --model oi --output parsed.conllu
  cat text | pointree parse --to jsonl
  pointree parse letters/*.txt --model auto --output letters.conllu
  pointree parse corpus/ --cluster local --output trees
  pointree parse "docs/*.parquet" --text-column body --cluster auto --to parquet --output trees
"""

app = new_app()


@app.command("parse", epilog=EXAMPLES)
@with_parse_options()
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
            help="Name, folder or Hugging Face Hub id of a model (default: en); several parse together; auto takes the "
            "installed model of the language of each input.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to standard output.")
    ] = None,  # a Path would lose a slash at the end, which says that a folder was meant
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
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out malformed sentences and say which.")
    ] = False,
    fail_on_empty: Annotated[
        bool, typer.Option("--fail-on-empty", help="Fail if there is no sentence to parse.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", metavar="N", min=1, help="Processes that parse; --threads is then for each (default: 1)."
        ),
    ] = 1,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
    engine: EngineOption = "auto",
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local|auto|ADDRESS",
            help="Parse files, globs and folders on a Ray cluster, to a folder of shards.",
        ),
    ] = None,
    actors: Annotated[
        int | None,
        typer.Option(
            "--actors", metavar="N", min=1, help="With --cluster: processes that parse (default: its CPUs or GPUs)."
        ),
    ] = None,
    shard_words: Annotated[
        int | None,
        typer.Option(
            "--shard-words",
            metavar="N",
            min=1,
            help="With --cluster: about how many words a shard has (default: 50000).",
        ),
    ] = None,
    text_column: Annotated[
        str | None,
        typer.Option(
            "--text-column", metavar="NAME", help="With --cluster: the text in JSON Lines or Parquet (default: text)."
        ),
    ] = None,
    quiet: QuietOption = False,
    *,
    options: ParseOptions,
) -> None:
    """Parse text or treebanks.

    Arguments that name files are read; other arguments are text themselves. Text is split into sentences and words
    and tagged by the model. CoNLL-U keeps everything except HEAD and DEPREL.
    """
    if quiet:
        silence()
    of_cluster = {"actors": actors, "shard_words": shard_words, "text_column": text_column}
    if cluster is not None:
        refused = {"--workers": workers > 1, "--skip-invalid": skip_invalid, "--fail-on-empty": fail_on_empty}
        for option, is_given in refused.items():
            if is_given:
                raise UsageError(f"--cluster cannot be combined with {option}")
        _parse_on_cluster(
            inputs or (),
            None if output is None else Path(output),
            options,
            cluster=cluster,
            model=model or ("en",),
            input_format=input_format,
            output_format=output_format,
            threads=threads or 1,
            device=device,
            engine=engine,
            **{name: value for name, value in of_cluster.items() if value is not None},
        )
        return
    for name, value in of_cluster.items():
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} needs --cluster")
    if output is None and output_format is None and sys.stdout.isatty():
        output_format = "tree"
    parse_files(
        inputs or _piped_input(),
        output if output is not None else _standard_output(),
        options,
        model=model or ("en",),
        input_format=input_format,
        output_format=output_format,
        skip_invalid=skip_invalid,
        fail_on_empty=fail_on_empty,
        workers=workers,
        threads=threads,
        device=device,
        engine=engine,
        colour=output is None and sys.stdout.isatty(),
        track=(lambda parsed: track(parsed, "parsing")) if output is not None else iter,
    )


def _parse_on_cluster(inputs: Sequence[str], output: Path | None, options: ParseOptions, **how: Any) -> None:
    """Run a bulk job; documents that failed are told in the last line, and make the exit code 1."""
    from pointree.bulk.manifest import FAILED
    from pointree.bulk.run import parse_on_cluster

    if output is None:
        raise UsageError("--cluster: expected a folder for the shards; name one with --output")
    report = parse_on_cluster(inputs, output, options, progress=shard_progress, **how)
    line = f"{output}: {report.shards:,} shards, {report.sentences:,} sentences, {report.words:,} words"
    if not report.failed:
        typer.echo(line)
        return
    typer.echo(f"{line}; failed: {report.failed:,}, see {output / FAILED}")
    raise typer.Exit(1)


def _piped_input() -> list[str]:
    """Standard input, unless it is a terminal, where nobody would know what is waited for."""
    if sys.stdin.isatty():
        raise UsageError("parse: expected text, files or standard input, found nothing; see pointree parse --help")
    return ["-"]


def _standard_output() -> TextIO:
    """Standard output as the formats want it: UTF-8, whatever the locale says, and line ends as they are."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    return sys.stdout
