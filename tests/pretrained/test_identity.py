"""What a parser records about its pretrained model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.pretrained.identity import PretrainedIdentity, read_identity, write_identity

IDENTITY = PretrainedIdentity("bert", "ab" * 32, 768, 12)


def test_round_trip(tmp_path: Path) -> None:
    write_identity(tmp_path / "encoder.json", IDENTITY)
    assert read_identity(tmp_path / "encoder.json") == IDENTITY


@pytest.mark.parametrize("content", ["", "[]", '{"name": "x"}', '{"name": 1, "sha256": "", "width": 1, "n_layers": 1}'])
def test_damaged_files_are_model_errors(content: str, tmp_path: Path) -> None:
    path = tmp_path / "encoder.json"
    with pytest.raises(ModelError, match="missing from the model folder"):
        read_identity(path)
    path.write_text(content)
    with pytest.raises(ModelError, match=r"encoder\.json: expected ") as caught:
        read_identity(path)
    assert "\n" not in str(caught.value)
