"""`pointree serve` as a process of its own on loopback, which the benchmarks of this folder start, watch and stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ServiceProcess"]

_STOP_SECONDS = 150.0


class ServiceProcess:
    """A service with one model, which is called `m`; it listens when this has been made."""

    def __init__(self, model: str, options: Sequence[str] = (), *, port: int = 0) -> None:
        command = [sys.executable, "-m", "pointree", "serve", "--model", f"m={model}", "--port", str(port), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.port = self._read_port()
        # The log must be read, or the service would wait for that.
        threading.Thread(target=self.process.communicate, daemon=True).start()

    def _read_port(self) -> int:
        lines = []
        for line in self.process.stderr or ():
            lines.append(line)
            if line.startswith("serving "):
                return int(line.rpartition(":")[2])
        raise SystemExit("the service did not start: " + "".join(lines))

    def memory(self) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def files(self) -> int:
        """Open files and connections."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self) -> float:
        """Seconds of processors so far."""
        times = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it with a signal, and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(_STOP_SECONDS)
