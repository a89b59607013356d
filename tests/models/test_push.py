"""Publishing a model: what is asked before anything is sent; `tests/cli/test_push.py` sends it to a local Hub."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pointree.errors import InputError, MissingExtraError, UsageError
from pointree.models.push import push, read_scores


def test_scores_need_a_name_of_their_data() -> None:
    with pytest.raises(UsageError, match="expected scored_on with them"):
        push("model", "org/name", scores={"las": 80.0})


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pointree\[hub\]'$"):
        push("model", "org/name")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"words": 3}', '{"las": "high"}'])
def test_a_file_without_scores_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"scores\.json: expected the output of pointree evaluate --json"):
        read_scores(path)
