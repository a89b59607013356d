"""The engines side by side: the same model on torch and, in 32 and in 8 bits, on onnxruntime, from text to CoNLL-U.

Every measurement runs in a process of its own, which imports torch only if that is the engine, so that memory and the
time to load are those of users.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointree.errors import PointreeError

if TYPE_CHECKING:
    from pointree.parser import Parser
    from pointree.treebank.sentence import Sentence

__all__ = ["KEYS", "MEASURED_ENGINES", "compare_engines", "measure_engine", "resident_peak_mb"]

MEASURED_ENGINES = (("torch", "fp32"), ("onnx", "fp32"), ("onnx", "int8"))
"""The engines, and the precisions of each."""

KEYS = ("words_per_s", "p50_ms", "load_s", "peak_mb")
"""What is measured: speed from text to CoNLL-U, one 20-word sentence, loading, memory."""

_SENTENCE_WORDS = 20
_WARM_UP_SENTENCES = 40


def compare_engines(
    models: Mapping[str, str],
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Measure models, given as names or folders by their titles, on all engines.

    Returns the figures, by title, engine and precision, and the reasons for those that are missing.
    """
    report: dict[str, Any] = {}
    notes: dict[str, str] = {}
    for title, model in models.items():
        for engine, precision in MEASURED_ENGINES:
            progress(f"{title} on {engine}, {precision}")
            figures: dict[str, Any] = dict.fromkeys(KEYS)
            try:
                figures |= _measure_apart(model, engine, precision, quick=quick, threads=threads)
            except PointreeError as error:
                notes[f"engines.{title}.{engine}.{precision}"] = str(error)
            report.setdefault(title, {}).setdefault(engine, {})[precision] = figures
    return report, notes


def _measure_apart(model: str, engine: str, precision: str, *, quick: bool, threads: int | None) -> dict[str, float]:
    """Measure in a new process; whatever goes wrong there is one line here."""
    request = {"model": model, "engine": engine, "precision": precision, "quick": quick, "threads": threads}
    environment = dict(os.environ) | ({} if threads is None else {"OMP_NUM_THREADS": str(threads)})
    ran = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(request)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if ran.returncode:
        lines = ran.stderr.strip().splitlines() or [f"the process ended with code {ran.returncode}"]
        raise PointreeError(lines[-1])
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def measure_engine(
    model: str, engine: str, precision: str, *, quick: bool = False, threads: int | None = None
) -> dict[str, float]:
    """The figures of a model on an engine, in this process.

    It parses random words of its vocabulary: raw text if it can cut it into sentences, words with tags otherwise.
    """
    from pointree.parser import load
    from pointree.running.threads import prepare_process

    prepare_process(threads)
    started = time.perf_counter()
    parser = load(model, engine=engine, precision=precision)
    loading = time.perf_counter() - started
    sentences = list(_sentences(parser, 120 if quick else 1500))
    with tempfile.TemporaryDirectory(prefix="pointree-bench-") as folder:
        warm_up, source, target = (Path(folder, name) for name in ("warm-up", "source", "target"))
        _write(parser, sentences[:_WARM_UP_SENTENCES], warm_up)
        _write(parser, sentences, source)
        _parse(parser, warm_up, target)
        times = [_parse(parser, source, target) for _ in range(1 if quick else 3)]
        peak = resident_peak_mb()
        single = []
        for sentence in _sentences(parser, 12 if quick else 60, length=_SENTENCE_WORDS):
            _write(parser, [sentence], source)
            single.append(_parse(parser, source, target))
    n_words = sum(map(len, sentences))
    figures = (n_words / min(times), 1000 * statistics.median(single), loading, peak)
    return {key: round(figure, 3 if figure < 10 else 1) for key, figure in zip(KEYS, figures, strict=True)}


def _sentences(parser: Parser, count: int, length: int | None = None) -> Iterator[Sentence]:
    """Sentences of lengths as in English, of the words and tags of a model, with frequent words more often."""
    from pointree.treebank.sentence import Sentence

    chance = random.Random(1)
    words = [word for word in parser.vocabularies.words.symbols if word.isalpha()] or ["word"]
    tags = parser.vocabularies.tags.symbols[3:] or ("_",)
    for _ in range(count):
        n = length or max(2, min(60, round(chance.gammavariate(1.5, 10.5))))
        forms = [words[min(int(chance.paretovariate(0.6)), len(words)) - 1] for _ in range(n - 1)]
        yield Sentence.from_words([*forms, "."], upos=chance.choices(tags, k=n), xpos=chance.choices(tags, k=n))


def _write(parser: Parser, sentences: Sequence[Sentence], path: Path) -> None:
    from pointree.treebank.conllu import write_conllu

    with open(path, "w", encoding="utf-8") as stream:
        if parser.reads_text:
            stream.writelines(" ".join(sentence.forms[:-1]).capitalize() + ". " for sentence in sentences)
        else:
            write_conllu(sentences, stream)


def _parse(parser: Parser, source: Path, target: Path) -> float:
    """Seconds from a file to another."""
    from pointree.text.reading import read_text
    from pointree.treebank.conllu import read_conllu, write_conllu

    started = time.perf_counter()
    read: Iterable[Sentence] = (
        read_text(source, parser.require_segmenter()) if parser.reads_text else read_conllu(source)
    )
    with open(target, "w", encoding="utf-8") as stream:
        write_conllu(parser.stream(read, copy=False), stream)
    return time.perf_counter() - started


def resident_peak_mb() -> float:
    """The most memory that this process has had, in MB; 0 on a system that does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    try:
        sys.stdout.write(json.dumps(measure_engine(**json.loads(sys.argv[1]))))
    except PointreeError as fault:
        sys.exit(str(fault))
