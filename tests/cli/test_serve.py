"""`pointree serve`: what it refuses before it begins; the service itself is tested in tests/serving."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")

Run = Callable[..., Any]


def test_help_shows_how_to_ask(run: Run) -> None:
    code, out, _ = run("serve", "--help")
    assert code == 0
    for expected in ("--host", "--max-queue", "127.0.0.1", "/v1/parse", "/process", "POINTREE_API_KEY"):
        assert expected in out


def test_a_missing_extra_names_the_install_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.cli.serve.find_spec", lambda _name: None)
    code, _, err = run("serve")
    assert code == 2
    assert err == ("pointree: error: pointree serve needs an optional dependency: pip install 'pointree[serve]'\n")


def test_a_model_that_is_not_there_is_one_line(run: Run, tmp_path: Path) -> None:
    code, _, err = run("serve", "--model", f"m={tmp_path / 'none'}", "--port", "0")
    assert code == 2
    assert err == f"pointree: error: {tmp_path / 'none'}: no such model folder\n"


@pytest.mark.parametrize(("content", "found"), [("\n", "nothing"), ("schlüssel", "others"), ("a\x7fb", "others")])
def test_keys_that_no_header_can_carry(run: Run, tmp_path: Path, content: str, found: str) -> None:
    (tmp_path / "key").write_text(content, encoding="utf-8")
    code, _, err = run("serve", "--api-key-file", tmp_path / "key", "--port", "0")
    expected = "expected a key of printable ASCII characters"
    assert (code, err) == (2, f"pointree: error: {tmp_path / 'key'}: {expected}, found {found}\n")


def test_an_open_service_without_a_key_is_warned_of(run: Run, tmp_path: Path) -> None:
    code, _, err = run("serve", "--host", "0.0.0.0", "--model", f"m={tmp_path / 'none'}", "--port", "0")
    assert code == 2
    assert err.startswith("pointree: warning: everybody who reaches 0.0.0.0 can use this service")
    (tmp_path / "key").write_text("secret\n", encoding="utf-8")
    arguments = ("--host", "0.0.0.0", "--model", f"m={tmp_path / 'none'}", "--port", "0")
    code, _, err = run("serve", *arguments, "--api-key-file", tmp_path / "key")
    assert "warning" not in err


@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_key_in_the_environment_is_no_open_service(
    run: Run, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("POINTREE_API_KEY", value)
    code, _, err = run("serve", "--port", "0")
    expected = "expected a key of printable ASCII characters"
    assert (code, err) == (2, f"pointree: error: POINTREE_API_KEY: {expected}, found nothing\n")
