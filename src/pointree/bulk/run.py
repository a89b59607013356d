"""`pointree parse --cluster`: inputs are cut into units, actors of a Ray cluster make a shard of each.

What is done is known by the shards themselves. A unit that was lost with its actor or node is made again, in a further
round of this run or in the next one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from pointree.bulk.cluster import Cluster, connected
from pointree.bulk.job import SHARD_FORMATS, BulkJob, absolute_models, model_hash
from pointree.bulk.manifest import BulkReport, Manifest, check_place
from pointree.bulk.pieces import Piece, check_columns
from pointree.bulk.plan import Unit, group_pieces, needs_cutting, pieces_of, read_plan, write_plan
from pointree.bulk.sources import Source, find_sources
from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.running.ray_session import ClusterError

__all__ = ["make_shards", "parse_on_cluster", "plan_units"]

CUT_HERE = 50_000_000
"""Unpacked bytes of files that this process looks through itself, which takes about a second."""

_ROUNDS_WITHOUT_PROGRESS = 3
_MANIFEST_SECONDS = 5.0

PathLike = str | os.PathLike[str]
Advance = Callable[[int, int, int], None]
"""Told how many shards are done, of how many, and how many words were parsed by this run."""


def parse_on_cluster(
    inputs: PathLike | Sequence[PathLike],
    output: PathLike,
    options: ParseOptions | None = None,
    *,
    cluster: str = "local",
    model: PathLike | Sequence[PathLike] = "en",
    input_format: str | None = None,
    output_format: str | None = None,
    text_column: str = "text",
    actors: int | None = None,
    shard_words: int = 50_000,
    threads: int = 1,
    device: str = "cpu",
    engine: str = "auto",
    progress: Callable[[], AbstractContextManager[Advance]] | None = None,
    **fields: Any,
) -> BulkReport:
    """Parse files of any size on a Ray cluster, to a folder of shards in the order of the input.

    A job that was killed goes on when it is called again with the same arguments: every document is in the shards
    exactly once. Trees, ids and comments are those of `parse_files` on the same files, whatever the cluster.

    Args:
        inputs: Files, patterns such as ``*.txt``, or folders, whose files are read.
        output: The folder of the shards; empty, or that of the same job.
        options: How to parse; `ParseOptions` fields may also be given as keywords (``beam=4``).
        cluster: ``local`` starts a cluster on this machine, ``auto`` joins that of this machine; else an address.
        model: The name, folder or Hub id of a model; several parse together. Every node must find it.
        input_format: text, conllu, conllx, words, jsonl or parquet; by the name and start of each file without it.
        output_format: conllu (the default), jsonl or parquet.
        text_column: The column of JSON Lines or Parquet that has the text. A row is a document.
        actors: Processes that parse; as many as the CPUs (or GPUs) of the cluster by default.
        shard_words: About how many words a shard has.
        threads: CPU threads of each actor.
        device: Where to compute: cpu, cuda, …
        engine: What computes: onnx, torch, or auto.
        progress: Opens what is told of the progress.
    """
    chosen = ParseOptions.of(options, fields)
    target = output_format or "conllu"
    if target not in SHARD_FORMATS:
        raise UsageError(f"output format must be one of {', '.join(SHARD_FORMATS)} on a cluster, found {target}")
    names = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    models = absolute_models([os.fspath(each) for each in ([model] if isinstance(model, str | os.PathLike) else model)])
    if "auto" in models:
        raise UsageError("model auto: expected the name or folder of a model for a cluster")
    titles = [os.fspath(name) for name in names]
    sources = find_sources(titles, input_format)
    folder = Path(output).absolute()
    check_place(folder, titles, sources)
    check_columns(sources, text_column)
    job = BulkJob(
        folder,
        models,
        tuple(model_hash(each) for each in models),
        chosen,
        format=target,
        text_column=text_column,
        threads=threads,
        device=device,
        engine=engine,
    )
    manifest = Manifest(job, sources, shard_words)
    if (report := manifest.check()) is not None:
        return report
    with connected(cluster, cpus=None if actors is None else actors * threads) as joined:
        room = joined.slots(threads=threads, device=device)
        with manifest.begun() as report:
            if report is not None:
                return report
            if not job.plan.exists():
                write_plan(job.plan, plan_units(joined, sources, job, shard_words))
            with progress() if progress is not None else nullcontext(lambda *_numbers: None) as advance:
                total = make_shards(joined, job, manifest, actors or room, advance)
            return manifest.finish(total)


def plan_units(cluster: Cluster, sources: Sequence[Source], job: BulkJob, shard_words: int) -> Iterator[Unit]:
    """The units of a job: files that are large, or whose size says little, are looked through.

    The cluster does it, unless they are so few that it is done before processes have started there.
    """
    to_cut = [source for source in sources if needs_cutting(source, shard_words)]
    cut = partial(pieces_of, target=shard_words, sentences=job.options.sentences, text_column=job.text_column)
    is_little = sum(source.words * source.bytes_per_word for source in to_cut) <= CUT_HERE
    found = map(cut, to_cut) if is_little else cluster.cut(to_cut, cut)

    def pieces() -> Iterator[tuple[Piece, int]]:
        for source in sources:
            if not needs_cutting(source, shard_words):
                yield Piece(source), source.words
                continue
            answer = next(found)
            if isinstance(answer, str):
                raise UsageError(answer)
            for fields, words in answer:
                yield Piece.from_dict(fields), words

    return group_pieces(pieces(), shard_words)


def make_shards(cluster: Cluster, job: BulkJob, manifest: Manifest, size: int, advance: Advance) -> int:
    """Make all shards that are missing, in rounds: a unit that was lost with its actor has its turn in the next."""
    total = sum(1 for _line in read_plan(job.plan))
    words, without_progress = 0, 0
    while missing := _missing(job):
        done, written = total - len(missing), time.monotonic()
        advance(done, total, words)
        for row in cluster.make(job, missing, size):
            if row["fault"]:
                raise ClusterError(row["fault"])
            done += 1
            words += row["words"]
            advance(done, total, words)
            if time.monotonic() - written > _MANIFEST_SECONDS:
                manifest.write(done, total)
                written = time.monotonic()
        without_progress = without_progress + 1 if done == total - len(missing) else 0
        if without_progress == _ROUNDS_WITHOUT_PROGRESS:
            unit = job.describe(Unit.from_json(missing[0]))
            raise ClusterError(f"{unit}: the actors that parse it end before they are done (out of memory?)")
        manifest.write(done, total)
    return total


def _missing(job: BulkJob) -> list[str]:
    """The units whose shards are not there."""
    there = {entry.name for entry in os.scandir(job.output)}
    return [line for number, line in enumerate(read_plan(job.plan)) if job.shard(number).name not in there]
