"""The biaffine pointer and labeler against einsum."""

from __future__ import annotations

import torch
from torch import nn

from pointree.nn.scorers import ArcScorer, LabelScorer

SIZE, LABELS = 5, 3


def randomise(module: nn.Module) -> None:
    torch.manual_seed(2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()


def test_arc_score_is_f1_W_f2_plus_both_linear_terms_and_a_bias() -> None:
    scorer = ArcScorer(state_size=4, encoding_size=6, size=SIZE).double()
    randomise(scorer)
    f1 = scorer.dependent(torch.randn(7, 4, dtype=torch.float64))
    f2 = scorer.head(torch.randn(8, 6, dtype=torch.float64))
    keys, biases = scorer.head_keys(f2)
    expected = torch.einsum("ta,ab,jb->tj", f1, scorer.bilinear, f2)
    expected = expected + torch.einsum("a,ta->t", scorer.dependent_linear, f1).unsqueeze(1)
    expected = expected + torch.einsum("a,ja->j", scorer.head_linear, f2).unsqueeze(0) + scorer.bias
    torch.testing.assert_close(f1 @ keys.t() + biases, expected)


def test_label_score_is_biaffine_for_each_label() -> None:
    scorer = LabelScorer(state_size=4, encoding_size=6, size=SIZE, n_labels=LABELS).double()
    randomise(scorer)
    f1 = scorer.dependent(torch.randn(7, 4, dtype=torch.float64))
    f2 = scorer.head(torch.randn(7, 6, dtype=torch.float64))
    weight = scorer.bilinear.view(SIZE, LABELS, SIZE)
    expected = torch.einsum("ta,alb,tb->tl", f1, weight, f2)
    expected = expected + torch.einsum("al,ta->tl", scorer.dependent_linear, f1)
    expected = expected + torch.einsum("al,ta->tl", scorer.head_linear, f2) + scorer.bias
    torch.testing.assert_close(scorer(f1, f2), expected)
    assert expected.shape == (7, LABELS)


def test_both_sides_pass_through_an_elu() -> None:
    scorer = ArcScorer(state_size=4, encoding_size=6, size=SIZE).double()
    randomise(scorer)
    x = torch.randn(3, 4, dtype=torch.float64)
    projection = scorer.dependent.projection
    expected = nn.ELU()(x @ projection.weight + projection.bias)
    torch.testing.assert_close(scorer.dependent(x), expected)
