"""What fusing dependents costs: the paper's sequential parser and its three orders, side by side in one run.

The paper has 22.57 sentences/s for sequential decoding and 9.62, 9.82 and 8.81 for the three orders, with a beam of 10.
The systems take turns, round by round, so that whatever else the machine does slows all of them alike; with one
thread, time is that of the processor, which other processes do not slow. Sentences are parsed in batches, and one at a
time, as the authors do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pointree.config import Config, FusionName, OrderName
from pointree.errors import UsageError

__all__ = ["DECODERS", "PAPER_SPEEDS", "compare_decoders"]

DECODERS: dict[str, tuple[OrderName, FusionName]] = {
    "sequential": ("left-to-right", "none"),
    "left-to-right": ("left-to-right", "simple"),
    "right-to-left": ("right-to-left", "simple"),
    "outside-in": ("outside-in", "simple"),
}
"""The systems by name: their order and fusion, all with GATE1."""

PAPER_SPEEDS = {"sequential": 22.57, "left-to-right": 9.62, "right-to-left": 9.82, "outside-in": 8.81}
"""Sentences per second in the paper: PTB test, beam 10, GTX 1080 Ti."""

_MEAN_LENGTH = 24
"""Words of a sentence, as in the Penn Treebank on average."""


def compare_decoders(
    config: Config | None = None,
    *,
    beam: int = 10,
    quick: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    progress: Callable[[str], None] = lambda _text: None,
) -> dict[str, Any]:
    """Measure sentences per second of each system, and their ratio to sequential decoding.

        >>> pointree.bench.decoders.compare_decoders(quick=True)["alone"]["ratio"]

    Args:
        config: The settings of the network; the defaults if None. Its order, fusion and gate are replaced.
        beam: Hypotheses to keep.
        quick: Fewer sentences and rounds.
        threads: CPU threads.
        device: Where to compute, such as ``cuda``.
        progress: Called with the name of each system, before it is measured.
    """
    from pointree.bench.synthetic import new_parser, random_sentences
    from pointree.running.threads import prepare_process

    config = Config() if config is None else config
    if config.embeddings.pretrained.model:
        raise UsageError("embeddings.pretrained.model: the bench has no text for a pretrained model; leave it out")
    prepare_process(threads)
    alone_on_core = threads == 1 and device == "cpu"
    clock = time.process_time if alone_on_core else time.perf_counter
    sentences = random_sentences([_MEAN_LENGTH] * (8 if quick else 60))
    parsers = {
        name: new_parser(
            replace(config, decoder=replace(config.decoder, order=order, fusion=fusion, gate="gate1")), device=device
        )
        for name, (order, fusion) in DECODERS.items()
    }
    report: dict[str, Any] = {"beam": beam, "sentences": len(sentences), "words": _MEAN_LENGTH, "paper": PAPER_SPEEDS}
    report["clock"] = "processor" if alone_on_core else "wall"
    for way, batch_words in (("batched", 2_500), ("alone", 1)):
        seconds = dict.fromkeys(DECODERS, float("inf"))
        for turn in range(2 if quick else 3):
            for name, parser in parsers.items():
                progress(f"{name}, {way}")
                started = clock()
                parser.parse(sentences, beam=beam, batch_words=batch_words)
                if turn:  # the first round warms up
                    seconds[name] = min(seconds[name], clock() - started)
        speeds = {name: len(sentences) / value for name, value in seconds.items()}
        ratio = {name: round(value / speeds["sequential"], 3) for name, value in speeds.items()}
        report[way] = {"sentences_per_s": {name: round(value, 2) for name, value in speeds.items()}, "ratio": ratio}
    return report
