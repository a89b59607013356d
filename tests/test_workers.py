"""Several processes parse as one does."""

from __future__ import annotations

from pathlib import Path

import pytest

import pointree
from pointree.errors import PointreeError
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.workers import parse_with_workers

from .helpers import tiny_parser


def test_workers_equal_one_process_in_order(tmp_path: Path, ewt: Path) -> None:
    tiny_parser().save(tmp_path / "model")
    sentences = list(read_conllu(ewt)) * 12
    alone = pointree.load(tmp_path / "model", precision="fp32").parse(sentences)
    together = parse_with_workers(str(tmp_path / "model"), iter(sentences), workers=2, precision="fp32")
    assert list(map(format_sentence, together)) == list(map(format_sentence, alone))


def test_a_worker_that_cannot_start_is_one_line(tmp_path: Path, ewt: Path) -> None:
    with pytest.raises(PointreeError, match="worker process ended"):
        list(parse_with_workers(str(tmp_path / "missing"), read_conllu(ewt), workers=1))
