"""What three orders over one encoder cost: `python benchmarks/profiles/combined.py`.

Training steps and greedy parses on torch with one thread, random weights and sentences of English lengths. Single
orders and three together take turns; the time is that of the processor, the best of all rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pointree.bench.synthetic import english_like_lengths, new_parser, random_sentences
from pointree.config import Config, load_config
from pointree.running.threads import prepare_process
from pointree.training.optimiser import Optimiser

ORDERS = ("left-to-right", "outside-in", "combined")
SENTENCES, ROUNDS = 128, 4


def main() -> None:
    """Print the seconds of each order, and how many times that of left-to-right they are."""
    prepare_process(1)
    print("| | left-to-right | outside-in | combined | ratio |\n| --- | ---: | ---: | ---: | ---: |")
    for preset in ("quick", None):
        sizes = f"preset {preset}" if preset else "the paper's sizes"
        configs = [load_config(None, [f"decoder.order={order}"], preset) for order in ORDERS]
        for name, prepare in (("train", training), ("parse", parsing)):
            seconds = in_turns([prepare(config) for config in configs])
            shown = " | ".join(f"{each:.2f}" for each in seconds)
            print(f"| {name}, {sizes} | {shown} | {seconds[2] / seconds[0]:.2f} |", flush=True)


def in_turns(works: list[Callable[[], object]]) -> list[float]:
    """The least time of each piece of work."""
    best = [float("inf")] * len(works)
    for turn in range(1 + ROUNDS):
        for place, work in enumerate(works):
            started = time.process_time()
            work()
            if turn:
                best[place] = min(best[place], time.process_time() - started)
    return best


def training(config: Config) -> Callable[[], object]:
    """Steps over batches of 32 sentences."""
    parser = new_parser(config)
    network = parser.network.train().requires_grad_(True)
    optimiser = Optimiser(network, config.training)
    sentences = sorted(random_sentences(english_like_lengths(SENTENCES)), key=len, reverse=True)
    numbered = [parser.featurizer.numbers_of(sentence, gold=True) for sentence in sentences]

    def steps() -> None:
        for start in range(0, SENTENCES, 32):
            network.loss(parser.featurizer.batch(numbered[start : start + 32])).objective().backward()
            optimiser.step(1e-4)

    return steps


def parsing(config: Config) -> Callable[[], object]:
    """Greedy parses, the trees included."""
    parser = new_parser(config)
    sentences = random_sentences(english_like_lengths(SENTENCES))
    return lambda: parser.parse(sentences)


if __name__ == "__main__":
    main()
