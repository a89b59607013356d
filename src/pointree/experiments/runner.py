"""Running the cells of a grid: several at a time, each a chain of `pointree` processes in a folder of its own.

Everything that is known of a cell is on disk, so a runner that is killed and started again goes on where it was: a
cell with a result is finished, one with a checkpoint is resumed. A cell's folder is locked by the process that works
in it, so that a training that outlived its runner is waited for and never doubled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Literal

from pointree.errors import PointreeError, UsageError
from pointree.experiments.cell import MODEL, Cell, Phase, TrainingRun, phases
from pointree.experiments.identity import Identity, changes, code_state, identity
from pointree.experiments.outcomes import keep_outcomes
from pointree.experiments.results import (
    is_complete,
    is_timed,
    make_result,
    read_identified,
    read_json,
    read_metrics,
    result_path,
    write_json,
)
from pointree.files import make_folder
from pointree.locks import is_locked, lock_folder
from pointree.models.layout import CHECKPOINT

__all__ = ["LOCAL_PROGRAM", "Changed", "Runner", "State", "Status"]

Changed = Literal["refuse", "rerun", "keep"]
"""What to do with cells whose results were made by another grid."""

LOCAL_PROGRAM = (sys.executable, "-m", "pointree")
"""The words of a command before those of a phase."""

_IDENTITY = "cell.json"
_LOG = "log.txt"
_PATIENCE = 20.0
"""Seconds that a process has to leave after it was told to."""


class State(StrEnum):
    """Where a cell stands."""

    WAITING = "waiting"
    RUNNING = "running"
    ELSEWHERE = "running elsewhere"
    FINISHED = "finished"
    CHANGED = "made with other settings"
    FAILED = "failed"


_TO_RUN = (State.WAITING, State.RUNNING, State.ELSEWHERE)


@dataclass(slots=True)
class Status:
    """A cell and where it stands; `detail` is the running phase, what has changed, or why it failed."""

    cell: Cell
    folder: Path
    state: State = State.WAITING
    detail: str = ""


@dataclass(slots=True)
class _Job:
    """A cell that is being worked on."""

    status: Status
    remaining: list[Phase]
    lock: IO[bytes]
    phase: Phase | None = None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)


class Runner:
    """Runs cells, telling `observe` about all of them whenever something may have changed.

    The cells that an ensemble needs come before it.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        folder: Path,
        results: Path,
        *,
        jobs: int = 1,
        threads: int = 1,
        device: str = "cpu",
        changed: Changed = "refuse",
        observe: Callable[[Sequence[Status]], None] = lambda statuses: None,
        note: Callable[[str], None] = lambda text: None,
        poll_seconds: float = 0.5,
        program: Sequence[str] = LOCAL_PROGRAM,
    ) -> None:
        self.folder = folder.absolute()
        self.results = results
        self.jobs = jobs
        self.threads = threads
        self.device = device
        self.changed = changed
        self.observe = observe
        self.note = note
        self.poll_seconds = poll_seconds
        self.program = tuple(program)
        self.statuses = {cell.name: Status(cell, self.folder / cell.name) for cell in cells}
        self.identities: dict[str, Identity] = {}
        for cell in cells:
            self.identities[cell.name] = identity(cell, self.identities)

    def survey(self) -> None:
        """Find where all cells stand, and touch nothing."""
        # Ensembles come last, and are looked at first: only those that will run need the models of their members.
        for status in reversed(self.statuses.values()):
            if found := self._differences(status):
                status.state, status.detail = State.CHANGED, "; ".join(found[:4])
                continue
            if self._look(status):
                continue
            if is_locked(status.folder):
                status.state = State.ELSEWHERE
            if self._result(status):
                self.note(f"{status.cell.name}: has a result, but an ensemble needs its model: it is trained again")

    def _settle_changes(self) -> None:
        """Refuse cells of another grid, all at once, or remove what they left, or leave them alone."""
        changed = [status for status in self.statuses.values() if status.state is State.CHANGED]
        if changed and self.changed == "refuse":
            named = "; ".join(
                f"{status.cell.name} was made with other settings ({status.detail})" for status in changed
            )
            raise UsageError(f"{named}: choose rerun or keep for what has changed")
        for status in changed:
            if self.changed == "rerun":
                self.note(f"{status.cell.name}: starts again ({status.detail})")
                self._forget(status)
                status.state, status.detail = State.WAITING, ""
            else:
                self.note(f"{status.cell.name}: kept although the grid has changed ({status.detail})")

    def run(self) -> list[Status]:
        """Run what is not finished; a cell that fails does not stop the others."""
        self.survey()
        self._settle_changes()
        for folder in (self.folder, self.results):
            make_folder(folder)  # what cannot be written is told before anything trains
        running: list[_Job] = []
        try:
            while True:
                self._start_jobs(running)
                self.observe(list(self.statuses.values()))
                waiting = any(s.state in (State.WAITING, State.ELSEWHERE) for s in self.statuses.values())
                if not running and not waiting:
                    return list(self.statuses.values())
                time.sleep(self.poll_seconds)
                for job in list(running):
                    if not self._goes_on(job):
                        job.lock.close()
                        running.remove(job)
        finally:
            _stop(running)

    def _differences(self, status: Status) -> list[str]:
        """How what is on disk for a cell differs from what the grid asks for now."""
        if found := self._changes(status, read_identified(result_path(self.results, status.cell.name))):
            return found
        if self._result(status) and not self._needs_model(status):
            return []  # whatever is in its folder, nobody reads it
        own = read_identified(status.folder / _IDENTITY)
        if own is None and (status.folder / MODEL).exists():
            return [f"{_IDENTITY} was lost, and the settings of the model with it"]
        return self._changes(status, own)

    def _changes(self, status: Status, recorded: Mapping[str, Any] | None) -> list[str]:
        return [] if recorded is None else changes(recorded["identity"], self.identities[status.cell.name])

    def _forget(self, status: Status) -> None:
        lock = lock_folder(status.folder)
        if lock is None:
            raise UsageError(f"{status.folder}: another process works on this cell; wait for it, or end it")
        with lock:
            shutil.rmtree(status.folder)
        result = result_path(self.results, status.cell.name)
        if self._changes(status, read_identified(result)):
            result.unlink()

    def _result(self, status: Status) -> dict[str, Any] | None:
        """The result of a cell, if it has all scores."""
        result = read_json(result_path(self.results, status.cell.name))
        return result if result is not None and is_complete(result, status.cell) else None

    def _needs_model(self, status: Status) -> bool:
        """Whether the model of a cell is needed, be its result there or not: an ensemble will run with it.

        Results travel, and models may not: a copy of the repository has the results of cells that ran elsewhere.
        """
        return any(
            status.cell.name in other.cell.needs
            and (other.state in _TO_RUN or (other.state is State.CHANGED and self.changed == "rerun"))
            for other in self.statuses.values()
        )

    def _look(self, status: Status) -> bool:
        """See whether a cell is finished."""
        result = self._result(status)
        if result is None or (self._needs_model(status) and not _is_trained(status)):
            return False
        status.state, status.detail = State.FINISHED, ""
        made = result.get("code", {})
        if made.get("sources") != code_state()["sources"]:
            commit = f", commit {made['commit']}" if "commit" in made else ""
            self.note(f"{status.cell.name}: finished, with other sources of pointree {made.get('pointree')}{commit}")
        return True

    def _start_jobs(self, running: list[_Job]) -> None:
        for status in self.statuses.values():
            if len(running) >= self.jobs:
                return
            if status.state not in (State.WAITING, State.ELSEWHERE) or not self._is_ready(status):
                continue
            try:
                job = self._start_job(status)
            except (OSError, PointreeError) as error:
                status.state, status.detail = State.FAILED, str(error)
                continue
            if job is not None:
                running.append(job)

    def _start_job(self, status: Status) -> _Job | None:
        """Begin to work on a cell, unless another process does or has finished it."""
        lock = lock_folder(status.folder)
        if lock is None:
            status.state = State.ELSEWHERE
            return None
        with ExitStack() as unless_it_starts:
            unless_it_starts.enter_context(lock)
            if self._look(status):  # whoever had the lock may have finished the cell
                return None
            own = {"cell": status.cell.name, "identity": self.identities[status.cell.name]}
            write_json(status.folder / _IDENTITY, own)
            job = _Job(status, self._phases(status), lock)
            status.state = State.RUNNING
            self._start_phase(job)
            unless_it_starts.pop_all()
        return job

    def _is_ready(self, status: Status) -> bool:
        """Whether all cells that a cell needs are finished; where one failed, it fails too."""
        for name in status.cell.needs:
            needed = self.statuses[name]
            if needed.state is State.FAILED:
                status.state, status.detail = State.FAILED, f"{name}, which it needs, failed"
                return False
            if needed.state is State.CHANGED:
                status.state, status.detail = State.FAILED, f"{name}, which it needs, was made with other settings"
                return False
            if needed.state is not State.FINISHED:
                return False
        return True

    def _phases(self, status: Status) -> list[Phase]:
        cell = status.cell
        found = list(phases(cell, self.folder, threads=self.threads, device=self.device))
        if isinstance(cell, TrainingRun):
            if _is_trained(status):
                return found[1:]
            if (status.folder / MODEL / CHECKPOINT).exists():
                found[0] = Phase(found[0].name, (*found[0].arguments, "--resume"))
            if self._result(status):
                return found[:1]  # only the model was missing: a result that was recorded stands
        return found

    def _start_phase(self, job: _Job) -> None:
        job.phase = job.remaining.pop(0)
        job.status.detail, job.started = job.phase.name, time.monotonic()
        environ = {**os.environ, "OMP_NUM_THREADS": str(self.threads), "MKL_NUM_THREADS": str(self.threads)}
        # The cells run the code that the runner runs, installed or not.
        package = str(Path(__file__).resolve().parents[2])
        environ["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        with open(job.status.folder / _LOG, "ab") as log:
            log.write(f"$ {job.phase}\n".encode())
            log.flush()
            output: IO[bytes] = open(job.phase.stdout, "wb") if job.phase.stdout else log  # noqa: SIM115
            with output:
                job.process = subprocess.Popen(
                    [*self.program, *job.phase.arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=log,
                    env=environ,
                    pass_fds=(job.lock.fileno(),),  # the lock lives as long as anybody works in the folder
                    start_new_session=True,  # an interrupt at the terminal reaches the runner, which stops its cells
                )

    def _goes_on(self, job: _Job) -> bool:
        """Do what is next in a job; false when it is over, be it because its files cannot be read or written."""
        try:
            return self._advance(job)
        except (OSError, PointreeError) as error:
            job.status.state, job.status.detail = State.FAILED, str(error)
            return False

    def _advance(self, job: _Job) -> bool:
        """See how the process of a job is doing; false when the job is over."""
        process, phase, status = job.process, job.phase, job.status
        if process is None or phase is None or process.poll() is None:
            return True
        if process.returncode != 0:
            status.state = State.FAILED
            status.detail = f"{phase.name}: {_reason(status.folder / _LOG, process.returncode)}"
            return False
        if is_timed(phase):
            job.seconds[phase.name] = time.monotonic() - job.started
        if job.remaining:
            self._start_phase(job)
            return True
        cell = status.cell
        if not self._result(status):
            result = make_result(
                cell, self.identities[cell.name], self.folder, job.seconds, threads=self.threads, device=self.device
            )
            keep_outcomes(cell, self.folder, self.results)
            write_json(result_path(self.results, cell.name), result)
        status.state, status.detail = State.FINISHED, ""
        return False


def _is_trained(status: Status) -> bool:
    """Whether the model of a cell has seen all of its epochs, and no more."""
    cell = status.cell
    return isinstance(cell, TrainingRun) and len(read_metrics(status.folder).epochs) == cell.config.training.epochs


def _reason(log: Path, code: int) -> str:
    """The last line of a log, which says why the process left."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    last = lines[-1].removeprefix("pointree: error: ") if lines else ""
    if code < 0:
        return f"ended by signal {-code}, see {log}"
    return last if last and not last.startswith("$ ") else f"left with code {code}, see {log}"


def _stop(running: Iterable[_Job]) -> None:
    """End the processes of all jobs; what they had not saved is computed again when they are resumed."""
    processes = [job.process for job in running if job.process is not None]
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + _PATIENCE
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for job in running:
        job.lock.close()
