"""What a training run shows on standard error: bars on a terminal, one line an epoch elsewhere."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from pointree.training.observer import TrainingObserver
from pointree.vocabulary import COLUMNS

if TYPE_CHECKING:
    from pointree.training.text_model import TextProgress

__all__ = ["TrainingDisplay"]


class EpochClock:
    """Estimates how long all epochs still take, the evaluation after each included."""

    def __init__(self) -> None:
        self.epoch = self.n_epochs = 0
        self.began = 0.0
        self.seconds: list[float] = []

    def start(self, epoch: int, n_epochs: int) -> None:
        """An epoch begins, counted from 1."""
        self.epoch, self.n_epochs, self.began = epoch, n_epochs, time.perf_counter()

    def add(self, seconds: float) -> None:
        """Count time that the epoch took before the run was stopped."""
        self.began -= seconds

    def end(self) -> None:
        """The epoch was learned and evaluated."""
        self.seconds.append(time.perf_counter() - self.began)

    def left(self, share: float) -> float:
        """Seconds up to the end of the last epoch; ``share`` of this one's words are learned."""
        spent = time.perf_counter() - self.began
        whole = sum(self.seconds) / len(self.seconds) if self.seconds else spent / max(share, 1e-3)
        return max(0.0, whole - spent) + (self.n_epochs - self.epoch) * whole


class _Left(ProgressColumn):
    """The time that is left: as a task says, or as rich estimates it."""

    def __init__(self) -> None:
        super().__init__()
        self._estimate = TimeRemainingColumn()

    def render(self, task: Task) -> Text:
        """The text of the column."""
        left = task.fields["left"]
        if left is None:
            return self._estimate.render(task)
        return Text(f"{timedelta(seconds=int(left))} left", style="progress.remaining")


class TrainingDisplay(TrainingObserver):
    """Shows a training run: bars for the run, the epoch and whatever comes before and after, and lines that stay."""

    def __init__(self) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[speed]:>9}"),
            TextColumn("{task.fields[report]}"),
            _Left(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self.words = self.epoch_words = 0
        self.started = 0.0
        self.epochs = EpochClock()
        self.stages: dict[str, Any] = {}
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

    def stage_progressed(self, stage: str, done: int, total: int) -> None:
        """Show the bar of a stage while it has something to do."""
        if stage not in self.stages:
            if done == total:
                return
            self.stages[stage] = self._bar(stage, total if total > 1 else None)  # of one step, only that it goes on
        self.progress.update(self.stages[stage], completed=done)
        if done == total:
            self.progress.remove_task(self.stages.pop(stage))

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
        self.words, self.epoch_words, self.started = 0, words, time.perf_counter()
        if self.run is None:
            self.run = self._bar("training", epochs * words, completed=(epoch - 1) * words)
        self.epochs.start(epoch, epochs)
        self.epoch = self._bar(f"epoch {epoch}/{epochs}", words)

    def epoch_resumed(self, words: int, seconds: float) -> None:
        """Move both bars to where the run was stopped."""
        self.words = words
        self.started -= seconds
        self.epochs.add(seconds)
        self.progress.update(self.run, advance=words)
        self.progress.update(self.epoch, advance=words)

    def batch_done(self, words: int, loss: float) -> None:
        """Move both bars."""
        self.words += words
        speed = f"{self.words / (time.perf_counter() - self.started):,.0f} w/s"
        share = self.words / max(1, self.epoch_words)
        self.progress.update(self.run, advance=words, left=self.epochs.left(share))
        self.progress.update(self.epoch, advance=words, speed=speed, report=f"loss {loss:.3f}")

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        """Leave a line about the epoch."""
        self.epochs.end()
        self.progress.remove_task(self.epoch)
        columns = "".join(
            f"{name.upper()} {metrics[key]:.2f}  " for name in COLUMNS if (key := f"dev_{name}") in metrics
        )
        self.line(
            f"epoch {metrics['epoch']:>3}  loss {metrics['arc_loss'] + metrics['label_loss']:.3f}  "
            f"dev UAS {metrics['dev_uas']:.2f}  LAS {metrics['dev_las']:.2f}{' *' if improved else '  '}  {columns}"
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
        return self.progress.add_task(description, total=total, completed=completed, speed="", report="", left=None)
