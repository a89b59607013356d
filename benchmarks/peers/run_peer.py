"""One peer in a process of its own: make its model, or measure it. Called by compare.py, which sets the threads.

    python run_peer.py REQUEST.json ANSWER.json

The answer has the results, or under `error` the one line that says why there are none.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from treebank import blocks, require_trees, words_of

WARM_UP_SENTENCES = 64
MAX_COPIES = 100

Parse = Callable[[Path, Path], None]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what the request asks for."""
    use_cores(request["threads"] * request["processes"])
    peer = importlib.import_module(f"{request['peer']}_peer")
    folder = Path(request["model"])
    if request["task"] == "prepare":
        peer.prepare(Path(request["train"]), folder)
        return {}
    parse: Parse = peer.load(folder, request["settings"], request["processes"])
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        return measure(parse, Path(request["file"]), Path(scratch), request["processes"], request["seconds"])


def measure(parse: Parse, source: Path, scratch: Path, processes: int, seconds: float) -> dict[str, float]:
    """Words a second from file to file, and the peak of memory; ``seconds`` is how long to repeat short runs."""
    warm_up, target = scratch / "warm-up.conllu", scratch / "parsed.conllu"
    warm_up.write_text("".join(islice(blocks(source), WARM_UP_SENTENCES)), encoding="utf-8")
    start_up = seconds_of(parse, warm_up, target)
    first = seconds_of(parse, source, target)
    memory = peak_memory_mb(processes)
    require_trees(source, target)
    words = words_of(source)
    if processes == 1:
        best = min([first, *(seconds_of(parse, source, target) for _ in range(int(seconds // first)))])
        return {"words_per_s": words / best, "memory_mb": memory}
    # Processes start and load anew for every file. What that costs is in the short run, too, and drops out of the
    # difference, which is made long enough by a file of several copies.
    copies = min(MAX_COPIES, max(1, math.ceil(seconds / max(first - start_up, seconds / MAX_COPIES))))
    long = scratch / "copies.conllu"
    long.write_text("".join(blocks(source)) * copies, encoding="utf-8")
    difference = (seconds_of(parse, long, target) if copies > 1 else first) - start_up
    if difference <= 0:
        raise RuntimeError("the file is too short to measure several processes with")
    return {"words_per_s": (copies * words - words_of(warm_up)) / difference, "memory_mb": memory}


def seconds_of(parse: Parse, source: Path, target: Path) -> float:
    """How long it takes to parse a file."""
    started = time.perf_counter()
    parse(source, target)
    return time.perf_counter() - started


def use_cores(count: int) -> None:
    """Stay on as many cores as the measurement is about, whatever helper threads a library has."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def peak_memory_mb(processes: int) -> float:
    """The peak of this process and, for each of several worker processes, that of the largest one."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    if processes == 1:
        return own
    return own + processes * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit


def _one_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def answer_request(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Read the request that the command line names, and write the answer."""
    request_path, answer_path = map(Path, sys.argv[1:])
    try:
        result = answer(json.loads(request_path.read_text()))
    except (Exception, SystemExit) as error:  # whatever a peer does, the table goes on
        result = {"error": _one_line(error)}
    answer_path.write_text(json.dumps(result))


if __name__ == "__main__":
    answer_request(answer)
