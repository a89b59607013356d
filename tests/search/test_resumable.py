"""Work with pauses finds what work without finds, however it is interleaved with other work."""

from __future__ import annotations

import torch

from pointree.options import ParseOptions
from pointree.search.resumable import Resumable, run_to_end

from ..helpers import random_sentences, tiny_parser


def test_a_search_pauses_after_every_step() -> None:
    parser = tiny_parser()
    for options in (ParseOptions(), ParseOptions(beam=4)):
        work = parser.tree_steps(random_sentences([30]), options)
        assert sum(1 for _ in work) >= 30


def test_interleaved_searches_do_not_mix() -> None:
    parser = tiny_parser()
    sentences = random_sentences([12, 7, 9], seed=2)
    options = [ParseOptions(), ParseOptions(beam=4, n_best=2), ParseOptions(beam=3, projective=True)]
    found: list[list[list[int]]] = [[] for _ in options]
    works: dict[int, Resumable[list[list[object]]]] = {
        number: parser.parse_steps([sentence.copy() for sentence in sentences], each)  # type: ignore[misc]
        for number, each in enumerate(options)
    }
    while works:
        for number, work in list(works.items()):
            try:
                next(work)
            except StopIteration as end:
                found[number] = [tree.heads for trees in end.value for tree in trees]
                del works[number]
            assert not torch.is_inference_mode_enabled(), "between steps, other code runs"
    for number, each in enumerate(options):
        assert found[number] == [tree.heads for tree in parser.parse(sentences, each)]


def test_traces_pause_too() -> None:
    parser = tiny_parser()
    [sentence] = random_sentences([20])
    options = ParseOptions(beam=3)
    assert sum(1 for _ in parser.trace_steps(sentence, options)) >= 40, "while it searches and while it tells"
    assert run_to_end(parser.trace_steps(sentence, options)) == parser.trace(sentence, options)


def test_closed_work_stops() -> None:
    parser = tiny_parser()
    work = parser.tree_steps(random_sentences([30]), ParseOptions(beam=2))
    next(work)
    work.close()
    assert next(work, "over") == "over"
