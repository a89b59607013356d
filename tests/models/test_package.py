"""`pointree.package`: the function below the command, whose tests have the rest."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import pointree
from pointree.errors import UsageError

from ..helpers import tiny_parser


def test_a_folder_becomes_a_wheel(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "legal")
    wheel = pointree.package(str(tmp_path / "legal"), tmp_path / "dist", bits=16)
    assert wheel == tmp_path / "dist" / "pointree_model_legal-1.0.0-py3-none-any.whl"
    assert wheel.is_file()


def test_a_wheel_names_its_precision(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "legal")
    wheel = pointree.package(tmp_path / "legal", tmp_path, bits=8, precision="int8")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert pointree.load(tmp_path / "unpacked" / "pointree_model_legal").precision == "int8"
    assert not (tmp_path / "legal" / "graphs").exists()


def test_arguments_that_are_refused_by_their_names(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "legal")
    with pytest.raises(UsageError, match=r"^bits must be 8 or 16, found 4$"):
        pointree.package(tmp_path / "legal", tmp_path, bits=4)
    with pytest.raises(UsageError, match=r"^keep_words: expected prune_words with it, found none$"):
        pointree.package(tmp_path / "legal", tmp_path, keep_words=["train.conllu"])
    with pytest.raises(UsageError, match=r"^precision must be fp32 or int8, found bf16$"):
        pointree.package(tmp_path / "legal", tmp_path, precision="bf16")
    with pytest.raises(UsageError, match=r"^name must be letters and digits"):
        pointree.package(tmp_path / "legal", tmp_path, name="")
