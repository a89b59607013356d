"""SIGTERM and SIGHUP: a command that is stopped cleans up, says nothing and leaves with the signal's code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import pointree
from pointree.cli.signals import unwinding_signals
from pointree.files import atomic_write

from ..helpers import tiny_parser

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
PATIENCE = 60.0
SENTENCE = b"1\tta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


@contextmanager
def parsing(folder: Path, *args: str) -> Iterator[subprocess.Popen[bytes]]:
    """`pointree parse -o out.conllu` that has begun to write and waits for more input."""
    command = [sys.executable, "-m", "pointree", "parse", "-", "--from", "conllu", "-m", str(folder.parent / "model")]
    with subprocess.Popen(
        [*command, "-o", str(folder / "out.conllu"), *args],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:
        try:
            assert started.stdin is not None
            started.stdin.write(SENTENCE * 2000)
            started.stdin.flush()
            wait_until(lambda: any(folder.iterdir()))
            yield started
        finally:
            started.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder beside a model."""
    tiny_parser().save(tmp_path / "model")
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_parse_that_is_stopped_leaves_no_file(folder: Path, name: str) -> None:
    number = getattr(signal, name)
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup")
    with parsing(folder) as started:
        started.send_signal(number)
        assert started.wait(PATIENCE) == 128 + number
        assert started.stderr is not None
        assert b"Traceback" not in started.stderr.read()
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_what_was_there_before_survives(folder: Path) -> None:
    (folder / "out.conllu").write_text("before")
    with parsing(folder) as started:
        wait_until(lambda: len(list(folder.iterdir())) == 2)
        started.terminate()
        assert started.wait(PATIENCE) == 143
    assert [path.name for path in folder.iterdir()] == ["out.conllu"]
    assert (folder / "out.conllu").read_text() == "before"


@pytest.mark.slow
def test_a_group_with_workers_that_is_told_twice_leaves_no_file(folder: Path) -> None:
    """`timeout` and service managers signal the whole group, and some of them twice."""
    with parsing(folder, "--workers", "2") as started:
        for _ in range(2):
            os.killpg(started.pid, signal.SIGTERM)
        assert started.wait(PATIENCE) == 143
        assert started.stderr is not None
        assert b"Traceback" not in started.stderr.read()
    assert list(folder.iterdir()) == []


def test_signals_unwind_and_only_the_first_counts(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with unwinding_signals() as stop:
        with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "x") as stream:  # noqa: PT012
            stream.write("half")
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)
    assert (stop.number, stop.exit_code(130)) == (signal.SIGTERM, 143)
    assert signal.getsignal(signal.SIGTERM) == before
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_is_ignored_or_handled_stays_so() -> None:
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    try:
        with unwinding_signals() as stop:
            signal.raise_signal(signal.SIGHUP)
        assert stop.exit_code(0) == 0
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, old)


def test_other_threads_leave_signals_alone() -> None:
    codes: list[int] = []

    def work() -> None:
        with unwinding_signals() as stop:
            codes.append(stop.exit_code(0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [0]
