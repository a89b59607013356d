"""`pointree parse --cluster`: what the command says and refuses, without a cluster."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.bulk import run as bulk_run
from pointree.bulk.manifest import BulkReport

from .conftest import Outcome

Run = Callable[..., Outcome]


def test_the_last_line_and_the_exit_code_tell_what_failed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[dict[str, Any]] = []

    real = inspect.signature(bulk_run.parse_on_cluster)

    def parse_on_cluster(inputs: Any, output: Path, options: Any, **how: Any) -> BulkReport:
        assert "fields" not in real.bind(inputs, output, options, **how).arguments, (
            "an option that the job does not know"
        )
        calls.append({"inputs": inputs, "beam": options.beam, **how})
        return BulkReport(output, 3, 1_200, 20_000, len(calls) - 1)

    monkeypatch.setattr(bulk_run, "parse_on_cluster", parse_on_cluster)
    out = tmp_path / "out"
    done = run("parse", "docs", "--cluster", "local", "-o", out, "--beam", 4, "--text-column", "body", "--actors", 2)
    assert (done.code, done.out) == (0, f"{out}: 3 shards, 1,200 sentences, 20,000 words\n")
    [call] = calls
    assert {name: call[name] for name in ("inputs", "beam", "cluster", "text_column", "actors", "threads")} == {
        "inputs": ["docs"],
        "beam": 4,
        "cluster": "local",
        "text_column": "body",
        "actors": 2,
        "threads": 1,
    }
    failed = run("parse", "docs", "--cluster", "local", "-o", out)
    assert failed.code == 1
    assert failed.out == f"{out}: 3 shards, 1,200 sentences, 20,000 words; failed: 1, see {out}/failed.jsonl\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["docs", "--cluster", "local"], "--cluster: expected a folder for the shards; name one with --output"),
        (["docs", "--cluster", "local", "-o", "out", "--workers", 2], "--cluster cannot be combined with --workers"),
        (
            ["docs", "--cluster", "local", "-o", "out", "--fail-on-empty"],
            "--cluster cannot be combined with --fail-on-empty",
        ),
        (["--cluster", "local", "-o", "out"], "parse on a cluster: expected files, globs or folders, found nothing"),
        (["-", "--cluster", "local", "-o", "out"], "found standard input"),
        (["docs", "--cluster", "local", "-o", "out"], "docs: no such file or folder"),
    ],
)
def test_what_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    failed = run("parse", *arguments)
    assert failed.code == 2
    [line] = failed.err.splitlines()
    assert message in line
    assert not list(tmp_path.iterdir())
