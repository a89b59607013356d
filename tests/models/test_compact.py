"""A smaller copy of a pretrained model: fewer layers, and a table that 4 bits can hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pointree.errors import ModelError, UsageError
from pointree.models.compact import compact_pretrained
from pointree.models.quantise import dequantise, quantise, round_to_4_bits

from ..pretrained.small_models import make_pretrained, open_pretrained


@pytest.mark.slow
def test_the_copy_has_fewer_layers_and_a_table_of_4_bits(tmp_path: Path) -> None:
    source = make_pretrained(tmp_path / "large", hidden_size=32)
    compact_pretrained(str(source), tmp_path / "small", layers=2)
    large = open_pretrained(source, layers=(1, 2))
    small = open_pretrained(tmp_path / "small", layers=(1, 2))
    assert small.identity.n_layers == 2
    name = "embeddings.word_embeddings.weight"
    before, after = (each.model.state_dict()[name].numpy() for each in (large, small))
    assert np.array_equal(after, round_to_4_bits(before))
    stored = quantise({"table": after}, 8)
    assert stored["table"].dtype == np.uint8
    assert stored["table"].shape == (len(after), 16)
    assert np.array_equal(dequantise(stored)["table"], after)


def test_what_cannot_be_made_smaller_is_one_line(tmp_path: Path) -> None:
    folder = make_pretrained(tmp_path / "large")
    for layers in (-1, 0, 4):
        with pytest.raises(ModelError, match="layers"):
            compact_pretrained(str(folder), tmp_path / "small", layers=layers)
    with pytest.raises(ModelError, match="expected a width that 32 divides, found 12"):
        compact_pretrained(str(folder), tmp_path / "small", layers=2)
    assert not (tmp_path / "small").exists()
    with pytest.raises(UsageError, match="cannot be written into its own folder"):
        compact_pretrained(str(folder), tmp_path / "small" / ".." / "large", layers=2)
