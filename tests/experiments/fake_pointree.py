"""Stands in for `pointree` where a test is about the runner: writes what the commands would write, at once.

FAKE_SECONDS is the time of an epoch; FAKE_FAIL names an order whose training fails; FAKE_CALLS is a file that gets a
line for each call, FAKE_PID one that gets the number of the process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import pairwise
from pathlib import Path


def option(name: str, default: str = "") -> str:
    """The value of `--name value` or `--name=value`."""
    for place, argument in enumerate(sys.argv):
        if argument == f"--{name}":
            return sys.argv[place + 1]
        if argument.startswith(f"--{name}="):
            return argument.partition("=")[2]
    return default


def setting(name: str) -> str:
    return next(argument.rpartition("=")[2] for argument in sys.argv if argument.startswith(f"--set={name}="))


def train() -> None:
    model = Path(option("output"))
    model.mkdir(parents=True, exist_ok=True)
    if os.environ.get("FAKE_FAIL") == setting("decoder.order"):
        sys.exit("pointree: error: the weights are no longer finite")
    metrics = model / "metrics.jsonl"
    lines = metrics.read_text().splitlines() if "--resume" in sys.argv else []
    for epoch in range(len(lines) + 1, int(setting("training.epochs")) + 1):
        time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
        las = 50.0 + epoch + int(setting("training.seed"))
        lines.append(
            json.dumps({"epoch": epoch, "dev_las": las, "dev_uas": las + 5, "words_per_s": 1, "seconds": epoch})
        )
        metrics.write_text("".join(line + "\n" for line in lines))
        (model / "checkpoint.safetensors").touch()


def parse() -> None:
    models = [after for name, after in pairwise(sys.argv) if name == "--model"]
    if missing := [model for model in models if not (Path(model) / "metrics.jsonl").exists()]:
        sys.exit(f"pointree: error: {missing[0]}: no such model folder")
    tree = "1\tword\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    Path(option("output")).write_text(f"# {' '.join(sys.argv)}\n{tree}")


def evaluate() -> None:
    parsed = Path(sys.argv[3]).read_text()
    seed = int(parsed.partition(".seed")[2][:1])
    split = 1.0 if "/test.conllu" in sys.argv[3] else 0.0
    las = 60.0 + seed + split + (2.0 if parsed.count("--model") > 1 else 0.0)
    scores = {"uas": las + 5, "las": las, "las_subtypes": las - 1, "clas": las - 2, "words": 10, "sentences": 2}
    print(json.dumps({**scores, "no_punct": {"uas": las + 6, "las": las + 1}}))  # noqa: T201 - the result


if __name__ == "__main__":
    if "FAKE_CALLS" in os.environ:
        with open(os.environ["FAKE_CALLS"], "a") as calls:
            calls.write(" ".join(sys.argv[1:]) + "\n")
    if "FAKE_PID" in os.environ:
        Path(os.environ["FAKE_PID"]).write_text(str(os.getpid()))
    {"train": train, "parse": parse, "evaluate": evaluate}[sys.argv[1]]()
