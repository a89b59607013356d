"""A trace tells of the parse that happened: same tree, same probabilities, and an account that adds up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search import ParseTree
from pointree.search.trace import Trace
from pointree.transitions import Constraints, PartialTree, TransitionSystem, legal_heads, pointing_steps
from pointree.transitions.top_down import TopDownState, legal_positions
from pointree.treebank.sentence import Sentence, get_misc

from ..helpers import COMBINATIONS, CONSTRAINTS, Combination, describe, random_sentences, tiny_config, tiny_parser

WIDTHS = (1, 3)


@dataclass(frozen=True)
class Case:
    """A sentence with its trace, and the best tree that the search returns for it."""

    sentence: Sentence
    trace: Trace
    expected: ParseTree


def _case(combination: Combination) -> Any:
    """A combination; GATE2 differs in its gate alone, so the quick run has it with the first order only."""
    order, _fusion, gate = combination
    marks = [pytest.mark.slow] if gate == "gate2" and order != COMBINATIONS[0][0] else []
    return pytest.param(combination, marks=marks, id=describe(combination))


@pytest.fixture(params=map(_case, COMBINATIONS), scope="module")
def parser(request: pytest.FixtureRequest) -> Parser:
    return tiny_parser(tiny_config(request.param), seed=5)


@pytest.fixture(scope="module")
def cases(parser: Parser) -> list[Case]:
    """Short and longer sentences under all rules, greedy and with a beam."""
    found = []
    for sentence in random_sentences((1, 2, 9), seed=6):
        for rules in CONSTRAINTS:
            for width in WIDTHS:
                single_root, projective = rules.single_root, rules.projective
                [[expected]] = parser.trees(
                    [sentence], ParseOptions(beam=width, single_root=single_root, projective=projective)
                )
                trace = parser.trace(sentence, beam=width, single_root=single_root, projective=projective)
                found.append(Case(sentence, trace, expected))
    return found


@pytest.fixture
def traces(cases: list[Case]) -> list[Trace]:
    return [case.trace for case in cases]


def test_the_tree_and_its_probabilities_are_those_of_parse(cases: list[Case]) -> None:
    for case in cases:
        trace, expected = case.trace, case.expected
        assert trace.heads == expected.heads
        assert trace.log_prob == pytest.approx(expected.log_prob)
        attaching = [step for step in trace.steps if step.dependent is not None]
        head_probs = {step.dependent: step.probs[step.position] for step in attaching}
        label_probs = {step.dependent: step.labels[0].prob for step in attaching}
        words = range(1, len(case.sentence) + 1)
        assert [head_probs[word] for word in words] == pytest.approx(expected.head_probs, rel=1e-5)
        assert [label_probs[word] for word in words] == pytest.approx(expected.label_probs, rel=1e-5)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_trace_agrees_with_the_columns_of_parse(width: int) -> None:
    parser = tiny_parser(seed=7)
    for sentence in random_sentences((9, 4, 1), seed=8):
        [parsed] = parser.parse([sentence], beam=width, probabilities=True)
        trace = parser.trace(sentence, beam=width)
        assert (trace.heads, trace.deprels) == (parsed.heads, parsed.deprels)
        for step in trace.steps:
            word = parsed.words[step.focus - 1]
            assert (step.head, step.labels[0].deprel) == (word.head, word.deprel)
            assert get_misc(word, "HeadProb") == f"{step.head_prob:.4f}"
            assert get_misc(word, "DeprelProb") == f"{step.labels[0].prob:.4f}"


def test_steps_follow_the_order_and_build_the_tree(traces: list[Trace]) -> None:
    for trace in traces:
        n = len(trace.heads)
        system = TransitionSystem.of(trace.order, trace.fusion)
        expected = pointing_steps(trace.heads, system)
        assert [step.number for step in trace.steps] == list(range(1, system.order.n_steps(n) + 1))
        assert [(step.focus, step.position) for step in trace.steps] == [
            (each.focus, each.position) for each in expected
        ]
        partial: list[int | None] = [None] * n
        for step, gold in zip(trace.steps, expected, strict=True):
            assert (step.dependent or 0) == gold.dependent
            if step.dependent is not None:
                assert step.head == trace.heads[step.dependent - 1]
                partial[step.dependent - 1] = step.head
            else:
                assert (step.head, step.labels) == (None, [])
            assert step.head_prob == pytest.approx(step.probs[step.position])
            assert step.heads == partial
        assert partial == trace.heads


def test_distributions_add_up_and_illegal_heads_have_reasons(traces: list[Trace]) -> None:
    for trace in traces:
        tree, stack = PartialTree(len(trace.heads)), TopDownState(len(trace.heads))
        constraints = Constraints(trace.single_root, trace.projective)
        top_down = trace.order == "top-down"
        for step in trace.steps:
            legal = legal_positions(stack, constraints) if top_down else legal_heads(tree, step.focus, constraints)
            illegal = {position for position, fine in enumerate(legal) if not fine}
            assert {head.position for head in step.illegal} == illegal
            assert all(head.explanation for head in step.illegal)
            assert {position for position, prob in enumerate(step.probs) if prob == 0.0} >= illegal
            assert sum(step.probs) == pytest.approx(1.0, abs=1e-5)
            assert sum(step.raw_probs) == pytest.approx(1.0, abs=1e-5)
            # Masking rescales what stays: legal heads keep their proportions.
            kept = sum(prob for prob, fine in zip(step.raw_probs, legal, strict=True) if fine)
            rescaled = [prob / kept if fine else 0.0 for prob, fine in zip(step.raw_probs, legal, strict=True)]
            assert step.probs == pytest.approx(rescaled, abs=1e-4)
            if top_down:
                stack.point(step.position)
            else:
                tree.attach(step.focus, step.position)


def test_sources_are_the_dependents_of_the_focus_word(parser: Parser, traces: list[Trace]) -> None:
    system = parser.featurizer.systems[0]
    names = [slot.name.lower().replace("_", "-") for slot in system.slots]
    for trace in traces:
        gold = iter(pointing_steps(trace.heads, system))
        for before, step in zip([None, *trace.steps], trace.steps, strict=False):
            previous, *slots = step.sources
            assert previous.slot == "previous"
            assert previous.word == ((before.focus or None) if before else None)
            assert [source.slot for source in slots] == names
            assert tuple(source.word or 0 for source in slots) == next(gold).reads
            for source in slots:
                assert (source.share == 0.0) == (source.word is None)
            assert sum(source.share for source in step.sources) == pytest.approx(1.0)


def test_the_gate_is_reported_where_there_is_one(traces: list[Trace]) -> None:
    for trace in traces:
        for step in trace.steps:
            if trace.fusion == "none":
                assert step.gate is None
            else:
                assert step.gate is not None
                assert 0 < step.gate.hidden < 1
                assert 0 < step.gate.cell < 1
                assert sum(step.gate.tenths) == pytest.approx(1.0)


def test_the_gate_is_that_of_the_equation() -> None:
    """At the first step of GATE1 all slots are empty: g = sigmoid(W_gp s_0 + b)."""
    parser = tiny_parser(tiny_config(("left-to-right", "simple", "gate1")), seed=9)
    sentence = random_sentences([5], seed=10)[0]
    fusion, size = parser.network.decoder.fusion, parser.network.decoder.size
    assert fusion is not None
    with torch.inference_mode():
        encoded = parser.engine.encode(parser.featurizer.batch([parser.featurizer.numbers_of(sentence)]))
        expected = torch.sigmoid(
            encoded.branch().encoding.initial[0] @ fusion.joint[:size, size:] + fusion.gate_bias
        ).mean(dim=1)
    gate = parser.trace(sentence).steps[0].gate
    assert gate is not None
    assert [gate.hidden, gate.cell] == pytest.approx(expected.tolist())


def test_the_history_of_the_beam_is_consistent(traces: list[Trace]) -> None:
    for trace in traces:
        for before, step in zip([None, *trace.steps], trace.steps, strict=False):
            kept = [hypothesis for hypothesis in step.hypotheses if hypothesis.kept]
            dropped = [hypothesis for hypothesis in step.hypotheses if not hypothesis.kept]
            assert 1 <= len(kept) <= trace.beam
            assert len(dropped) <= trace.beam
            assert [hypothesis.rank for hypothesis in step.hypotheses] == list(range(1, len(step.hypotheses) + 1))
            distinct = {(*each.heads, each.focus, each.position) for each in step.hypotheses}
            assert len(distinct) == len(step.hypotheses)
            for better, worse in pairwise(step.hypotheses):
                assert better.log_prob >= worse.log_prob - 1e-5
            [best] = [hypothesis for hypothesis in step.hypotheses if hypothesis.best]
            assert best.kept
            assert best.heads == step.heads
            for hypothesis in step.hypotheses:
                if before is None:
                    assert hypothesis.origin is None
                    continue
                assert hypothesis.origin is not None
                origin = before.hypotheses[hypothesis.origin - 1]
                assert origin.kept
                expected = origin.heads.copy()
                if trace.order != "top-down":
                    assert (hypothesis.focus, hypothesis.position) == (step.focus, hypothesis.head)
                    expected[step.focus - 1] = hypothesis.head
                elif hypothesis.head is None:
                    assert hypothesis.focus == hypothesis.position
                else:
                    assert hypothesis.focus == hypothesis.head
                    expected[hypothesis.position - 1] = hypothesis.head
                assert hypothesis.heads == expected
                assert origin.log_prob >= hypothesis.log_prob - 1e-5


def test_the_beam_ends_with_the_trees_of_n_best() -> None:
    parser = tiny_parser(seed=11)
    for sentence in random_sentences([6, 2], seed=12):
        trace = parser.trace(sentence, beam=4)
        [trees] = parser.trees([sentence], ParseOptions(beam=4, n_best=4))
        last = [hypothesis.heads for hypothesis in trace.steps[-1].hypotheses if hypothesis.kept]
        assert sorted(last, key=str) == sorted((tree.heads for tree in trees), key=str)


def test_a_trace_is_ready_for_json() -> None:
    trace = tiny_parser(seed=13).trace(["rosa", "tok", "<b>"], beam=2, projective=True)
    written = json.loads(json.dumps(trace.to_object(), allow_nan=False))
    assert written == trace.to_object()
    assert written["format"] == 2
    assert written["forms"] == ["ROOT", "rosa", "tok", "<b>"]
    assert written["steps"][0]["probs"] == [round(prob, 6) for prob in trace.steps[0].probs]


@pytest.mark.parametrize("combination", [COMBINATIONS[1], COMBINATIONS[-1]], ids=describe)
def test_weights_that_are_not_numbers_still_make_a_trace(combination: Combination) -> None:
    parser = tiny_parser(tiny_config(combination))
    with torch.no_grad():
        for parameter in parser.network.parameters():
            parameter.fill_(float("nan"))
    json.dumps(parser.trace(["a", "b", "c"], beam=2).to_object(), allow_nan=False)


def test_labels_are_the_best_ones_first() -> None:
    step = tiny_parser(seed=14).trace(["rosa", "tok", "a"], top_labels=2).steps[1]
    assert len(step.labels) <= 2
    assert [label.prob for label in step.labels] == sorted((label.prob for label in step.labels), reverse=True)


def test_options_are_checked() -> None:
    parser = tiny_parser()
    with pytest.raises(UsageError, match="beam must be at least 1, found 0"):
        parser.trace(["a"], beam=0)
    with pytest.raises(UsageError, match="found the string 'a b'"):
        parser.trace("a b")
    with pytest.raises(UsageError, match="at least one word"):
        parser.trace(Sentence([]))


def test_a_trace_shows_its_steps(cases: list[Case]) -> None:
    trace = cases[0].trace
    assert len(str(trace).splitlines()) == len(trace.steps)
    printed: list[str] = []
    trace._repr_pretty_(SimpleNamespace(text=printed.append), False)
    assert printed == [str(trace)]
    assert trace._repr_html_().count("<tr>") == 1 + len(trace.steps)
