"""Results on disk: JSON that people can read, and faults with the name of their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import InputError, OutputError
from pointree.experiments.results import read_identified, read_json, result_path, write_json


def test_what_is_written_is_read_with_numbers_on_one_line(tmp_path: Path) -> None:
    path = result_path(tmp_path / "results", "ewt.l2r.seed1")
    content = {"identity": {"seed": 1}, "epochs": [1, 2, 3], "empty": {}, "name": "é"}
    write_json(path, content)
    assert path.name == "ewt.l2r.seed1.json"
    assert read_json(path) == read_identified(path) == content
    assert '\n  "epochs": [1, 2, 3],\n' in path.read_text(encoding="utf-8")


def test_a_file_that_is_not_there_has_no_content(tmp_path: Path) -> None:
    assert read_json(tmp_path / "none.json") is None
    assert read_identified(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "expected a JSON object, found a damaged file"),
        ("[]", "expected a JSON object, found list"),
        ("{}", 'expected an object under "identity", found none'),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=rf"x\.json: {problem}"):
        read_identified(tmp_path / "x.json")


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        write_json(tmp_path / "file" / "x.json", {})
