"""`pointree package`: from a folder to a wheel, smaller if asked, and what is refused."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.engines.torch_folder import load_folder
from pointree.models import registry as models

from ..helpers import WORDS, tiny_parser

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trained model, and no other model anywhere."""
    monkeypatch.setattr(models, "_BUNDLED", tmp_path / "bundled")
    tiny_parser().save(tmp_path / "legal", card="LAS 88.90")
    return tmp_path / "legal"


def unpack(wheel: Path, target: Path) -> Path:
    """The folder of the model in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target / wheel.name.partition("-")[0]


def test_the_folder_names_the_model(run: Run, folder: Path, tmp_path: Path) -> None:
    code, out, err = run("package", folder, "--output", tmp_path / "dist")
    wheel = tmp_path / "dist" / "pointree_model_legal-1.0.0-py3-none-any.whl"
    assert (code, err) == (0, "")
    assert " ".join(out.split()) == f"{wheel}: 0.0 MB; once it is installed with pip, use --model legal"
    packed = unpack(wheel, tmp_path / "unpacked")
    assert load_folder(packed)[0] == load_folder(folder)[0]
    assert (packed / "weights.safetensors").read_bytes() == (folder / "weights.safetensors").read_bytes()


def test_name_version_and_place(run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("package", folder, "--name", "law", "--version", "2.0").code == 0
    assert (tmp_path / "pointree_model_law-2.0-py3-none-any.whl").is_file()


def test_a_smaller_model(run: Run, folder: Path, tmp_path: Path) -> None:
    treebank = tmp_path / "train.conllu"
    kept = load_folder(folder)[1].words.symbols[8]
    treebank.write_text(f"1\t{kept}\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    args = ("--bits", 16, "--prune-words", 2, "--keep-words", treebank, "-o", tmp_path)
    assert run("package", folder, *args).code == 0
    packed = unpack(tmp_path / "pointree_model_legal-1.0.0-py3-none-any.whl", tmp_path / "unpacked")
    old, new = load_folder(folder)[1].words, load_folder(packed)[1].words
    singletons = {old.symbols[number] for number in old.singletons.nonzero()[0]}
    assert set(new.symbols[3:]) == {*old.symbols[3:5], kept} | singletons
    assert len(new) < len(old) <= len(WORDS) + 10
    assert (packed / "weights.safetensors").stat().st_size < 0.7 * (folder / "weights.safetensors").stat().st_size
    assert "rounded to 16 bits" in (packed / "README.md").read_text()


def test_the_same_command_makes_the_same_bytes(run: Run, folder: Path, tmp_path: Path) -> None:
    for place in ("a", "b"):
        assert run("package", folder, "--bits", 8, "-o", tmp_path / place).code == 0
    first, second = (next((tmp_path / place).iterdir()).read_bytes() for place in ("a", "b"))
    assert first == second


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--name", "a b"], "name must be letters and digits with . _ - between them, found 'a b'"),
        (["--version", "new"], "version must be a version such as 1.0.0 or 2.1rc1, found 'new'"),
        (["--name", "en"], "name must not be that of a bundled model, which would be found first; found en"),
        (["--bits", "4"], "bits must be 8 or 16, found 4"),
        (["--latin-pieces"], "{folder}: expected a fine-tuned BERT, to leave out word pieces of it, found none"),
        (["--keep-words", "x.conllu"], "keep_words: expected prune_words with it, found none"),
    ],
)
def test_options_that_are_refused(run: Run, folder: Path, tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "bundled" / "en").mkdir(parents=True)
    (tmp_path / "bundled" / "en" / "pointree.json").write_text("{}")
    assert run("package", folder, *args) == (2, "", f"pointree: error: {message.format(folder=folder)}\n")
    assert not list(tmp_path.rglob("*.whl"))


def test_folders_that_are_refused(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, problem in [("none", "no such model folder"), ("empty", "not a model folder, pointree.json is missing")]:
        assert run("package", tmp_path / path) == (2, "", f"pointree: error: {tmp_path / path}: {problem}\n")
    (folder / "text.udpipe").write_bytes(b"nonsense")
    code, out, err = run("package", folder, "-o", tmp_path)
    assert (code, out) == (2, "")
    assert "expected a UDPipe 1 model" in err
    (folder / "text.udpipe").unlink()
    (folder / "weights.safetensors").write_bytes(b"nonsense")
    code, out, err = run("package", folder, "-o", tmp_path)
    assert (code, out) == (2, "")
    assert "expected safetensors, found a damaged file" in err
    assert not list(tmp_path.rglob("*.whl"))
