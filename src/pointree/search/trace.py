"""The parse of one sentence, step by step: what `Parser.trace` returns and `--to trace` writes.

Everything here is plain data: numbers, text, lists and other dataclasses of this file, so that ``trace.to_object()`` is
ready for JSON. Position 0 is ROOT, 1 … n are the words. `docs/reference/trace.md` describes every field.
"""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import Any

from pointree.views import view

__all__ = ["GateOpening", "Hypothesis", "IllegalHead", "LabelProb", "StateRead", "Trace", "TraceStep"]

TRACE_FORMAT = 2
"""The version of the layout; it grows when a field changes its meaning or goes away."""


@dataclass(frozen=True, slots=True)
class StateRead:
    """A decoder state that a step read.

    Attributes:
        slot: ``previous`` for the state of the step before, or the slot of the focus word: ``leftmost``,
            ``rightmost``, ``last-left``, ``last-right`` or, top-down, ``parent``, ``sibling``.
        word: The word whose state it is: the focus word of the step before, and for slots the word in them. None for an
            empty slot, for ROOT, and for the initial state at the first step.
        share: How much of the fused state comes from it: the length of its projection, over the lengths of all.
    """

    slot: str
    word: int | None
    share: float


@dataclass(frozen=True, slots=True)
class GateOpening:
    """How far the fusion gate opened, from 0 (nothing passes) to 1.

    Attributes:
        hidden: The mean over the units of the hidden state.
        cell: The mean over the units of the cell.
        tenths: The share of units, hidden state and cell together, that opened 0-0.1, 0.1-0.2, … 0.9-1.
    """

    hidden: float
    cell: float
    tenths: list[float]


@dataclass(frozen=True, slots=True)
class IllegalHead:
    """A position that could not be pointed at, and why.

    ``rule`` is a value of `pointree.transitions.reasons.Rule`, ``words`` those that make it so (see `Reason`). A
    position that breaks several rules is listed once for each.
    """

    position: int
    rule: str
    words: list[int]
    explanation: str


@dataclass(frozen=True, slots=True)
class LabelProb:
    """A relation and its probability, given the arc."""

    deprel: str
    prob: float


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A partial tree that the step proposed for the beam.

    Attributes:
        rank: Its place among the proposals, from 1.
        origin: The rank, in the step before, of the hypothesis that it extends; None at the first step.
        focus: Its focus word.
        position: What that points at.
        head: The head of the arc that it adds; None if it pops the focus word.
        log_prob: The log-probability of its steps so far.
        heads: The heads of words 1 … n so far; None for words without one.
        kept: Whether the beam kept it.
        best: Whether it became the tree that was returned.
    """

    rank: int
    origin: int | None
    focus: int
    position: int
    head: int | None
    log_prob: float
    heads: list[int | None]
    kept: bool
    best: bool


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step on the way to the tree that was returned.

    Bottom-up, the focus word points at its head. Top-down, it points at its next dependent, or at itself to be popped.

    Attributes:
        number: The step, from 1.
        focus: The word whose turn it is.
        position: What it points at.
        dependent: The word that gets its head; None for a pop.
        raw_probs: The pointer's distribution over positions 0 … n before illegal ones are ruled out.
        probs: The same distribution over legal positions alone, which the search uses; 0 for illegal ones.
        illegal: The positions that are illegal, and why.
        sources: The decoder states that the step read.
        gate: The opening of the fusion gate; None for a model without fusion.
        head: The head that the word gets; None for a pop.
        head_prob: The probability of the position that was chosen.
        labels: The most probable relations of the new arc, best first; none for a pop.
        heads: The partial tree after the step: heads of words 1 … n, None for words without one.
        hypotheses: The beam's proposals: those that it kept, best first, then as many of those that it dropped.
    """

    number: int
    focus: int
    position: int
    dependent: int | None
    raw_probs: list[float]
    probs: list[float]
    illegal: list[IllegalHead]
    sources: list[StateRead]
    gate: GateOpening | None
    head: int | None
    head_prob: float
    labels: list[LabelProb]
    heads: list[int | None]
    hypotheses: list[Hypothesis]

    def to_object(self) -> dict[str, Any]:
        """The step as JSON values, with floats rounded to six decimals."""
        plain: dict[str, Any] = _plain(self)
        return plain


@dataclass(frozen=True, slots=True)
class Trace:
    """How one sentence was parsed.

    Attributes:
        model: The name of the model.
        order: The order in which words got their heads.
        fusion: The fusion, and ``gate`` the gate, of the model's decoder.
        sent_id: The comment ``# sent_id`` of the sentence, if it has one.
        text: The sentence as text.
        forms: ``ROOT`` and the forms of words 1 … n.
        upos: The tag of each position; ``_`` for ROOT and for words without one.
        steps: One step for each word; 2n - 1 steps top-down.
        heads: The heads of words 1 … n.
        deprels: Their relations.
        log_prob: The log-probability of the tree, arcs and labels together.
    """

    model: str
    order: str
    fusion: str
    gate: str
    beam: int
    single_root: bool
    projective: bool
    sent_id: str | None
    text: str
    forms: list[str]
    upos: list[str]
    steps: list[TraceStep]
    heads: list[int]
    deprels: list[str]
    log_prob: float
    format: int = TRACE_FORMAT

    def to_object(self) -> dict[str, Any]:
        """The trace as JSON values, with floats rounded to six decimals."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def __str__(self) -> str:
        return "\n".join(map(self._line, self.steps))

    def _line(self, step: TraceStep) -> str:
        """A step in short: the dependent with its head, or the word that is popped."""
        if step.dependent is None or step.head is None:
            return f"{self.forms[step.focus]} popped  {step.head_prob:.2f}"
        arc = f"{self.forms[step.dependent]} ← {self.forms[step.head]}"
        return f"{arc}  {step.head_prob:.2f}  {step.labels[0].deprel}"

    def _repr_html_(self) -> str:
        """The steps and the tree as a notebook shows them."""
        shown: str = view("trace", self.to_object())
        return shown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints in a terminal."""
        printer.text(str(self))


def _plain(value: Any) -> Any:
    """Dataclasses as objects and floats rounded, without the copies that `dataclasses.asdict` makes of every value."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value
