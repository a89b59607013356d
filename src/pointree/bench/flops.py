"""Floating-point operations of the network's matrix products: the useful work that the bench divides by time.

Only products count, two operations for each multiply-add, as torch's own counter has it. Padding, recomputation and
point-wise work are not useful, so they lower the utilisation. What a beam costs depends on how many decoder states its
hypotheses share: there is no formula for it, it is counted while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from pointree.config import READ_TAGS, Config
from pointree.transitions import ORDERS

__all__ = ["TRAINING_FACTOR", "counted_flops", "forward_flops", "total_flops"]

TRAINING_FACTOR = 3
"""A training step costs about three forward passes: one forward, one for each side's gradient of every product."""


def forward_flops(config: Config, length: int, *, n_labels: int, chars: int = 0) -> int:
    """Operations to parse greedily one sentence of ``length`` words with ``chars`` characters in distinct forms."""
    words, positions = length, length + 1
    embeddings, encoder, decoder, scorers = config.embeddings, config.encoder, config.decoder, config.scorers
    products = chars * embeddings.char_window * embeddings.char_size * embeddings.char_filters
    products += _encoder_products(config, positions)
    encoding, size = 2 * encoder.size, decoder.size
    products += encoding * size  # initial state
    products += positions * (encoding * size + size * 4 * size)  # input of every focus word
    products += positions * (encoding * scorers.arc_size + scorers.arc_size**2 + scorers.arc_size)  # keys
    products += positions * encoding * scorers.label_size
    products += words * (_fusion_products(config) + size * 4 * size)
    products += words * (size * scorers.arc_size + positions * scorers.arc_size)
    products += words * (size * scorers.label_size + n_labels * scorers.label_size * (scorers.label_size + 3))
    return 2 * products


def _encoder_products(config: Config, positions: int) -> int:
    embeddings, size = config.embeddings, config.encoder.size
    inputs = embeddings.word_size + embeddings.char_filters
    inputs += embeddings.tag_size if embeddings.tag in READ_TAGS else 0
    products = 0
    for _layer in range(config.encoder.layers):
        products += 2 * positions * inputs * 4 * size
        products += 2 * (positions - 1) * size * 4 * size  # the first step has no state to multiply
        inputs = 2 * size
    return products


def _fusion_products(config: Config) -> int:
    """Products of one step's fusion, of hidden state and cell."""
    decoder = config.decoder
    n_slots = len(ORDERS[decoder.order].fusion(decoder.fusion))
    if not n_slots:
        return 0
    square = decoder.size**2
    gate = (1 + n_slots) if decoder.gate == "gate1" else n_slots
    return 2 * ((1 + n_slots) + gate) * square


def total_flops(config: Config, lengths: Iterable[int], *, n_labels: int, chars_per_word: int = 0) -> int:
    """Operations to parse sentences of these lengths greedily."""
    return sum(forward_flops(config, length, n_labels=n_labels, chars=length * chars_per_word) for length in lengths)


def counted_flops(work: Callable[[], object]) -> int:
    """Operations of whatever ``work`` multiplies, by torch's counter."""
    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.mv: _matrix_vector}) as counter:
        work()
    return int(counter.get_total_flops())


def _matrix_vector(matrix: tuple[int, ...], *_: Any, **__: Any) -> int:
    """The product that torch's counter does not know."""
    return 2 * matrix[0] * matrix[1]
