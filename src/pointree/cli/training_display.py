"""What a training run shows on standard error: bars on a terminal, one line an epoch elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pointree.training.observer import TrainingObserver

if TYPE_CHECKING:
    from pointree.training.text_model import TextProgress

__all__ = ["TrainingDisplay"]


class TrainingDisplay(TrainingObserver):
    """Shows a training run: bars for the run, the epoch and whatever comes before and after, and lines that stay."""

    def __init__(self) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[speed]:>9}"),
            TextColumn("{task.fields[report]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self.words = 0
        self.started = 0.0
        self.stage = ""
        self.run: Any = None
        self.epoch: Any = None
        self.features: Any = None
        self.text_model: Any = None

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def line(self, text: str) -> None:
        """Write a line that stays, above the bars if there are any."""
        if self.progress.disable:
            typer.echo(text, err=True)
        else:
            self.progress.console.print(text, highlight=False, markup=False)

    def notice(self, line: str) -> None:
        """Leave a line."""
        self.line(line)

    def features_computed(self, done: int, total: int) -> None:
        """Move the bar of sentences that a frozen pretrained model reads, and leave a line at the end."""
        if self.features is None:
            self.started = time.perf_counter()
            self.features = self._bar("pretrained vectors", total)
        self.progress.update(self.features, completed=done, report=f"{done:,} sentences")
        if done == total:
            self.progress.remove_task(self.features)
            self.line(f"pretrained vectors of {total:,} sentences  {time.perf_counter() - self.started:,.0f} s")

    def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
        """Begin the bar of an epoch."""
        self.words, self.started = 0, time.perf_counter()
        if self.run is None:
            self.run = self._bar("training", epochs * words, completed=(epoch - 1) * words)
        self.epoch = self._bar(f"epoch {epoch}/{epochs}", words)

    def batch_done(self, words: int, loss: float) -> None:
        """Move both bars."""
        self.words += words
        speed = f"{self.words / (time.perf_counter() - self.started):,.0f} w/s"
        self.progress.update(self.run, advance=words)
        self.progress.update(self.epoch, advance=words, speed=speed, report=f"loss {loss:.3f}")

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        """Leave a line about the epoch."""
        self.progress.remove_task(self.epoch)
        self.line(
            f"epoch {metrics['epoch']:>3}  loss {metrics['arc_loss'] + metrics['label_loss']:.3f}  "
            f"dev UAS {metrics['dev_uas']:.2f}  LAS {metrics['dev_las']:.2f}{' *' if improved else '  '}  "
            f"{metrics['words_per_s']:,.0f} words/s  {metrics['seconds']:,.0f} s"
        )

    def text_model_progressed(self, progress: TextProgress) -> None:
        """Show where tokeniser and tagger stand; a new stage begins a new bar."""
        if progress.stage != self.stage:
            self.stage = progress.stage
            if self.text_model is not None:
                self.progress.remove_task(self.text_model)
            self.text_model = self._bar(f"text model: {progress.stage}", None)
            if self.progress.disable:
                self.line(f"text model: {progress.stage}")
        self.progress.update(
            self.text_model, total=progress.n_steps or None, completed=progress.step, report=progress.report[:60]
        )

    def _bar(self, description: str, total: int | None, completed: int = 0) -> Any:
        return self.progress.add_task(description, total=total, completed=completed, speed="", report="")
