"""Floating-point operations of the network's matrix products: the useful work that the bench divides by time.

Only products count, two operations for each multiply-add, as torch's own counter has it. Padding, recomputation and
point-wise work are not useful, so they lower the utilisation. What a beam costs depends on how many decoder states its
hypotheses share: there is no formula for it, it is counted while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from pointree.config import READ_TAGS, Config
from pointree.nn.encoders import Encoder, new_encoder
from pointree.transitions import order as order_of

__all__ = ["TRAINING_FACTOR", "counted_flops", "forward_flops", "total_flops"]

TRAINING_FACTOR = 3
"""A training step costs about three forward passes: one forward, one for each side's gradient of every product."""


def forward_flops(config: Config, length: int, *, n_labels: int, chars: int = 0) -> int:
    """Operations to parse greedily one sentence of ``length`` words with ``chars`` characters in distinct forms."""
    words, positions = length, length + 1
    embeddings, decoder, scorers = config.embeddings, config.decoder, config.scorers
    encoder = _encoder(config)
    encoding, size = encoder.size, decoder.size
    products = chars * embeddings.char_window * embeddings.char_size * embeddings.char_filters
    products += positions * (encoding * scorers.arc_size + scorers.arc_size**2 + scorers.arc_size)  # keys
    products += positions * encoding * scorers.label_size
    for order in decoder.orders:
        products += encoder.state_size * size  # initial state
        products += positions * (encoding * size + size * 4 * size)  # input of every focus word
        steps = order_of(order).n_steps(words)
        products += steps * (_fusion_products(config, order) + size * 4 * size)
        products += steps * (size * scorers.arc_size + positions * scorers.arc_size)
        products += words * (size * scorers.label_size + n_labels * scorers.label_size * (scorers.label_size + 3))
    return 2 * products + encoder.flops(positions)


@lru_cache
def _encoder(config: Config) -> Encoder:
    """The encoder of a configuration, without memory for its weights."""
    embeddings = config.embeddings
    inputs = embeddings.word_size + embeddings.char_filters
    inputs += embeddings.tag_size if embeddings.tag in READ_TAGS else 0
    with torch.device("meta"):
        return new_encoder(config.encoder, inputs=inputs)


def _fusion_products(config: Config, order: str) -> int:
    """Products of one step's fusion, of hidden state and, if it is fused, cell."""
    decoder = config.decoder
    n_slots = len(order_of(order).fusion(decoder.fusion))
    if not n_slots:
        return 0
    square = decoder.size**2
    gate = (1 + n_slots) if decoder.gate == "gate1" else n_slots
    return (2 if decoder.fuse_cell else 1) * ((1 + n_slots) + gate) * square


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
