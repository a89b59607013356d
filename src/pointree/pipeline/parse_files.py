"""Parse files to a file: what `pointree parse` does."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from pointree.errors import FormatError, InputError, UsageError
from pointree.files import atomic_write
from pointree.models.registry import AUTO, resolve_model
from pointree.options import ParseOptions
from pointree.pipeline.inputs import INPUT_FORMATS, Input, find_inputs, read_inputs
from pointree.pipeline.languages import LanguageWarner, group_by_model
from pointree.rendering import FORMATS, format_of, write
from pointree.rendering.json_format import write_array
from pointree.treebank.sentence import Sentence

if TYPE_CHECKING:
    from pointree.parser import SentenceParser

__all__ = ["OUTPUT_FORMATS", "ParseReport", "parse_files"]

logger = logging.getLogger("pointree.messages")

TRACE = "trace"
OUTPUT_FORMATS = (*FORMATS, TRACE)
"""Drawings and files of trees, and the account of how the parser came to them."""

Item = TypeVar("Item")
Path = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class ParseReport:
    """What was parsed: ``sentences`` that were read, and ``skipped`` ones that were malformed."""

    sentences: int
    skipped: int


def parse_files(
    inputs: Path | Sequence[Path],
    output: Path | TextIO,
    options: ParseOptions | None = None,
    *,
    model: Path | Sequence[Path] = "en",
    input_format: str | None = None,
    output_format: str | None = None,
    skip_invalid: bool = False,
    fail_on_empty: bool = False,
    workers: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    engine: str = "auto",
    colour: bool = False,
    track: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    **fields: Any,
) -> ParseReport:
    """Parse text or treebanks, one sentence after another with bounded memory, and write the trees.

    Args:
        inputs: Files, patterns such as ``*.txt``, ``-`` for standard input, or text itself.
        output: The file to write, which appears whole or not at all, or an open stream.
        options: How to parse; `ParseOptions` fields may also be given as keywords (``beam=4``).
        model: The name, folder or Hub id of a model; several parse together; ``auto`` is, for each input, the installed
            model of its language.
        input_format: text, conllu, conllx or words; guessed without it.
        output_format: A format of `pointree.rendering.FORMATS`, or ``trace``; by the suffix of the output without it.
        skip_invalid: Leave out malformed sentences and say which, instead of stopping at the first.
        fail_on_empty: Raise an `InputError` where there is no sentence to parse.
        workers: Processes that parse; if there are several, they load the model, and this process only what cuts text.
        threads: CPU threads, of each worker if there are several.
        device: Where to compute: cpu, cuda, …
        engine: What computes: onnx, torch, or auto, which is onnx on the CPU for a model that has graphs for it.
        colour: Colours for a terminal.
        track: Wraps the iteration over parsed sentences, for a progress bar.
    """
    chosen = ParseOptions.of(options, fields)
    if workers < 1:
        raise UsageError(f"workers must be 1 or more, found {workers}")
    found = find_inputs([inputs] if isinstance(inputs, (str, os.PathLike)) else inputs)
    target = _check_formats(input_format, output_format, output)
    if target == TRACE:
        _check_trace(chosen, workers)
    models = tuple(os.fspath(name) for name in ([model] if isinstance(model, (str, os.PathLike)) else model))
    if not models:
        raise UsageError("model: expected at least one model, found none")

    from pointree.engines.segmenting import load_segmenter
    from pointree.ensemble import load_models
    from pointree.running.threads import prepare_process
    from pointree.running.workers import parse_with_workers

    prepare_process(threads)
    skipped: list[FormatError] = []

    def skip(error: FormatError) -> None:
        skipped.append(error)
        logger.warning(f"skipped: {error}")

    counter = _Counter()
    warner = LanguageWarner()
    parsers: dict[tuple[str, ...], SentenceParser] = {}

    def parse(names: tuple[str, ...], group: Iterator[tuple[int, Input]]) -> Iterator[Any]:
        """The trees of neighbouring inputs that the same models parse."""
        load = partial(load_models, names, precision=chosen.precision, device=device, engine=engine)
        if workers == 1:
            if names not in parsers:
                parsers[names] = load()
            parser = parsers[names]
            parser.check(chosen)
        else:
            for name in names:
                resolve_model(name)  # the workers load the models; that one is missing can be said at once
        sentences = read_inputs(
            group,
            input_format,
            parser.require_segmenter if workers == 1 else partial(load_segmenter, names),
            several=len(found) > 1,
            sentences=chosen.sentences,
            on_invalid=skip if skip_invalid else None,
        )
        counted = counter.count(sentences)
        # What was chosen for its language needs no warning about it.
        watched = counted if AUTO in models else warner.watch(counted, names)
        if workers > 1:
            return parse_with_workers(load, watched, chosen, workers=workers, threads=threads or 1)
        if target == TRACE:
            return (parser.trace(sentence, chosen).to_object() for sentence in watched)
        return parser.stream(watched, chosen, copy=False)

    groups = group_by_model(found, models, input_format)
    parsed = chain.from_iterable(parse(names, group) for names, group in groups)
    with _opened(output) as stream:
        if target == TRACE:
            write_array(track(parsed), stream)
        else:
            write(track(parsed), stream, target, colour=colour)
        if not counter.seen:
            problem = f"{', '.join(each.title for each in found[:3])}: no sentences found"
            if fail_on_empty:
                raise InputError(problem)
            logger.info(problem)
    if skipped:
        logger.warning(f"malformed sentences that were skipped: {len(skipped):,}")
    return ParseReport(counter.seen, len(skipped))


class _Counter:
    """Counts what passes."""

    def __init__(self) -> None:
        self.seen = 0

    def count(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            self.seen += 1
            yield sentence


def _opened(output: Path | TextIO) -> AbstractContextManager[TextIO]:
    return atomic_write(output) if isinstance(output, (str, os.PathLike)) else nullcontext(output)


def _check_formats(input_format: str | None, output_format: str | None, output: Path | TextIO) -> str:
    """The output format; unknown formats, and a suffix that no format has, are errors."""
    _check_choice("input format", input_format, INPUT_FORMATS)
    _check_choice("output format", output_format, OUTPUT_FORMATS)
    if not isinstance(output, (str, os.PathLike)):
        return output_format or "conllu"
    if os.fspath(output).endswith(("/", os.sep)):
        raise UsageError(f"{os.fspath(output)}: expected a file for the trees, found the name of a folder")
    if PurePath(output).suffix.lower() in (".gz", ".xz", ".bz2"):
        raise UsageError(f"{os.fspath(output)}: output is not compressed; write to standard output, into gzip")
    return output_format or format_of(output)


def _check_choice(what: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise UsageError(f"{what} must be one of {', '.join(choices)}, found {value}")


def _check_trace(options: ParseOptions, workers: int) -> None:
    """A trace tells of one tree a sentence, made in one process, and has all probabilities."""
    given = {
        "n_best": options.n_best > 1,
        "workers": workers > 1,
        "probabilities": options.probabilities,
        "min_confidence": options.min_confidence > 0,
    }
    for option, is_given in given.items():
        if is_given:
            raise UsageError(f"output format {TRACE} cannot be combined with {option}")
