"""A measurement in a process of its own, so that none disturbs another's memory."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing.connection import Connection
from typing import Any

from pointree.bench.measure import MEASUREMENTS, Setup, require_arithmetic
from pointree.errors import PointreeError
from pointree.running.threads import prepare_process

__all__ = ["measure_apart"]


def measure_apart(name: str, setup: Setup, threads: int | None = None) -> dict[str, Any]:
    """Measure in a new process; whatever goes wrong there is one line here."""
    context: Any = multiprocessing.get_context("spawn")
    if "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])  # torch is imported once, and nothing is computed before the fork
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, name, setup, threads), daemon=True)
    process.start()
    sender.close()
    try:
        answer: dict[str, Any] | str = receiver.recv()
    except EOFError:
        process.join()
        answer = f"the process ended with code {process.exitcode}"
    finally:
        process.terminate()
        process.join()
    if isinstance(answer, str):
        raise PointreeError(f"{name} in {setup.precision} failed: {answer}")
    return answer


def _answer(sender: Connection, name: str, setup: Setup, threads: int | None) -> None:
    """Send the figures, or one line that says why there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    try:
        prepare_process(threads)
        require_arithmetic(setup)
        sender.send(MEASUREMENTS[name](setup))
    except Exception as error:
        sender.send(" ".join(str(error).split()) or type(error).__name__)
