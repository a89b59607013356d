"""The single measurements of the bench. Each runs in a process of its own, so that none disturbs another's memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pointree.bench.engines import resident_peak_mb
from pointree.bench.flops import TRAINING_FACTOR, counted_flops, total_flops
from pointree.bench.synthetic import N_LABELS, WORD_CHARS, english_like_lengths, new_parser, random_sentences
from pointree.config import Config
from pointree.engines.precision import resolve_precision
from pointree.errors import PointreeError
from pointree.training.batches import epoch_batches
from pointree.training.optimiser import Optimiser
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence

__all__ = ["MEASUREMENTS", "Setup", "cold_start", "peak_memory_mb"]

_SAMPLE = 8
"""Sentences of one length whose operations are counted."""

_PROBE_SIZE = 256
_IMITATED = 8.0
"""Products that take so many times as long as those of 32 bits are imitated."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What to measure with: the model, the precision, and how long to take."""

    config: Config
    precision: str
    device: str
    quick: bool

    @property
    def dtype(self) -> torch.dtype:
        """The type of the computation."""
        return resolve_precision(self.precision, torch.device(self.device))


def _best_seconds(work: Callable[[], object], repeats: int, *, warm_up: bool = True) -> float:
    """The shortest of several runs after one to warm up: other processes only ever add time."""
    if warm_up:
        work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def require_arithmetic(setup: Setup) -> None:
    """Refuse a type of which this machine only imitates the products: measuring them would take very long."""
    times = []
    for dtype in (torch.float32, setup.dtype):  # the precision is settled before the first product, as it must be
        matrix = torch.ones(_PROBE_SIZE, _PROBE_SIZE, dtype=dtype, device=setup.device)

        def work(matrix: torch.Tensor = matrix) -> None:
            torch.mm(matrix, matrix)
            _synchronise(setup.device)

        times.append(_best_seconds(work, 5))
    if times[1] > _IMITATED * times[0]:
        raise PointreeError(f"this machine has no such arithmetic: a product takes {times[1] / times[0]:.0f} × as long")


def gemm(setup: Setup) -> dict[str, Any]:
    """Peak of a large matrix product, in GFLOP/s."""
    size = 2048
    left = torch.randn(size, size, device=setup.device).to(setup.dtype)
    out = torch.empty_like(left)

    def work() -> None:
        torch.mm(left, left, out=out)
        _synchronise(setup.device)

    return {"gflops": 2 * size**3 / _best_seconds(work, 8 if setup.quick else 20) / 1e9}


def train(setup: Setup) -> dict[str, Any]:
    """Training with the configuration's batch size on sentences of English-like lengths."""
    config, dtype = setup.config, setup.dtype
    parser = new_parser(config, device=setup.device)
    network = parser.network.train().requires_grad_(True)
    optimiser = Optimiser(network, config.training)
    sentences = random_sentences(english_like_lengths((2 if setup.quick else 20) * config.training.batch_size))
    numbered = [parser.featurizer.numbers_of(sentence, gold=True) for sentence in sentences]
    lengths = [len(sentence) for sentence in numbered]
    batches = epoch_batches(lengths, config.training, epoch=1)

    def work() -> None:
        for numbers in batches:
            loss = network.loss(parser.featurizer.batch([numbered[number] for number in numbers]), dtype)
            loss.objective().backward()
            optimiser.step(1e-4)
        _synchronise(setup.device)

    seconds = _best_seconds(work, 1 if setup.quick else 3)
    flops = TRAINING_FACTOR * total_flops(config, lengths, n_labels=N_LABELS, chars_per_word=WORD_CHARS)
    return _throughput(lengths, seconds, flops)


def parse(setup: Setup, beam: int) -> dict[str, Any]:
    """Parsing from a CoNLL-U file to another: English-like lengths greedily, 24-word sentences with a beam."""
    parser = new_parser(setup.config, setup.dtype, setup.device)
    count = (96 if setup.quick else 2000) // (1 if beam == 1 else 4)
    lengths = english_like_lengths(count) if beam == 1 else [24] * count
    with tempfile.TemporaryDirectory(prefix="pointree-bench-") as folder:
        source, target = Path(folder, "in.conllu"), Path(folder, "out.conllu")
        with open(source, "w", encoding="utf-8") as stream:
            write_conllu(random_sentences(lengths), stream)

        def work(width: int = beam) -> None:
            with open(target, "w", encoding="utf-8") as stream:
                write_conllu(parser.stream(read_conllu(source), beam=width), stream)

        repeats = 1 if setup.quick else 3
        result: dict[str, Any] = {}
        seconds = _best_seconds(work, repeats)
        if beam > 1:
            result["times_greedy"] = seconds / _best_seconds(lambda: work(1), repeats)
    if beam == 1:
        flops = total_flops(setup.config, lengths, n_labels=N_LABELS, chars_per_word=WORD_CHARS)
    else:
        sample = random_sentences(lengths[:_SAMPLE])
        counted = counted_flops(lambda: parser.parse(sample, beam=beam))
        flops = counted * len(lengths) // len(sample)
    return {**_throughput(lengths, seconds, flops), **result}


def latency(setup: Setup) -> dict[str, Any]:
    """Milliseconds for one 20-word sentence at a time."""
    parser = new_parser(setup.config, setup.dtype, setup.device)
    sentences = random_sentences([20] * (12 if setup.quick else 100))
    times = []
    for sentence in [*sentences[:5], *sentences]:
        started = time.perf_counter()
        parser.parse([sentence])
        times.append(1000 * (time.perf_counter() - started))
    cuts = statistics.quantiles(times[5:], n=20)
    return {"p50": statistics.median(times[5:]), "p95": cuts[18]}


def length(setup: Setup) -> dict[str, Any]:
    """Seconds a sentence against its length, in batches of two sentences, so that those of all lengths are alike."""
    parser = new_parser(setup.config, setup.dtype, setup.device)
    seconds = {}
    count = 2
    parser.parse(random_sentences([10] * count))
    for n in (10, 20, 40, 80, 160, 320, 640):
        sentences = random_sentences([n] * count)

        def work(batch: list[Sentence] = sentences) -> None:
            parser.parse(batch)

        seconds[str(n)] = _best_seconds(work, 1 if setup.quick else 5, warm_up=not setup.quick) / count
    return {"seconds": seconds}


def cold_start(quick: bool, model: Path, device: str, environment: Mapping[str, str]) -> dict[str, float]:
    """Seconds from the command to its end: `--help`, and one short sentence with a model of the paper's size."""
    program = (sys.executable, "-m", "pointree")
    commands = {
        "help": [*program, "--help"],
        "parse": [*program, "parse", "--model", str(model), "--device", device, "--from", "words", "-"],
    }
    result = {}
    for name, command in commands.items():

        def work(command: list[str] = command) -> None:
            text = b"a short sentence .\n"
            subprocess.run(command, input=text, stdout=subprocess.DEVNULL, env=environment, check=True)

        result[name] = _best_seconds(work, 1 if quick else 3, warm_up=not quick)
    return result


def save_model(config: Config, folder: Path) -> None:
    """Write a model with random weights."""
    new_parser(config).save(folder)


def _throughput(lengths: list[int], seconds: float, flops: int) -> dict[str, Any]:
    return {
        "words_per_s": sum(lengths) / seconds,
        "sentences_per_s": len(lengths) / seconds,
        "gflops": flops / seconds / 1e9,
        "peak_mb": peak_memory_mb(),
    }


def peak_memory_mb() -> float:
    """The most memory that this process has had, in MB; 0 on a system that does not tell."""
    if torch.cuda.is_available() and torch.cuda.max_memory_allocated():
        return torch.cuda.max_memory_allocated() / 1e6
    return resident_peak_mb()


def _synchronise(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


MEASUREMENTS: dict[str, Callable[[Setup], dict[str, Any]]] = {
    "gemm": gemm,
    "train": train,
    "beam1": lambda setup: parse(setup, 1),
    "beam10": lambda setup: parse(setup, 10),
    "latency": latency,
    "length": length,
}
