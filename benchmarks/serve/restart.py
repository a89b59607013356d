"""Stop a service of this machine under load again and again, and see what becomes of the requests.

    python benchmarks/serve/restart.py [--model MODEL] [--times 20] [--clients 16]

The service is stopped at random moments, in turn by SIGTERM and by SIGKILL, and started again on the same port, while
clients send requests without a pause. The table counts complete answers, refusals (no connection, or status 503),
connections that were reset (the service had not taken them from the system yet), connections that were closed without
an answer, and answers that broke off. The last two are losses: SIGTERM must cause none, or the program exits with 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from service_process import ServiceProcess

SENTENCES = 20
BODY = json.dumps({"words": [["John", "plays", "tennis", "."]] * SENTENCES, "stream": True}).encode()
HEAD = "POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
REQUEST = f"{HEAD}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
PATIENCE = 150.0


@dataclass
class Phase:
    """What clients saw between two starts of the service."""

    answers: Counter[str] = field(default_factory=Counter)
    restart_seconds: float = 0.0
    exit_code: int = 0


async def ask(port: int) -> str:
    """Send one request and return what became of it."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return "refused"
    try:
        writer.write(REQUEST)
        async with asyncio.timeout(PATIENCE):
            answer = await reader.read()
    except ConnectionError:
        return "reset"  # the request had not been read when the socket closed
    finally:
        writer.close()
    if answer.startswith(b"HTTP/1.1 503"):
        return "refused"
    if not answer:
        return "closed"
    return "complete" if answer.count(b'"tokens"') == SENTENCES and answer.endswith(b"0\r\n\r\n") else "broken"


async def run(model: str, times: int, n_clients: int, seed: int) -> list[Phase]:
    """Stop and start the service so many times under load."""
    choose = random.Random(seed)
    server = await asyncio.to_thread(ServiceProcess, model)
    phases = [Phase()]
    over = False

    async def client() -> None:
        while not over:
            outcome = await ask(server.port)
            phases[-1].answers[outcome] += 1
            if outcome != "complete":
                await asyncio.sleep(0.05)

    clients = [asyncio.create_task(client()) for _ in range(n_clients)]
    for number in range(times):
        while not phases[-1].answers["complete"]:
            await asyncio.sleep(0.05)
        await asyncio.sleep(choose.uniform(0.0, 3.0))
        stop = signal.SIGKILL if number % 2 else signal.SIGTERM
        phases[-1].exit_code = await asyncio.to_thread(server.stop, stop)
        started = time.monotonic()
        server = await asyncio.to_thread(ServiceProcess, model, port=server.port)
        phases[-1].restart_seconds = time.monotonic() - started
        report(number, stop, phases[-1])
        phases.append(Phase())
    over = True
    await asyncio.gather(*clients)
    phases[-1].exit_code = await asyncio.to_thread(server.stop)
    return phases


def report(number: int, stop: signal.Signals, phase: Phase) -> None:
    """Print a line for one stop."""
    counts = " ".join(f"{phase.answers[name]:8}" for name in ("complete", "refused", "reset", "closed", "broken"))
    print(f"{number + 1:3} {stop.name:8} {counts} {phase.exit_code:5} {phase.restart_seconds:8.1f} s", flush=True)


def main() -> None:
    """Run it and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en")
    parser.add_argument("--times", type=int, default=20, help="how often the service is stopped")
    parser.add_argument("--clients", type=int, default=16, help="that send requests meanwhile, at most 64")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("    signal   complete  refused    reset   closed   broken  exit   restart")
    phases = asyncio.run(run(options.model, options.times, min(options.clients, 64), options.seed))
    graceful = [phase for number, phase in enumerate(phases) if number % 2 == 0]
    lost = sum(phase.answers["closed"] + phase.answers["broken"] for phase in graceful)
    codes = [phase.exit_code for phase in graceful]
    total = sum((phase.answers for phase in phases), Counter())
    print(f"in all {dict(total)}; lost under SIGTERM: {lost}; exit codes under SIGTERM: {sorted(set(codes))}")
    if lost or any(codes):
        sys.exit(1)


if __name__ == "__main__":
    main()
