"""What bulk jobs of 10 to 1,000 nodes would take, simulated unit by unit from figures measured on one machine.

    python benchmarks/scale/simulate.py --words 1e9 --words-per-s 2000 --dispatch 35

Assumptions, all of which are options:
- every node has so many cores, and an actor on each parses so many words a second (a measurement on one core);
- the time of a unit varies: it is drawn from a gamma distribution with this coefficient of variation;
- an actor takes so long to start and load its model;
- the driver hands out so many units a second at most (a measurement), one after another;
- nodes fail at random, on average once in so many hours; their units under way are lost and made again, and the node is
  back after so many minutes;
- files are read and written fast enough: a core needs about 15 KB of text a second.
"""

from __future__ import annotations

import argparse
import heapq
import json
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Assumptions:
    """What the simulation takes for granted."""

    words: float
    words_per_s: float
    shard_words: float
    cores: int
    variation: float
    start_s: float
    dispatch: float
    hours_between_failures: float
    repair_minutes: float
    price: float


class Node:
    """A node that is down now and then."""

    def __init__(self, given: Assumptions, random: Random) -> None:
        self.given = given
        self.random = random
        self.outages: list[tuple[float, float]] = []

    def outage_after(self, time: float) -> tuple[float, float]:
        """The first outage that is not over at a time: when it begins, and when its actors work again."""
        while not self.outages or self.outages[-1][1] <= time:
            up = self.outages[-1][1] if self.outages else 0.0
            begin = up + self.random.expovariate(1 / (self.given.hours_between_failures * 3600))
            self.outages.append((begin, begin + self.given.repair_minutes * 60 + self.given.start_s))
        return next(outage for outage in self.outages if outage[1] > time)


def simulate(nodes: int, given: Assumptions, seed: int = 1) -> dict[str, float]:
    """The hours of a job, how much of the cores' time was work that counts, and the units that were made twice."""
    random = Random(seed)
    units, actors = round(given.words / given.shard_words), nodes * given.cores
    mean, shape = given.shard_words / given.words_per_s, 1 / given.variation**2
    machines = [Node(given, random) for _ in range(nodes)]
    free = [(given.start_s, actor) for actor in range(actors)]
    hand, end, lost, waiting, useful = 0.0, 0.0, 0, units, 0.0
    while waiting:
        ready, actor = heapq.heappop(free)
        node = machines[actor // given.cores]
        down, up = node.outage_after(ready)
        if down <= ready:
            heapq.heappush(free, (up, actor))
            continue
        hand = max(hand + 1 / given.dispatch, ready)
        done = hand + random.gammavariate(shape, mean / shape)
        down, up = node.outage_after(hand)
        if down < done:
            lost += 1
            heapq.heappush(free, (up, actor))
            continue
        waiting -= 1
        useful += done - hand
        end = max(end, done)
        heapq.heappush(free, (done, actor))
    return {
        "nodes": nodes,
        "cores": actors,
        "hours": round(end / 3600, 3),
        "efficiency": round(useful / (end * actors), 3),
        "units": units,
        "made_again": lost,
        "price": round(end / 3600 * actors * given.price, 2),
    }


def main() -> None:
    """Print a line for each size of cluster."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default, text in (
        ("words", 1e9, "words of the job"),
        ("words-per-s", 2_000, "words a second of one core"),
        ("shard-words", 50_000, "words of a unit"),
        ("variation", 0.3, "coefficient of variation of the time of a unit"),
        ("start-s", 20, "seconds until an actor has its model"),
        ("dispatch", 35, "units that the driver hands out in a second"),
        ("hours-between-failures", 1_000, "of one node"),
        ("repair-minutes", 10, "until a node is back"),
        ("price", 0.04, "of a core for an hour"),
    ):
        options.add_argument(f"--{name}", type=float, default=default, help=f"{text} (default: {default})")
    options.add_argument("--cores", type=int, default=16, help="of a node (default: 16)")
    options.add_argument("--nodes", type=int, nargs="+", default=[10, 30, 100, 300, 1_000])
    chosen = vars(options.parse_args())
    sizes = chosen.pop("nodes")
    given = Assumptions(**chosen)
    for nodes in sizes:
        print(json.dumps(simulate(nodes, given)))


if __name__ == "__main__":
    main()
