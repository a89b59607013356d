"""One pipeline in a process of its own: train it, or measure it. Called by pipelines.py, which sets the threads.

    python run_pipeline.py REQUEST.json ANSWER.json

The answer has the results, or under `error` the one line that says why there are none.
"""

from __future__ import annotations

import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from run_peer import Parse, answer_request, peak_memory_mb, seconds_of, use_cores

from treebank import words_of

WARM_UP_PARAGRAPHS = 40
SENTENCE_WORDS, SENTENCES = 20, 50
"""Words of the sentences that are parsed one at a time, and how many of them."""
ONE_SENTENCE = "John and Mary play tennis together."


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what the request asks for."""
    use_cores(1)
    if request["task"] == "cold":
        return {"cold_s": _cold_start(request)}
    peer = importlib.import_module(f"{request['peer']}_pipeline")
    folder = Path(request["model"])
    if request["task"] == "prepare":
        started = time.perf_counter()
        peer.prepare(Path(request["train"]), Path(request["dev"]), folder, short=request["short"])
        return {"seconds": time.perf_counter() - started}
    parse, computes_on = peer.load(folder, request["settings"])
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        if request["task"] == "once":
            source = Path(scratch, "one.txt")
            source.write_text(ONE_SENTENCE + "\n", encoding="utf-8")
            parse(source, Path(scratch, "one.conllu"))
            return {}
        found = measure(parse, request, Path(scratch))
    return {**found, "computes_on": computes_on}


def measure(parse: Parse, request: dict[str, Any], scratch: Path) -> dict[str, float]:
    """Words a second from text file to CoNLL-U file, the peak of memory, and the time of one sentence.

    The words are those of the gold file, whatever a pipeline takes for words. Of the runs that fit into the time, the
    fastest counts.
    """
    text, target, gold = Path(request["text"]), Path(request["parsed"]), Path(request["gold"])
    warm_up = scratch / "warm-up.txt"
    paragraphs = text.read_text(encoding="utf-8").split("\n\n")
    warm_up.write_text("\n\n".join(paragraphs[:WARM_UP_PARAGRAPHS]) + "\n", encoding="utf-8")
    seconds_of(parse, warm_up, scratch / "warm-up.conllu")
    best = first = seconds_of(parse, text, target)
    processor = time.process_time()
    for _ in range(int(request["seconds"] / first)):
        best = min(best, seconds_of(parse, text, target))
    spent = time.process_time() - processor
    memory = peak_memory_mb(1)
    words = words_of(gold)
    found = {"words_per_s": words / best, "memory_mb": memory, "p50_ms": _latency(parse, gold, scratch)}
    runs = int(request["seconds"] / first)
    return {**found, "words_per_cpu_s": words * runs / spent} if runs else found


def _latency(parse: Parse, gold: Path, scratch: Path) -> float:
    """The median of the times for texts of one sentence, in milliseconds."""
    from pointree.treebank import read_conllu

    source, target = scratch / "sentence.txt", scratch / "sentence.conllu"
    # Those nearest to the wanted length, so that a short file has some too.
    chosen = sorted(read_conllu(gold), key=lambda sentence: abs(len(sentence) - SENTENCE_WORDS))[:SENTENCES]
    times = []
    for sentence in chosen:
        source.write_text(sentence.text + "\n", encoding="utf-8")
        times.append(seconds_of(parse, source, target))
    return 1000 * statistics.median(times)


def _cold_start(request: dict[str, Any]) -> float:
    """The shortest of three runs of a process that imports, loads and parses one sentence.

    A model of pointree runs as its users run it, by its own command.
    """
    settings = request["settings"]
    times = []
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        command = [sys.executable, "-m", "pointree", "parse", ONE_SENTENCE, "--threads", "1"]
        command += ["--model", request["model"], "--engine", settings.get("engine", "auto")]
        if request["peer"] != "pointree":
            asked = Path(scratch, "request.json")
            asked.write_text(json.dumps({**request, "task": "once"}))
            command = [sys.executable, __file__, str(asked), str(Path(scratch, "answer.json"))]
        for _ in range(3):
            started = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    answer_request(answer)
