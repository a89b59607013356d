"""Several processes parse as one does."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
import torch

from pointree.errors import ModelError, PointreeError
from pointree.parser import load
from pointree.running import workers
from pointree.running.workers import parse_with_workers
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence

from ..helpers import tiny_parser


@pytest.mark.slow
def test_workers_equal_one_process_in_order(tmp_path: Path, ewt: Path) -> None:
    tiny_parser().save(tmp_path / "model")
    sentences = list(read_conllu(ewt)) * 12
    alone = load(tmp_path / "model", precision="fp32").parse(sentences)
    together = parse_with_workers(partial(load, tmp_path / "model", precision="fp32"), iter(sentences), workers=2)
    assert list(map(format_sentence, together)) == list(map(format_sentence, alone))


@pytest.mark.slow
def test_a_fault_of_the_input_comes_after_what_was_read_before_it(tmp_path: Path, ewt: Path) -> None:
    tiny_parser().save(tmp_path / "model")
    sentences = list(read_conllu(ewt))
    whole = sentences * (1024 // len(sentences) + 1)

    def faulty() -> Iterator[Sentence]:
        yield from whole[:1024]
        raise PointreeError("line 7: expected ten columns")

    stream = parse_with_workers(partial(load, tmp_path / "model", precision="fp32"), faulty(), workers=1)
    parsed = [sentence.forms for sentence in islice(stream, 1024)]
    assert parsed == [sentence.forms for sentence in whole[:1024]]
    with pytest.raises(PointreeError, match="line 7"):
        next(stream)


@pytest.mark.slow
def test_a_model_that_workers_cannot_load_is_said_in_one_line(tmp_path: Path, ewt: Path) -> None:
    with pytest.raises(ModelError, match="missing"):
        list(parse_with_workers(partial(load, tmp_path / "missing"), read_conllu(ewt), workers=1))


@pytest.mark.slow
def test_a_worker_that_cannot_start_is_one_line(ewt: Path) -> None:
    with pytest.raises(PointreeError, match="worker process ended"):
        list(parse_with_workers(partial(os._exit, 1), read_conllu(ewt), workers=1))


def test_a_signal_waits_until_a_process_has_started() -> None:
    done = []

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt), workers._signals_held():  # noqa: PT012
            signal.raise_signal(signal.SIGTERM)
            done.append("start")
        assert signal.getsignal(signal.SIGTERM) is interrupt
    finally:
        signal.signal(signal.SIGTERM, before)
    assert done == ["start"]


def test_workers_leave_an_interrupt_to_the_process_that_started_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_parser().save(tmp_path / "model")
    handlers: list[tuple[int, object]] = []
    monkeypatch.setattr(signal, "signal", lambda number, handler: handlers.append((number, handler)))
    monkeypatch.setattr(workers, "_parser", None)
    monkeypatch.setattr(workers, "logger", logging.Logger("of a worker"))
    workers._start(partial(load, tmp_path / "model", precision="fp32"), torch.get_num_threads(), logging.WARNING)
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]
