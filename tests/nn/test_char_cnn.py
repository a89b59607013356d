"""The character CNN against a loop over forms, positions and windows."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pointree.nn.char_cnn import CharCnn
from pointree.vocabulary import PAD

CHARS, SIZE, FILTERS = 9, 3, 4
FORMS = [[3, 4, 5, 3, 8], [6], [7, 2], [4, 4, 4]]


def new_cnn(window: int) -> CharCnn:
    torch.manual_seed(window)
    cnn = CharCnn(n_chars=CHARS, size=SIZE, filters=FILTERS, window=window).double()
    with torch.no_grad():
        cnn.bias.normal_()
    return cnn


def padded(forms: list[list[int]], n_chars: int, filler: int = 0) -> tuple[Tensor, Tensor]:
    chars = torch.full((len(forms), n_chars, 1), filler)
    for row, form in enumerate(forms):
        chars[row, : len(form), 0] = torch.tensor(form)
    return chars, torch.tensor([len(form) for form in forms])


def by_loops(cnn: CharCnn, form: list[int]) -> list[float]:
    table, filters, bias = cnn.embedding.tolist(), cnn.filters.tolist(), cnn.bias.tolist()
    best = [float("-inf")] * FILTERS
    for centre in range(len(form)):
        for column in range(FILTERS):
            total = bias[column]
            for offset in range(cnn.window):
                place = centre + offset - cnn.window // 2
                if 0 <= place < len(form):
                    for dimension in range(SIZE):
                        total += table[form[place]][dimension] * filters[offset * SIZE + dimension][column]
            best[column] = max(best[column], total)
    return best


@pytest.mark.parametrize("window", [1, 3, 5, 7])
def test_forms_are_tanh_of_the_best_window(window: int) -> None:
    cnn = new_cnn(window)
    found = cnn(*padded(FORMS, 5), torch.float64)
    assert found.shape == (len(FORMS), FILTERS)
    expected = torch.tensor([by_loops(cnn, form) for form in FORMS], dtype=torch.float64).tanh()
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("window", [1, 3, 5])
def test_what_lies_behind_a_form_has_no_influence(window: int) -> None:
    cnn = new_cnn(window)
    tight = cnn(*padded(FORMS, 5), torch.float64)
    for n_chars, filler in ((5, 8), (12, 0), (12, 5)):
        torch.testing.assert_close(cnn(*padded(FORMS, n_chars, filler), torch.float64), tight)
    alone = torch.cat([cnn(*padded([form], len(form)), torch.float64) for form in FORMS])
    torch.testing.assert_close(alone, tight)


def test_padding_gets_no_gradient() -> None:
    cnn = new_cnn(3)
    cnn(*padded([[3, 4], [5]], 6, filler=8), torch.float64).sum().backward()
    assert cnn.embedding.grad is not None
    touched = cnn.embedding.grad.abs().sum(dim=1).nonzero().flatten().tolist()
    assert touched == [3, 4, 5]


def test_a_character_is_the_sum_of_its_own_vector_and_those_of_its_parts() -> None:
    cnn = new_cnn(3)
    with torch.no_grad():
        cnn.embedding[6] = cnn.embedding[3] + cnn.embedding[4] + cnn.embedding[5]
    composed = torch.tensor([[[3, 4, 5], [7, PAD, PAD]], [[8, PAD, PAD], [PAD, PAD, PAD]]])
    found = cnn(composed, torch.tensor([2, 1]), torch.float64)
    torch.testing.assert_close(found, cnn(*padded([[6, 7], [8]], 2), torch.float64))


def test_rounding_does_not_depend_on_whether_the_parameters_are_trained() -> None:
    """A parser that was saved and loaded gives bit for bit what it gave before."""
    torch.manual_seed(0)
    cnn = CharCnn(n_chars=CHARS, size=SIZE, filters=FILTERS, window=3)
    chars, lengths = torch.randint(CHARS, (8, 9, 4)), torch.randint(1, 10, (8,))
    with torch.inference_mode():
        trained = cnn(chars, lengths, torch.float32)
        loaded = cnn.requires_grad_(False)(chars, lengths, torch.float32)
    assert torch.equal(trained, loaded)
