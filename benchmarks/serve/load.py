"""Load a service with concurrent clients on this machine, and compare it with `pointree parse` on the same text.

    python benchmarks/serve/load.py --model MODEL TREEBANK.conllu [--clients 1 8 64] [--seconds 20] [--requests 10000]

The text of the treebank, a sentence a line, goes to the command line as one file, and to the service in requests of a
few sentences. Every answer is compared with what the command line wrote. The rate of the command line leaves out the
time that it needs to start. After the timed runs, a number of requests shows whether memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from service_process import ServiceProcess

from pointree.treebank import read_conllu

HEAD = "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

TARGET = 0.7
"""What the service must reach of the command line's rate with the most clients."""


@dataclass
class Load:
    """What clients saw in one run."""

    clients: int
    sentences: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    latencies: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.sentences / self.seconds if self.seconds else 0.0

    def quantile(self, share: float) -> float:
        """The latency that this share of requests stays below, in milliseconds."""
        ordered = sorted(self.latencies) or [0.0]
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True)
class Document:
    """A request, and the answer that is right."""

    request: bytes
    expected: str
    sentences: int


class Seconds(NamedTuple):
    """Time on the clock, and time of processors."""

    clock: float
    cpu: float


def parse(model: str, text: Path, output: Path, options: list[str]) -> Seconds:
    """Run the command line and return its seconds."""
    command = [sys.executable, "-m", "pointree", "parse", str(text), "--from", "text", "--sentences", "presegmented"]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--to", "conllu", "--output", str(output), "--model", model, *options], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(time.perf_counter() - started, cpu)


def without_places(conllu: str) -> str:
    """CoNLL-U without what depends on where in a text a sentence stands: its number, and the offsets of its words."""
    lines = conllu.splitlines(keepends=True)
    kept = "".join(line for line in lines if not line.startswith(("# sent_id", "# newpar")))
    return re.sub(r"(?:\|TokenRange=|TokenRange=)\d+:\d+", "", kept)


def make_documents(lines: list[str], parsed: str, size: int) -> list[Document]:
    """Cut text and trees into requests of some sentences."""
    trees = [block + "\n\n" for block in without_places(parsed).split("\n\n") if block]
    if len(trees) != len(lines):
        raise SystemExit(f"expected {len(lines)} trees of the command line, found {len(trees)}")
    documents = []
    for start in range(0, len(lines), size):
        text = "\n".join(lines[start : start + size])
        body = json.dumps({"text": text, "sentences": "presegmented", "output": "conllu"}).encode()
        head = f"{HEAD}Content-Length: {len(body)}\r\n\r\n"
        chosen = trees[start : start + size]
        documents.append(Document(head.encode() + body, "".join(chosen), len(chosen)))
    return documents


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[int, bytes]:
    """One request on an open connection."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
    return int(head[9:12]), await reader.readexactly(length)


async def drive(server: ServiceProcess, documents: list[Document], clients: int, seconds: float, most: int) -> Load:
    """Let clients ask one request after the other, until time or requests are used up."""
    load = Load(clients)
    numbers = count()
    known: dict[int, bytes] = {}
    end = time.perf_counter() + seconds

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while (number := next(numbers)) < most and time.perf_counter() < end:
            place = number % len(documents)
            started = time.perf_counter()
            status, answer = await ask(reader, writer, documents[place].request)
            load.latencies.append(time.perf_counter() - started)
            load.sentences += documents[place].sentences
            if status != 200:
                load.errors.append(f"status {status}: {answer[:200]!r}")
            elif known.get(place) != answer:  # seldom: answers are right, and always the same
                known[place] = answer
                if without_places(answer.decode()) != documents[place].expected:
                    load.errors.append(f"request {place}: the answer differs from the command line's")
        writer.close()

    async def watch() -> None:
        while True:
            load.memory.append(server.memory())
            await asyncio.sleep(0.5)

    watcher = asyncio.create_task(watch())
    started, cpu = time.perf_counter(), server.cpu()
    results = await asyncio.gather(*(client() for _ in range(clients)), return_exceptions=True)
    load.seconds, load.cpu = time.perf_counter() - started, server.cpu() - cpu
    load.errors += [f"connection: {result!r}" for result in results if isinstance(result, BaseException)]
    watcher.cancel()
    load.memory.append(server.memory())
    return load


def growth(memory: list[int]) -> float:
    """By how many megabytes the last tenth of a run is above its second tenth, after what the first requests load."""
    tenth = max(1, len(memory) // 10)
    return (statistics.median(memory[-tenth:]) - statistics.median(memory[tenth : 2 * tenth] or memory)) / 1e6


def report(load: Load, command_line: float) -> None:
    """Print a line for a run."""
    print(
        f"{load.clients:3} clients: {load.rate:7.1f} sentences/s ({load.rate / command_line:4.0%} of the command "
        f"line), p50 {load.quantile(0.5):6.1f} ms, p95 {load.quantile(0.95):6.1f} ms, {len(load.latencies)} requests, "
        f"{len(load.errors)} errors, {1000 * load.cpu / max(1, load.sentences):.2f} ms of CPU a sentence, "
        f"{load.memory[-1] / 1e6:.0f} MB"
    )
    for error in load.errors[:3]:
        print(f"    {error}")


def main() -> None:
    """Run the comparison; exit with 1 if an answer is wrong or the service misses its target."""
    arguments = read_arguments()
    lines = [" ".join(sentence.text.split()) for sentence in read_conllu(arguments.treebank)][: arguments.lines]
    options = ["--threads", str(arguments.threads)] if arguments.threads else []
    options += ["--precision", arguments.precision]
    with tempfile.TemporaryDirectory() as folder:
        text, one, output = Path(folder, "text"), Path(folder, "one"), Path(folder, "parsed.conllu")
        one.write_text(lines[0] + "\n", encoding="utf-8")
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        start = min(parse(arguments.model, one, output, options) for _ in range(2))
        whole = min(parse(arguments.model, text, output, options) for _ in range(arguments.repeat))
        parsed = output.read_text(encoding="utf-8")
    seconds, cpu = whole.clock - start.clock, whole.cpu - start.cpu
    if seconds <= 0:
        raise SystemExit("expected a text that takes longer than the start of the command line, found a shorter one")
    command_line = len(lines) / seconds
    print(
        f"command line: {command_line:.1f} sentences/s "
        f"({len(lines)} sentences, start of {start.clock:.1f} s left out), "
        f"{1000 * cpu / len(lines):.2f} ms of CPU a sentence"
    )
    documents = make_documents(lines, parsed, arguments.sentences)
    server = ServiceProcess(arguments.model, options)
    loads = []
    try:
        asyncio.run(drive(server, documents, 8, arguments.seconds / 4, len(documents)))  # warm up
        for clients in arguments.clients:
            loads.append(asyncio.run(drive(server, documents, clients, arguments.seconds, sys.maxsize)))
            report(loads[-1], command_line)
        if arguments.requests:
            many = asyncio.run(drive(server, documents, 8, arguments.memory_seconds, arguments.requests))
            loads.append(many)
            size, asked = many.memory[0] / 1e6, len(many.latencies)
            print(f"memory over {asked} requests: {size:.0f} MB at the start, {growth(many.memory):+.1f} MB since")
    finally:
        code = server.stop()
    best = max((load for load in loads if load.clients == max(arguments.clients)), key=lambda load: load.rate)
    errors = sum(len(load.errors) for load in loads)
    if arguments.json:
        print(json.dumps(as_json(loads, command_line)))
    if errors or code or best.rate < TARGET * command_line:
        print(f"missed: {errors} errors, exit code {code}, {best.rate / command_line:.0%} of the command line")
        sys.exit(1)


def as_json(loads: list[Load], command_line: float) -> dict[str, Any]:
    """The measurements for programs."""
    runs = [
        {
            "clients": load.clients,
            "sentences_per_second": round(load.rate, 1),
            "p50_ms": round(load.quantile(0.5), 1),
            "p95_ms": round(load.quantile(0.95), 1),
            "requests": len(load.latencies),
            "errors": len(load.errors),
            "cpu_seconds": round(load.cpu, 2),
            "memory_mb": [round(size / 1e6) for size in load.memory],
        }
        for load in loads
    ]
    return {"command_line_sentences_per_second": round(command_line, 1), "runs": runs}


def read_arguments() -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path, help="CoNLL-U file whose text is parsed")
    parser.add_argument("--model", required=True, help="name or folder of a model with a tokeniser and a tagger")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64], help="concurrent clients of each run")
    parser.add_argument("--seconds", type=float, default=20.0, help="time of each run")
    parser.add_argument("--requests", type=int, default=10_000, help="requests of the run that watches memory")
    parser.add_argument("--memory-seconds", type=float, default=600.0, help="most time for that run")
    parser.add_argument("--lines", type=int, default=2_000, help="sentences of the text")
    parser.add_argument("--sentences", type=int, default=4, help="sentences of a request")
    parser.add_argument("--repeat", type=int, default=2, help="runs of the command line, of which the best counts")
    parser.add_argument("--threads", type=int, help="CPU threads of both")
    parser.add_argument("--precision", default="fp32", help="arithmetic of both")
    parser.add_argument("--json", action="store_true", help="also print everything as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
