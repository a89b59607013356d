"""Sentences draw themselves however they were imported, and the table of views can be extended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pointree import views


def test_a_sentence_draws_itself_whatever_was_imported_first() -> None:
    code = "from pointree.treebank.sentence import Sentence as S; print(S.from_words(['It', 'rains'], head=[2, 0]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert "►" in done.stdout


def test_a_new_view_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_VIEWS", {})
    views.register_view("length", len)
    assert views.view("length", "abc") == 3
