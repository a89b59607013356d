"""Accuracy by group, counted by hand."""

from __future__ import annotations

import pytest

from pointree.analysis.attachments import Attachments, read_attachments
from pointree.analysis.breakdown import Accuracy, Breakdown, accuracy_of_all, break_down
from pointree.treebank.sentence import Sentence


def chain(n: int, wrong: tuple[int, ...] = ()) -> Sentence:
    """Every word depends on the one before it; wrong ones on the second before."""
    heads = [word - 2 if word in wrong else word - 1 for word in range(1, n + 1)]
    deprels = ["root" if word == 1 else "dep" for word in range(1, n + 1)]
    return Sentence.from_words(["w"] * n, upos=["X"] * n, head=heads, deprel=deprels)


@pytest.fixture
def attachments() -> Attachments:
    gold, system = [chain(5), chain(12)], [chain(5, (3,)), chain(12, (11, 12))]
    return read_attachments(gold, [system, gold], ["poor", "perfect"])


def answers(attachments: Attachments) -> dict[str, Breakdown]:
    return {breakdown.key: breakdown for breakdown in break_down(attachments)}


def test_all_questions_are_answered(attachments: Attachments) -> None:
    found = answers(attachments)
    fixed = ["sentence_length", "word_position", "dependency_length", "projectivity"]
    assert list(found) == [*fixed, "label", "upos"]
    for breakdown in found.values():
        assert sum(group.words for group in breakdown.groups) == 17
        assert all(group.accuracies[1].las == (100.0 if group.words else None) for group in breakdown.groups)


def test_by_sentence_length_and_position(attachments: Attachments) -> None:
    found = answers(attachments)
    short, long = found["sentence_length"].groups
    assert (short.name, short.words, short.accuracies[0]) == ("1–10", 5, Accuracy(80.0, 80.0))
    assert (long.name, long.words, long.accuracies[0].las) == ("11–20", 12, pytest.approx(100 * 10 / 12))
    early, late = found["word_position"].groups
    assert (early.words, late.words) == (15, 2)
    assert (early.accuracies[0].las, late.accuracies[0].las) == (pytest.approx(100 * 14 / 15), 0.0)


def test_by_dependency_length_has_precision(attachments: Attachments) -> None:
    root, one, two = answers(attachments)["dependency_length"].groups
    assert (root.name, root.words) == ("ROOT", 2)
    assert (one.name, one.words) == ("1", 15)
    poor = one.accuracies[0]
    assert (poor.las, poor.words, poor.precision) == (pytest.approx(80.0), 12, 100.0)
    assert (two.name, two.words) == ("2", 0), "gold has no such arcs, and what the system has is wrong"
    assert two.accuracies == (Accuracy(None, None, 3, 0.0), Accuracy(None, None, 0, None))


def test_crossing_arcs(attachments: Attachments) -> None:
    projective, crossing = answers(attachments)["projectivity"].groups
    assert (projective.name, projective.words) == ("projective", 17)
    assert (crossing.name, crossing.words) == ("non-projective", 0)
    assert crossing.accuracies[0] == Accuracy(None, None, 1, 0.0)
    poor = projective.accuracies[0]
    assert (poor.words, poor.precision) == (16, 87.5), "10 → 12 spans 11, which is not below 10"


def test_labels_come_by_frequency(attachments: Attachments) -> None:
    found = answers(attachments)["label"]
    assert [(group.name, group.words) for group in found.groups] == [("dep", 15), ("root", 2)]
    assert not found.ordered


def test_labels_that_only_a_system_has_come_last() -> None:
    gold = chain(4)
    system = Sentence.from_words(["w"] * 4, upos=["X"] * 4, head=[0, 1, 2, 3], deprel=["root", "dep", "obj", "amod"])
    groups = answers(read_attachments([gold], [[system]], ["system"]))["label"].groups
    assert [(group.name, group.words) for group in groups] == [("dep", 3), ("root", 1), ("amod", 0), ("obj", 0)]
    assert groups[-1].accuracies == (Accuracy(None, None, 1, 0.0),)
    assert groups[0].accuracies == (Accuracy(100.0, pytest.approx(100 / 3), 1, 100.0),)


def test_accuracy_of_all(attachments: Attachments) -> None:
    poor, perfect = accuracy_of_all(attachments)
    assert poor.las == pytest.approx(100 * 14 / 17)
    assert perfect == Accuracy(100.0, 100.0)
