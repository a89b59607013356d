"""What a request asks for, what it costs, and how it is done for the sentences of many requests at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search.resumable import Resumable
from pointree.treebank.sentence import Sentence

__all__ = ["Task", "run_task"]

_TRACE_FACTOR = 8
"""How much more a trace takes than the parse that it tells of."""

_LONG = 250
"""The length at which the scores of all heads take as long as the rest of a step."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with sentences; requests with equal tasks can share a batch.

    ``trace`` asks for traces instead of trees; without ``parse``, sentences are only tagged, if `retag` says so.
    """

    options: ParseOptions = field(default_factory=ParseOptions)
    parse: bool = True
    trace: bool = False

    def cost(self, n_words: int) -> int:
        """What a sentence of so many words costs: 1 is about a word in a greedy parse of usual sentences."""
        width = self.options.width if self.parse else 1
        return n_words * width * (_LONG + n_words) // _LONG * (_TRACE_FACTOR if self.trace else 1)


def run_task(parser: Parser, sentences: Sequence[Sentence], task: Task) -> Resumable[list[list[Any]]]:
    """What was found for each sentence, with pauses: its trees, best first, or its trace.

    Without parsing, that is the sentence itself, with tags if they are asked for.
    """
    if task.trace:
        traces: list[list[Any]] = []
        for sentence in sentences:
            trace = yield from parser.trace_steps(sentence, task.options)
            traces.append([trace])
        return traces
    if task.parse:
        return (yield from parser.parse_steps(sentences, task.options))
    if task.options.retag:
        yield from parser.tag_steps(sentences)
    return [[sentence] for sentence in sentences]
