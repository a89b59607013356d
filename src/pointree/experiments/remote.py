"""One command of a cell on some node of a Ray cluster.

The runner starts this program in place of `pointree`. It waits here while the command runs elsewhere, and leaves with
its output and its exit code. So locks, logs and records are those of a cell that runs on this machine. Where this
program ends, the command ends too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from pointree.errors import PointreeError
from pointree.running.ray_session import ray_session

__all__ = ["main", "remote_program", "run_here"]


def remote_program(cluster: str, *, threads: int, device: str) -> tuple[str, ...]:
    """The words that stand for `pointree` in a command that is to run on a cluster."""
    return (sys.executable, "-m", "pointree.experiments.remote", cluster, str(threads), device)


def run_here(arguments: list[str], environ: dict[str, str], folder: str) -> tuple[int, bytes, bytes]:
    """Run `pointree` on this node: its exit code, and what it wrote to standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "pointree", *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
        preexec_fn=_die_with_parent,
    )
    return done.returncode, done.stdout, done.stderr


def _die_with_parent() -> None:
    """Have the system end this process when the worker that waits for it is killed."""
    if sys.platform == "linux":
        import ctypes
        import signal

        set_parent_death_signal = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)


def main(arguments: list[str]) -> int:
    """Have the cluster run a command; returns its exit code."""
    cluster, threads, device, *command = arguments
    environ = {name: os.environ[name] for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS") if name in os.environ}
    needs: dict[str, Any] = {"num_cpus": int(threads), "num_gpus": 1 if device.startswith("cuda") else 0}
    try:
        with ray_session(cluster) as ray:
            task = ray.remote(run_here).options(max_retries=0, **needs)
            try:
                code, out, err = ray.get(task.remote(command, environ, os.getcwd()))
            except ray.exceptions.RayError as error:
                code, out = 1, b""
                err = f"the node was lost ({type(error).__name__}); the same command goes on with the cell\n".encode()
    except PointreeError as error:
        code, out, err = 2, b"", f"pointree: error: {error}\n".encode()
    sys.stdout.buffer.write(out)
    sys.stderr.buffer.write(err)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
