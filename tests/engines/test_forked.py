"""A process that is forked from one with a loaded model and its threads can parse with that model."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest

FORKS = """
import multiprocessing, sys
from queue import Empty
import pointree
from pointree.running.threads import prepare_process, thread_count

prepare_process(2)
parser = pointree.load("en", engine=sys.argv[1])

def heads():
    return [sentence.heads for sentence in parser.parse_text("It rains a lot and she sleeps. " * 40)]

def answer(queue):
    global parser
    queue.put((heads(), thread_count()))
    del parser  # the inherited threads must not be waited for
    queue.put("gone")

context = multiprocessing.get_context("fork")
expected, queue = heads(), context.Queue()
child = context.Process(target=answer, args=(queue,))
child.start()
try:
    assert queue.get(timeout=120) == (expected, 1)
    assert queue.get(timeout=60) == "gone"
except Empty:
    child.kill()
    sys.exit("the forked process hangs")
child.join()
assert heads() == expected and thread_count() == 2
"""


@pytest.mark.slow
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system cannot fork")
@pytest.mark.parametrize("engine", ["onnx", "torch"])
def test_a_forked_process_parses(engine: str) -> None:
    run = subprocess.run([sys.executable, "-c", FORKS, engine], capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr
