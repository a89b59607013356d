"""A long bulk job, whose driver must not grow: 200,000 short sentences on a local cluster.

    python benchmarks/scale/long_run.py --sentences 200000 --actors 2

Prints the memory of the driver as the job goes on, and at the end whether every sentence is in the shards exactly once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from throughput import PARSE, write_text


def resident(pid: int) -> float:
    """The memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1e3
    return 0.0


def main() -> None:
    """Run the job, and watch it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sentences", type=int, default=200_000)
    options.add_argument("--actors", type=int, default=2)
    options.add_argument("--model", default="en")
    options.add_argument("--shard-words", type=int, default=5_000)
    options.add_argument("--every", type=float, default=20.0, help="Seconds between two looks at the memory.")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, out = Path(folder, "text"), Path(folder, "out")
        words = write_text(text, chosen.sentences, 1)
        command = [*PARSE, str(text), "--cluster", "local", "--actors", str(chosen.actors), "--model", chosen.model]
        command += ["--shard-words", str(chosen.shard_words), "--output", str(out)]
        command += ["--sentences", "presegmented"]
        started = time.perf_counter()
        driver = subprocess.Popen(command)
        memory = []
        while driver.poll() is None:
            shards = len(list(out.glob("part-*")))
            if shards:
                memory.append(round(resident(driver.pid)))
                seconds = round(time.perf_counter() - started)
                print(json.dumps({"seconds": seconds, "shards": shards, "driver_mb": memory[-1]}), flush=True)
            time.sleep(chosen.every)
        seconds = time.perf_counter() - started
        lines = (line for path in sorted(out.glob("part-*")) for line in path.open(encoding="utf-8"))
        ids = [int(line.split("=")[1]) for line in lines if line.startswith("# sent_id")]
        summary = {
            "exit_code": driver.returncode,
            "sentences": len(ids),
            "each_once_and_in_order": ids == list(range(1, chosen.sentences + 1)),
            "words_per_s": round(words / seconds),
            "driver_mb": {"first": memory[0] if memory else None, "last": memory[-1] if memory else None},
        }
        print(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()
