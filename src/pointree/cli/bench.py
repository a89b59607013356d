"""`pointree bench`: how fast this machine trains and parses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pointree.cli.console import new_table, notice, print_json, progress_bar, show
from pointree.cli.options import DeviceOption, JsonOption, ThreadsOption, new_app
from pointree.config import Config, load_config

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree bench
  pointree bench --quick --json
  pointree bench --model en --model ./my-model --threads 1
  pointree bench --decoders --threads 1
  pointree bench --threads 1 --set encoder.size=256 --set decoder.size=256
"""

app = new_app()


@app.command("bench", epilog=EXAMPLES)
def command(
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sentences and repetitions: rougher, about a minute.")
    ] = False,
    decoders: Annotated[
        bool, typer.Option("--decoders", help="Only compare sequential decoding with the three orders.")
    ] = False,
    beam: Annotated[int, typer.Option("--beam", metavar="N", min=1, help="Hypotheses, for --decoders.")] = 10,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Name or folder of a model to measure on all engines; may be given several times (default: those that "
            "are bundled).",
        ),
    ] = None,
    json: JsonOption = False,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings of the model.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.FIELD=VALUE", help="One setting of the model.")
    ] = None,
) -> None:
    """Measure training and parsing with random weights, and models on all engines.

    Utilisation is the work of the model's matrix products, divided by what the machine's fastest 32-bit product
    would have done in the same time. Measure on an idle machine.
    """
    settings = load_config(config, overrides or (), on_notice=notice)

    if decoders:
        _compare_decoders(settings, beam=beam, quick=quick, threads=threads, device=device, as_json=json)
        return

    from pointree.bench.engines import MEASURED_ENGINES
    from pointree.bench.run import measured_models, run_bench

    models = measured_models(model)
    with progress_bar() as progress:
        task = progress.add_task("bench", total=11 + len(MEASURED_ENGINES) * (1 + len(models)))

        def advance(text: str) -> None:
            progress.update(task, description=f"bench: {text}", advance=1)

        report = run_bench(settings, quick=quick, threads=threads, device=device, models=models, progress=advance)
    if json:
        print_json(report)
    else:
        _show(report)


def _compare_decoders(
    settings: Config, *, beam: int, quick: bool, threads: int | None, device: str, as_json: bool
) -> None:
    from pointree.bench.decoders import DECODERS, compare_decoders

    with progress_bar() as progress:
        task = progress.add_task("bench", total=None)
        report = compare_decoders(
            settings,
            beam=beam,
            quick=quick,
            threads=threads,
            device=device,
            progress=lambda text: progress.update(task, description=f"bench: {text}"),
        )
    if as_json:
        print_json(report)
        return
    columns = ("batched", "ratio", "one at a time", "ratio", "the paper", "ratio")
    table = new_table(f"Sentences per second, beam {beam}", "", *columns)
    paper = report["paper"]
    for name in DECODERS:
        own = [(report[way]["sentences_per_s"][name], report[way]["ratio"][name]) for way in ("batched", "alone")]
        rows = [*own, (paper[name], paper[name] / paper["sequential"])]
        table.add_row(name, *(f"{value:.2f}" for pair in rows for value in pair))
    show(table)


def _show(report: dict[str, Any]) -> None:
    gemm = report["gemm"]
    table = new_table("Throughput", "", "words/s", "sentences/s", "peak MB", "utilisation")
    for precision in ("fp32", "bf16"):
        rows = {
            f"train {precision}": report["train"][precision],
            f"parse {precision}, greedy": report["parse"][precision]["beam1"],
            f"parse {precision}, beam 10": report["parse"][precision]["beam10"],
        }
        for name, row in rows.items():
            keys = ("words_per_s", "sentences_per_s", "peak_mb")
            table.add_row(name, *(_number(row[key], 0) for key in keys), _number(row["utilisation"], 2))
    engines = new_table("Engines, text to CoNLL-U", "", "words/s", "one sentence, ms", "load, s", "peak MB")
    for title, by_engine in report["engines"].items():
        for engine, by_precision in by_engine.items():
            for precision, row in by_precision.items():
                digits = {"words_per_s": 0, "p50_ms": 1, "load_s": 2, "peak_mb": 0}
                figures = (_number(row[key], places) for key, places in digits.items())
                engines.add_row(f"{title}, {engine} {precision}", *figures)
    latency, cold, length = report["latency_ms"], report["cold_start_s"], report["length"]
    show(
        f"GEMM peak: fp32 {_number(gemm['fp32_gflops'], 0)} GFLOP/s, bf16 {_number(gemm['bf16_gflops'], 0)} GFLOP/s",
        table,
        engines,
        f"one 20-word sentence: p50 {_number(latency['p50'], 1)} ms, p95 {_number(latency['p95'], 1)} ms",
        f"cold start: --help {_number(cold['help'], 2)} s, parse {_number(cold['parse'], 2)} s",
        f"time grows with length to the power of {_number(length['exponent_10_160'], 2)} (10-160 words), "
        f"{_number(length['exponent_160_640'], 2)} (160-640 words)",
        *(f"{name}: {note}" for name, note in report["notes"].items()),
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
