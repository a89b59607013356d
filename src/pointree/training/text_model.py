"""Training what reads raw text: a UDPipe tokeniser and tagger.

UDPipe's trainer is one long C++ call without callbacks. It runs in a process of its own, whose report on
stderr becomes a progress line, and which ^C ends. It has no random state but its own, seeded by itself: the
same sentences and options give the same bytes.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from pointree.errors import TrainingError
from pointree.files import atomic_write
from pointree.text.udpipe import TextModel
from pointree.text.udpipe_library import ufal
from pointree.treebank.conllu import write_conllu
from pointree.treebank.sentence import Sentence

__all__ = [
    "DEFAULT_TAGGER",
    "DEFAULT_TOKENIZER",
    "OnTextProgress",
    "TaggerOptions",
    "TextProgress",
    "TokenizerOptions",
    "train_text_model",
]

_STEP = re.compile(r"(?:Epoch|Iteration) (\d+)")
_TAGGER = re.compile(r"Training tagger model (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerOptions:
    """UDPipe's settings for the tokeniser: a bidirectional GRU over characters.

    An epoch is 10,000 segments whatever the treebank's size, and its time grows with `segment_size` times
    `dimension` (24 or 64) squared. The heldout sentences choose the epoch that is kept.
    """

    dimension: int = 24
    segment_size: int = 50
    epochs: int = 20
    batch_size: int = 50
    learning_rate: float = 0.005
    learning_rate_final: float = 0.001
    dropout: float = 0.1
    initialization_range: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerOptions:
    """UDPipe's settings for the tagger: averaged perceptrons over the analyses of a dictionary and a guesser.

    One model gives UPOS, XPOS and FEATS; `lemmas` adds a second one for LEMMA, which is trained for fewer
    iterations and pruned: on English that costs 0.03 points of LEMMA, and pruning the first 0.3 of UPOS.
    `order` is that of the tag sequence (2.5 decodes as order 2, with features of order 3).
    """

    iterations: int = 10
    order: float = 2.5
    guesser_suffix_rules: int = 6
    guesser_enrich_dictionary: int = 6
    lemmas: bool = True
    lemma_iterations: int = 4


@dataclass(frozen=True, slots=True)
class TextProgress:
    """How far the training of a text model is: step `step` of at most `n_steps` in this stage is done."""

    stage: str
    step: int
    n_steps: int
    seconds: float
    report: str


DEFAULT_TOKENIZER = TokenizerOptions()
DEFAULT_TAGGER = TaggerOptions()

OnTextProgress: TypeAlias = Callable[[TextProgress], None]


def train_text_model(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    path: str | os.PathLike[str],
    *,
    tokenizer: TokenizerOptions | None = DEFAULT_TOKENIZER,
    tagger: TaggerOptions | None = DEFAULT_TAGGER,
    progress: OnTextProgress | None = None,
) -> TextModel:
    """Train a tokeniser and a tagger (None leaves one out), write them to one file, and load it.

    `dev` chooses the best epoch and iteration; it may be empty. `progress` is called after every step and
    every second between.
    """
    if not train:
        raise TrainingError("text model: expected sentences to train on, found none")
    # The file is opened first, so that one that cannot be written shows before the training, not after it.
    with atomic_write(path, "b") as model, tempfile.TemporaryDirectory(prefix="pointree-") as folder:
        for name, sentences in (("train", train), ("dev", dev)):
            with open(Path(folder, name), "w", encoding="utf-8", newline="") as stream:
                write_conllu(sentences, stream)
        _run_trainer(folder, tokenizer, tagger, progress)
        model.write(Path(folder, "model").read_bytes())
    return TextModel.load(path)


def _tokenizer_string(options: TokenizerOptions | None) -> str:
    if options is None:
        return "none"
    return ";".join(f"{field.name}={getattr(options, field.name):g}" for field in fields(options))


def _tagger_string(options: TaggerOptions | None) -> str:
    if options is None:
        return "none"
    shared = (
        f"iterations_1={options.iterations};order={options.order:g}"
        f";guesser_suffix_rules={options.guesser_suffix_rules}"
        f";guesser_enrich_dictionary={options.guesser_enrich_dictionary}"
    )
    tags = "templates_1=tagger;use_lemma_1=0;provide_lemma_1=0;guesser_prefixes_max_1=0"
    lemmas = (
        f"iterations_2={options.lemma_iterations};prune_features_2=1;templates_2=lemmatizer"
        ";use_xpostag_2=0;use_feats_2=0;provide_xpostag_2=0;provide_feats_2=0"
    )
    return f"models=2;{shared};{tags};{lemmas}" if options.lemmas else f"models=1;{shared};{tags}"


def _run_trainer(
    folder: str, tokenizer: TokenizerOptions | None, tagger: TaggerOptions | None, progress: OnTextProgress | None
) -> None:
    begin = time.monotonic()
    stage, step, n_steps = "reading", 0, 0
    last_line = ""
    code = "from pointree.training.text_model import _trainer; _trainer()"
    command = [sys.executable, "-c", code, folder, _tokenizer_string(tokenizer), _tagger_string(tagger)]
    with _process(command) as (process, lines):
        while (line := _next(lines)) is not None:
            if line:
                last_line = line
            if line.startswith("Training tokenizer") and tokenizer is not None:
                stage, step, n_steps = "tokeniser", 0, tokenizer.epochs
            elif (found := _TAGGER.match(line)) and tagger is not None:
                stage, step = ("tagger", "lemmatiser")[int(found[1]) - 1], 0
                n_steps = tagger.iterations if stage == "tagger" else tagger.lemma_iterations
            elif found := _STEP.match(line):
                step = int(found[1])
            if progress is not None:
                progress(TextProgress(stage, step, n_steps, time.monotonic() - begin, last_line))
        status = process.wait()
    if status:
        raise TrainingError(f"text model: UDPipe's trainer ended with code {status} in {stage}: {last_line}")


@contextmanager
def _process(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], queue.Queue[str | None]]]:
    """A process and the lines of its stderr, None at their end; the process does not outlive the block."""
    # The package is found as it was found here, however that was.
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    lines: queue.Queue[str | None] = queue.Queue()
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", env=environment
    ) as process:
        reader = threading.Thread(target=_forward, args=(process, lines), daemon=True)
        reader.start()
        try:
            yield process, lines
        finally:
            process.kill()
            reader.join()


def _forward(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    if process.stderr is not None:
        for line in process.stderr:
            lines.put(line.strip())
    lines.put(None)


def _next(lines: queue.Queue[str | None]) -> str | None:
    """The next line, "" when a second passes without one, None at the end."""
    try:
        return lines.get(timeout=1)
    except queue.Empty:
        return ""


def _trainer() -> None:
    """The other process: train on the files of a folder, and leave the model there."""
    # Signals end it at once: Python's handlers would wait for the C++ call to return. A closed pipe, the
    # sign that the parent is gone, is one of them.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    folder, tokenizer, tagger = sys.argv[1:]
    error = ufal.ProcessingError()
    train, dev = (_read(Path(folder, name)) for name in ("train", "dev"))
    model = ufal.Trainer.train("morphodita_parsito", train, dev, tokenizer, tagger, "none", error)
    if error.occurred():
        sys.exit(error.message)
    Path(folder, "model").write_bytes(model)


def _read(path: Path) -> Any:
    reader = ufal.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    sentences, sentence, error = ufal.Sentences(), ufal.Sentence(), ufal.ProcessingError()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
    if error.occurred():
        sys.exit(error.message)
    return sentences
