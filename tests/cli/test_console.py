"""What commands show: tables, JSON, warnings and progress, each on its stream."""

from __future__ import annotations

import io
import sys

import pytest

from pointree.cli.console import new_table, print_json, progress_bar, show, track, warn
from pointree.cli.messages import show_messages


def test_tables_that_go_to_a_pipe_keep_long_names_whole(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a" * 90 + ".conllu"
    table = new_table("Title", "file", "words")
    table.add_row(name, "1,139")
    show(table)
    out, err = capsys.readouterr()
    assert (name in out, "Title" in out, err) == (True, True, "")


def test_lines_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show("a [bold]word[/bold] at index [0]")
    assert capsys.readouterr().out == "a [bold]word[/bold] at index [0]\n"


def test_a_long_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    show("long " * 100 + "line")
    assert capsys.readouterr().out == "long " * 100 + "line\n"


def test_cells_of_tables_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table("By label", "label", "run[best]")
    for label in ("[/x]", "obl:on:top", "a[b]"):
        table.add_row(label, "1")
        show(table)
        assert label in capsys.readouterr().out


def test_json_keeps_letters(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"form": "ağaç"})
    assert capsys.readouterr().out == '{\n  "form": "ağaç"\n}\n'


def test_warnings_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    show_messages()
    warn("two roots")
    assert capsys.readouterr() == ("", "pointree: warning: two roots\n")


def test_progress_is_silent_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track([1, 2, 3], "counting")) == [1, 2, 3]
    with progress_bar() as progress:
        progress.update(progress.add_task("counting", total=1), advance=1)
    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_a_terminal_on_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(track(range(3), "counting", total=3)) == [0, 1, 2]
    assert "counting" in sys.stderr.getvalue()
    assert capsys.readouterr().out == ""
