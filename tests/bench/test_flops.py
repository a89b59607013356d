"""FLOP counts against torch's own counter."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from pointree.bench.flops import forward_flops, total_flops
from pointree.bench.synthetic import N_LABELS, WORD_CHARS, new_parser, random_sentences
from pointree.config import load_config
from pointree.search import SearchOptions, search

SMALL = [
    "encoder.size=24",
    "encoder.layers=2",
    "decoder.size=20",
    "scorers.arc_size=18",
    "scorers.label_size=10",
    "embeddings.char_filters=6",
]


def _in_place(_self: Any, left: tuple[int, ...], right: tuple[int, ...], *_: Any, **__: Any) -> int:
    """The in-place batched product, which torch's counter does not know: (b, n, k) by (b, k, m)."""
    batch, n, k = left
    return 2 * batch * n * k * right[2]


def _matrix_vector(matrix: tuple[int, ...], *_: Any, **__: Any) -> int:
    return 2 * matrix[0] * matrix[1]


COUNTED = {torch.ops.aten.baddbmm_: _in_place, torch.ops.aten.mv: _matrix_vector}


@pytest.mark.parametrize("gate", ["gate1", "gate2"])
@pytest.mark.parametrize(
    ("order", "fusion"),
    [("left-to-right", "simple"), ("left-to-right", "none"), ("right-to-left", "adapted"), ("outside-in", "full")],
)
@pytest.mark.parametrize("length", [2, 9])
def test_forward_equals_the_counter(order: str, fusion: str, gate: str, length: int) -> None:
    config = load_config(None, [*SMALL, f"decoder.order={order}", f"decoder.fusion={fusion}", f"decoder.gate={gate}"])
    parser = new_parser(config)
    sentence = random_sentences([length], seed=length)[0]
    batch = parser.featurizer.batch([parser.featurizer.encode(sentence)])
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=COUNTED) as counter:
        search(parser.network, parser.network.encode(batch), parser.order, SearchOptions(), None)
    # Forms are convolved once each, ROOT's with the padding of the longest: so much is computed, not all is useful.
    computed = (len(set(sentence.forms)) + 1) * WORD_CHARS
    assert counter.get_total_flops() == forward_flops(config, length, n_labels=N_LABELS, chars=computed)


def test_paper_sizes_cost_about_48_megaflops_a_word() -> None:
    config = load_config(None)
    flops = total_flops(config, [20] * 10, n_labels=N_LABELS, chars_per_word=WORD_CHARS)
    assert flops / 200 == pytest.approx(48e6, rel=0.1)


def test_a_beam_multiplies_the_steps_only() -> None:
    config = load_config(None)
    greedy, beam = (forward_flops(config, 24, n_labels=N_LABELS, beam_width=width) for width in (1, 10))
    assert 1 < beam / greedy < 5
