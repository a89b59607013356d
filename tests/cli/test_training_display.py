"""What a training shows on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from pointree.cli.training_display import EpochClock, TrainingDisplay
from pointree.training.text_model import TextProgress

METRICS = {"epoch": 7, "arc_loss": 0.25, "label_loss": 0.5, "dev_uas": 81.0, "dev_las": 77.125}
METRICS |= {"words_per_s": 1234.5, "seconds": 67.8}
LINE = "epoch   7  loss 0.750  dev UAS 81.00  LAS 77.12{}  1,234 words/s  68 s"


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def show_an_epoch(display: TrainingDisplay, improved: bool) -> None:
    with display:
        display.epoch_started(7, 10, 200)
        display.batch_done(150, 1.5)
        display.batch_done(50, 0.5)
        display.progress.refresh()
        display.epoch_ended(METRICS, improved)


@pytest.mark.parametrize("improved", [True, False])
def test_elsewhere_an_epoch_is_a_line(capsys: pytest.CaptureFixture[str], improved: bool) -> None:
    show_an_epoch(TrainingDisplay(), improved)
    assert capsys.readouterr() == ("", LINE.format(" *" if improved else "  ") + "\n")


def test_predicted_columns_have_their_scores(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingDisplay() as display:
        display.epoch_started(7, 10, 200)
        display.epoch_ended({**METRICS, "dev_upos": 90.0, "dev_lemma": 91.5}, True)
    assert "LAS 77.12 *  UPOS 90.00  LEMMA 91.50  1,234 words/s" in capsys.readouterr().err


def test_a_terminal_has_bars_that_leave_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal)
    show_an_epoch(TrainingDisplay(), True)
    shown = terminal.getvalue()
    assert LINE.format(" *") in shown
    assert "epoch 7/10" in shown
    assert "loss 0.500" in shown
    assert "w/s" in shown


def test_a_resumed_epoch_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("time.perf_counter", lambda: now)
    with TrainingDisplay() as display:
        display.epoch_started(7, 10, 200)
        display.epoch_resumed(50, 30.0)
        run, epoch = display.progress.tasks
        assert (run.completed, run.total, epoch.completed, epoch.total) == (6 * 200 + 50, 2000, 50, 200)
        now = 30.0
        display.batch_done(50, 1.5)
        assert (run.completed, epoch.completed, epoch.fields["speed"]) == (1300, 100, "2 w/s")
        assert run.fields["left"] == 60 + 3 * 120, "half an epoch took a minute, with the time before the stop"


def test_stages_of_the_text_model(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stages = [("tokeniser", 1), ("tokeniser", 2), ("tagger", 1)]
    with TrainingDisplay() as display:
        for stage, step in stages:
            display.text_model_progressed(TextProgress(stage, step, 40, 0.5, "Epoch"))
    assert capsys.readouterr() == ("", "text model: tokeniser\ntext model: tagger\n")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with TrainingDisplay() as display:
        for stage, step in stages:
            display.text_model_progressed(TextProgress(stage, step, 40, 0.5, "Epoch"))
    assert "text model: tagger" in terminal.getvalue()


def test_every_stage_has_a_bar_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with TrainingDisplay() as display:
        display.stage_progressed("calibration", 0, 3)
        display.progress.refresh()
        assert [task.description for task in display.progress.tasks] == ["calibration"]
        display.stage_progressed("calibration", 3, 3)
        assert not display.progress.tasks
        display.stage_progressed("reading", 2, 2)
        assert not display.progress.tasks
    assert "calibration" in terminal.getvalue()


def test_what_is_left_counts_evaluation_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.perf_counter", lambda: now)
    clock = EpochClock()
    clock.start(1, 3)
    now = 10.0
    assert clock.left(0.5) == 10 + 2 * 20, "half an epoch took ten seconds"
    now = 30.0
    clock.end()
    clock.start(2, 3)
    now = 40.0
    assert clock.left(0.5) == 20 + 30, "an epoch took thirty seconds"
    now = 75.0
    assert clock.left(1.0) == 30
