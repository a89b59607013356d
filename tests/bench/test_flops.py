"""FLOP counts against torch's own counter."""

from __future__ import annotations

import pytest
import torch

from pointree.bench.flops import counted_flops, forward_flops, total_flops
from pointree.bench.synthetic import N_LABELS, WORD_CHARS, new_parser, random_sentences
from pointree.config import load_config
from pointree.options import ParseOptions
from pointree.search import search_steps
from pointree.search.resumable import run_to_end

SMALL = [
    "encoder.size=24",
    "encoder.layers=2",
    "decoder.size=20",
    "scorers.arc_size=18",
    "scorers.label_size=10",
    "embeddings.char_filters=6",
]


@pytest.mark.parametrize("gate", ["gate1", "gate2"])
@pytest.mark.parametrize(
    ("order", "fusion"),
    [
        ("left-to-right", "simple"),
        ("left-to-right", "none"),
        ("right-to-left", "adapted"),
        ("outside-in", "full"),
        ("top-down", "none"),
        ("top-down", "parent-sibling"),
    ],
)
@pytest.mark.parametrize("length", [2, 9])
def test_forward_equals_the_counter(order: str, fusion: str, gate: str, length: int) -> None:
    config = load_config(None, [*SMALL, f"decoder.order={order}", f"decoder.fusion={fusion}", f"decoder.gate={gate}"])
    parser = new_parser(config)
    sentence = random_sentences([length], seed=length)[0]
    batch = parser.featurizer.batch([parser.featurizer.numbers_of(sentence)])
    with torch.no_grad():
        counted = counted_flops(lambda: run_to_end(search_steps(parser.engine.encode(batch), ParseOptions(), None)))
    # Forms are convolved once each, ROOT's with the padding of the longest: so much is computed, not all is useful.
    computed = (len(set(sentence.forms)) + 1) * WORD_CHARS
    assert counted == forward_flops(config, length, n_labels=N_LABELS, chars=computed)


def test_paper_sizes_cost_about_48_megaflops_a_word() -> None:
    config = load_config(None)
    flops = total_flops(config, [20] * 10, n_labels=N_LABELS, chars_per_word=WORD_CHARS)
    assert flops / 200 == pytest.approx(48e6, rel=0.1)


@pytest.mark.parametrize(("fusion", "most"), [("none", 1.2), ("simple", 5)])
def test_a_beam_costs_the_states_that_its_hypotheses_do_not_share(fusion: str, most: float) -> None:
    parser = new_parser(load_config(None, [*SMALL, f"decoder.fusion={fusion}"]))
    sentences = random_sentences([24] * 3)
    greedy, beam = (counted_flops(lambda w=width: parser.parse(sentences, beam=w)) for width in (1, 10))
    assert 1 < beam / greedy < most
