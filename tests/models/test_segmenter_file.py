"""The rules of a segmenter on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.models.segmenter_file import read_segmenter, write_segmenter
from pointree.text.alphabet import Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion


def test_round_trip(tmp_path: Path) -> None:
    expansion = Expansion.learn([("do", ("de", "o"))] * 2)
    write_segmenter(tmp_path / "a.json", SegmenterRules(Alphabet("a日\u0301"), expansion, spaces=True))
    found = read_segmenter(tmp_path / "a.json")
    assert (found.alphabet.characters, found.spaces, found.expansion) == ("a日\u0301", True, expansion)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"characters": 1, "spaces": true, "expansion": {}}'])
def test_damage_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(ModelError, match=r"a\.json: expected the rules of a segmenter"):
        read_segmenter(tmp_path / "a.json")
