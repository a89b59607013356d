"""A process that computes: its threads, and memory that stays with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pointree.errors import UsageError
from pointree.running import threads

FAULTS = """
import resource, torch
from pointree.running.threads import prepare_process
if {prepared}:
    prepare_process(threads=1)
torch.ones(4_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    kept = torch.ones(4_000_000)
    del kept
    torch.ones(9_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, torch.get_num_threads())
"""


def _page_faults(prepared: bool) -> tuple[int, int]:
    code = FAULTS.format(prepared=prepared)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    faults, threads = map(int, run.stdout.split())
    return faults, threads


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the allocator of glibc is tuned on Linux alone")
def test_freed_memory_is_used_again() -> None:
    prepared, threads = _page_faults(True)
    plain, _threads = _page_faults(False)
    assert threads == 1
    assert prepared < plain / 4


def test_no_threads_are_refused() -> None:
    with pytest.raises(UsageError, match="threads must be 1 or more, found 0"):
        threads.prepare_process(0)


def test_a_torch_that_cannot_be_imported_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_threads", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    threads.prepare_process(1)
    assert threads.thread_count() == 1
