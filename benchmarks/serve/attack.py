"""Attack a service of this machine, and see how long small requests wait meanwhile.

    python benchmarks/serve/attack.py [--model MODEL] [--seconds 8] [--only NAME ...] [--requests N]

Each attack is one kind of request that once stopped the service, sent again and again for some seconds, while other
clients send small requests one after the other. The table has the latency of these, the largest silence of `/healthz`,
the share of a core that the service had, and what the attackers were answered. `--requests` adds so many requests of
mixed kinds, or as many as fit into `--most-seconds`, and shows memory and open files after every tenth of them. Only a
service that this program starts on loopback is attacked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from service_process import ServiceProcess

SMALL = json.dumps({"words": [["John", "plays", "tennis", "."]]}).encode()
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
PATIENCE = 150.0


def conllu(n_words: int, n_sentences: int) -> str:
    """Sentences of one word over and over."""
    rows = "".join(f"{n}\tword\t_\tNOUN\tNN\t_\t_\t_\t_\t_\n" for n in range(1, n_words + 1))
    return (rows + "\n") * n_sentences


def request(path: str, body: bytes, kind: str = JSON) -> bytes:
    """A request as bytes."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def of_json(path: str, **fields: object) -> bytes:
    """A request with a JSON object."""
    return request(path, json.dumps(fields).encode())


def multipart() -> bytes:
    """A part whose header is semicolons."""
    body = b"--b\r\nContent-Disposition: form-data; name=data" + b";" * 160_000 + b"\r\n\r\nx\r\n--b--\r\n"
    return request("/process", body, "multipart/form-data; boundary=b")


ATTACKS: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "multipart header of semicolons": multipart,
    "content type of semicolons": lambda: request("/process", b"x", "multipart/form-data" + ";" * 50_000),
    "two million numbers for words": lambda: request("/v1/parse", b'{"words": [[' + b"1," * 2_000_000 + b"1]]}"),
    "a million empty sentences": lambda: request("/v1/parse", b'{"words": [' + b"[]," * 1_300_000 + b"[]]}"),
    "deep JSON": lambda: request("/v1/parse", b"[" * 4_000_000),
    "traces, 20 × 200 words, beam 32": lambda: of_json("/v1/trace", conllu=conllu(200, 20), beam=32),
    "drawings, 20 × 900 words, beam 32": lambda: of_json("/v1/draw", conllu=conllu(900, 20), beam=32),
    "parses, 90 × 1000 words, beam 32": lambda: of_json("/v1/parse", words=[["word"] * 1_000] * 90, beam=32, n_best=32),
    "a long text": lambda: of_json("/v1/parse", text="John plays tennis and it rains. " * 14_000),
    "four million dots": lambda: request("/process", b"input=generic_tokenizer&data=" + b"." * 4_000_000, FORM),
    "runs of 10,000 dots": lambda: request(
        "/process", b"input=generic_tokenizer&data=" + (b"." * 9_999 + b"+") * 400, FORM
    ),
    "runs of 10,000 letters": lambda: of_json("/v1/parse", text=("a" * 9_999 + " ") * 400),
    "a line of four million letters": lambda: of_json(
        "/v1/parse", text=("a" * 9_999 + " ") * 400, sentences="presegmented"
    ),
    "a CoNLL-U sentence of 200,000 rows": lambda: of_json("/v1/parse", conllu="# x\n" * 200_000),
    "clients that go away": lambda: of_json("/v1/trace", conllu=conllu(200, 20), beam=32),
}


@dataclass
class Outcome:
    """What was seen during one attack."""

    latencies: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    silence: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    memory: int = 0
    cpu: float = 0.0

    def quantile(self, share: float) -> float:
        """The latency that this share of small requests stays below, in milliseconds."""
        ordered = sorted(self.latencies) or [float("nan")]
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def ask(port: int, message: bytes, *, leave: float | None = None) -> str:
    """Send one request on a connection of its own and return the status, or why there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(message)
        if leave is not None:
            await asyncio.sleep(leave)
            return "left"
        async with asyncio.timeout(PATIENCE):
            answer = await reader.read()
        return status_of(answer)
    except (TimeoutError, ConnectionError) as error:
        return type(error).__name__
    finally:
        writer.close()


def status_of(answer: bytes) -> str:
    """The status of an answer after which the connection was closed, or what it lacks."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not answer:
        return "closed"
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    whole = body.endswith(b"0\r\n\r\n") if length is None else len(body) == int(length[1])
    return head[9:12].decode("ascii", "replace") if end and whole else "broken off"


def closing(message: bytes) -> bytes:
    """The request, after which the connection closes."""
    return message.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


async def attack(server: ServiceProcess, name: str, seconds: float, attackers: int, clients: int) -> Outcome:
    """Run one attack beside small requests."""
    outcome = Outcome()
    message = ATTACKS[name]()
    begin, cpu = time.monotonic(), server.cpu()
    end = begin + seconds
    leave = 0.5 if name == "clients that go away" else None

    async def hit() -> None:
        while message and time.monotonic() < end:
            work = asyncio.ensure_future(ask(server.port, closing(message), leave=leave))
            done, _ = await asyncio.wait({work}, timeout=max(0.0, end - time.monotonic()))
            outcome.answers[work.result() if done else "under way"] += 1
            work.cancel()

    async def small() -> None:
        await asyncio.sleep(min(1.0, seconds / 4))
        while time.monotonic() < end:
            started = time.monotonic()
            status = await ask(server.port, closing(request("/v1/parse", SMALL)))
            outcome.latencies.append(time.monotonic() - started)
            if status != "200":
                outcome.faults[status] += 1
            await asyncio.sleep(0.02)

    async def watch() -> None:
        while time.monotonic() < end:
            started = time.monotonic()
            await ask(server.port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            outcome.silence = max(outcome.silence, time.monotonic() - started)
            outcome.memory = max(outcome.memory, server.memory())
            await asyncio.sleep(0.05)

    await asyncio.gather(*(hit() for _ in range(attackers)), *(small() for _ in range(clients)), watch())
    outcome.cpu = (server.cpu() - cpu) / (time.monotonic() - begin)
    for _ in range(100):  # let what was left behind end before the next attack
        if await ask(server.port, b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == "200":
            break
        await asyncio.sleep(0.1)
    return outcome


ANNOUNCED = {"200", "400", "408", "413", "415", "422", "503", "504", "left"}


async def endure(server: ServiceProcess, count: int, seconds: float, clients: int) -> Counter[str]:
    """Send many requests of mixed kinds, large attacks seldom among them, for at most some time."""
    choose = random.Random(1)
    end = time.monotonic() + seconds
    bad = [request("/v1/parse", b"{"), request("/v1/parse", b"{}"), multipart(), ATTACKS["deep JSON"]()]
    good = [
        request("/v1/parse", SMALL),
        of_json("/v1/parse", text="It rains. It pours.", beam=4, output="conllu"),
        of_json("/v1/parse", conllu=conllu(5, 2), stream=True),
        of_json("/v1/draw", text="It rains."),
        of_json("/v1/trace", text="It rains.", beam=2),
        request("/process", b"tokenizer&tagger&parser&data=It+rains.", FORM),
    ]
    answers: Counter[str] = Counter()
    left = iter(range(count))

    async def client() -> None:
        for number in left:
            if time.monotonic() > end:
                return
            message = choose.choice(bad if choose.random() < 0.1 else good)
            answers[await ask(server.port, closing(message), leave=0.01 if choose.random() < 0.02 else None)] += 1
            if number % max(1, count // 10) == 0:
                print(f"{number:8} requests: {server.memory() >> 20} MB, {server.files()} open files", flush=True)

    await asyncio.gather(*(client() for _ in range(clients)))
    return answers


def main() -> None:
    """Run all attacks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en")
    parser.add_argument("--seconds", type=float, default=8.0, help="for each attack, at most 60")
    parser.add_argument("--attackers", type=int, default=4, help="at most 64")
    parser.add_argument("--clients", type=int, default=4, help="that send small requests, at most 64")
    parser.add_argument("--only", nargs="*", default=list(ATTACKS), help="names of attacks")
    parser.add_argument("--requests", type=int, default=0, help="of mixed kinds afterwards, at most 1,000,000")
    parser.add_argument("--mixed-clients", type=int, default=32, help="that send them, at most 128")
    parser.add_argument("--most-seconds", type=float, default=3600.0, help="for these requests")
    options = parser.parse_args()
    server = ServiceProcess(options.model)
    seconds, attackers, clients = min(options.seconds, 60), min(options.attackers, 64), min(options.clients, 64)
    print(f"{attackers} attackers, {clients} clients with small requests, {seconds:g} s each; milliseconds")
    columns = " ".join(f"{name:>7}" for name in ("p50", "p95", "max", "health"))
    print(f"{'attack':36} {'small':>6} {columns} {'MB':>6} {'cpu':>5}  faults; answers")
    try:
        for name in options.only:
            seen = asyncio.run(attack(server, name, seconds, attackers, clients))
            figures = " ".join(f"{seen.quantile(share):7.0f}" for share in (0.5, 0.95, 1.0))
            answers = ", ".join(f"{status} × {count}" for status, count in seen.answers.most_common())
            print(
                f"{name:36} {len(seen.latencies):6} {figures} {1000 * seen.silence:7.0f} {seen.memory >> 20:6} "
                f"{seen.cpu:5.0%}  {dict(seen.faults) or 'none'}; {answers}",
                flush=True,
            )
        if options.requests:
            mixed = min(options.mixed_clients, 128)
            asyncio.run(endure(server, min(options.requests // 10, 10_000), options.most_seconds / 10, mixed))
            before = server.memory(), server.files()
            answers_seen = asyncio.run(endure(server, min(options.requests, 1_000_000), options.most_seconds, mixed))
            time.sleep(1)  # the last connections close
            after = server.memory(), server.files()
            surprises = {status: count for status, count in answers_seen.items() if status not in ANNOUNCED}
            print(f"{answers_seen.total()} requests: {dict(answers_seen)}; not announced: {surprises or 'none'}")
            print(f"memory {before[0] >> 20} → {after[0] >> 20} MB, open files {before[1]} → {after[1]}")
    finally:
        print(f"exit code {server.stop()}")


if __name__ == "__main__":
    main()
