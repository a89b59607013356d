"""Where the time of training and parsing goes: `python benchmarks/profiles/time_shares.py [--threads N]`.

Random weights of the paper's sizes, synthetic sentences, 32-bit arithmetic, as in `pointree bench`. torch's profiler
tells the time inside each operation; what is left of the whole is Python. The profiler itself slows small operations,
so read the shares, and take words/s from `pointree bench`. Measure on an idle machine.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch.profiler import ProfilerActivity, profile

from pointree.bench.synthetic import english_like_lengths, new_parser, random_sentences
from pointree.config import Config
from pointree.training.batches import similar_batches
from pointree.training.optimiser import Optimiser

PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::mv", "aten::addmv")
COPIES = ("copy", "index", "gather", "scatter", "cat", "stack", "clone", "contiguous", "where", "embedding", "pad")
OPTIMISER = ("_fused_adam", "_foreach", "SparseAdam", "coalesce", "Optimizer")
POINTWISE = ("mul", "add", "sub", "div", "sigmoid", "tanh", "elu", "bernoulli", "neg", "addcmul", "fill", "zero")
MANY_ROWS = 200
"""Products of fewer rows are those of single steps, whose weights are read for few words."""


@dataclass
class Share:
    """Time and arithmetic of one kind of operation."""

    seconds: float = 0.0
    flops: float = 0.0


def product_shape(shapes: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Rows of a product's left side, and operations. Inputs are the last two matrices of the call."""
    left, right = [shape for shape in shapes if len(shape) >= (1 if len(shapes) < 3 else 2)][-2:]
    if len(right) == 1:  # a matrix by a vector
        return left[0], 2 * left[0] * left[1]
    *many, rows, inner = left
    return rows, 2 * (many[0] if many else 1) * rows * inner * right[-1]


def kind_of(name: str, shapes: Sequence[Sequence[int]]) -> tuple[str, float]:
    """What an operation counts as, and its arithmetic."""
    if name in PRODUCTS:
        rows, flops = product_shape([shape for shape in shapes if shape])
        return ("products of many rows" if rows >= MANY_ROWS else "products of one step"), flops
    for kind, parts in (
        ("optimiser and gradient norm", OPTIMISER),
        ("copies, gathered rows", COPIES),
        ("point-wise work", POINTWISE),
    ):
        if any(part in name for part in parts):
            return kind, 0.0
    return "other operations", 0.0


def measure(title: str, work: Callable[[], int]) -> None:
    """Profile some work, which returns its words, and print a table."""
    work()
    started = time.perf_counter()
    words = work()
    plain = time.perf_counter() - started
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        started = time.perf_counter()
        work()
        whole = time.perf_counter() - started
    shares: dict[str, Share] = defaultdict(Share)
    for event in profiler.key_averages(group_by_input_shape=True):
        kind, flops = kind_of(event.key, event.input_shapes)
        shares[kind].seconds += event.self_cpu_time_total / 1e6
        shares[kind].flops += flops * event.count
    shares["Python"].seconds = whole - sum(share.seconds for share in shares.values())
    print(f"\n{title}: {words / plain:,.0f} words/s, {words / whole:,.0f} while profiled\n")
    print("| what | share of the time | GFLOP/s |\n| --- | ---: | ---: |")
    for kind, share in sorted(shares.items(), key=lambda item: -item[1].seconds):
        speed = f"{share.flops / share.seconds / 1e9:.0f}" if share.flops else ""
        print(f"| {kind} | {share.seconds / whole:.0%} | {speed} |")


def main() -> None:
    """Profile training, greedy parsing, a beam, and one sentence at a time."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--threads", type=int, default=2, help="threads of torch")
    threads = options.parse_args().threads
    torch.set_num_threads(threads)
    config = Config()
    parser = new_parser(config)
    sentences = random_sentences(english_like_lengths(192))
    numbered = [parser.featurizer.numbers_of(sentence, gold=True) for sentence in sentences]
    lengths = [len(sentence) for sentence in numbered]
    batches = similar_batches(lengths, config.training.batch_size, seed=1, epoch=1)
    single = random_sentences([20] * 20)
    of_beam = random_sentences([24] * 48)

    def parse() -> int:
        parser.parse(sentences)
        return sum(map(len, sentences))

    def beam() -> int:
        parser.parse(of_beam, beam=10)
        return sum(map(len, of_beam))

    def one_by_one() -> int:
        for sentence in single:
            parser.parse([sentence])
        return sum(map(len, single))

    print(f"{threads} threads, torch {torch.__version__}")
    measure("Greedy parsing", parse)
    measure("Beam of 10, 24-word sentences", beam)
    measure("One 20-word sentence at a time", one_by_one)
    network = parser.network.train().requires_grad_(True)
    optimiser = Optimiser(network, config.training)

    def train() -> int:
        for numbers in batches:
            loss = network.loss(parser.featurizer.batch([numbered[number] for number in numbers]))
            loss.objective().backward()
            optimiser.step(1e-4)
        return sum(map(len, sentences))

    measure("Training", train)


if __name__ == "__main__":
    main()
