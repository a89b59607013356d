"""Time of one sentence from raw text, models in turns: `python benchmarks/profiles/one_sentence.py MODEL …`.

Each MODEL is a name or folder, or `FOLDER:torch` for the engine torch in 32 bits. One thread; median of 100 rounds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict

import pointree
from pointree.running.threads import prepare_process

TEXT = "The committee that the council had appointed reported on Monday that most of the flights in May were not legal."
WARM, ROUNDS = 20, 100


def main(names: list[str]) -> None:
    """Parse the sentence with one model after the other."""
    prepare_process(1)
    models = {}
    for name in names:
        folder, _, engine = name.partition(":")
        models[name] = pointree.load(folder, engine=engine, precision="fp32") if engine else pointree.load(folder)
    times: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(WARM + ROUNDS):
        for name, model in models.items():
            started = time.perf_counter()
            model.parse_text(TEXT)
            times[name].append(time.perf_counter() - started)
    for name, found in times.items():
        print(f"{name}: {1000 * statistics.median(found[WARM:]):.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
