"""Wheels: what is inside, that equal folders make equal bytes, and that pip and pointree accept them."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import pointree
from pointree.errors import OutputError, UsageError
from pointree.models.wheel import write_wheel

from ..helpers import tiny_parser

CARD = "---\nlicense: cc-by-sa-4.0\n---\n# Légal\n\nUAS 91.00, LAS 88.90.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model as training leaves it."""
    tiny_parser().save(tmp_path / "model", card=CARD)
    (tmp_path / "model" / "checkpoint.safetensors").write_bytes(b"0" * 100)
    (tmp_path / "model" / "metrics.jsonl").write_text("{}\n")
    (tmp_path / "model" / "LICENSE.txt").write_text("Share alike.\n")
    return tmp_path / "model"


def test_names_and_files(folder: Path, tmp_path: Path) -> None:
    path = write_wheel(folder, tmp_path / "dist" / "new", name="Legal.en", version="1.2rc1")
    assert path == tmp_path / "dist" / "new" / "pointree_model_legal_en-1.2rc1-py3-none-any.whl"
    package, info = "pointree_model_legal_en", "pointree_model_legal_en-1.2rc1.dist-info"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        assert wheel.testzip() is None
        entry_points = wheel.read(f"{info}/entry_points.txt").decode()
    model = ["LICENSE.txt", "README.md", "__init__.py", "chars.json", "config.toml", "deprels.json", "pointree.json"]
    model += ["tags.json", "weights.safetensors", "words.json"]
    metadata = ["METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE.txt", "RECORD"]
    assert names == [*(f"{package}/{name}" for name in model), *(f"{info}/{name}" for name in metadata)]
    assert entry_points == f"[pointree.models]\nLegal.en = {package}\n"


def test_metadata(folder: Path, tmp_path: Path) -> None:
    path = write_wheel(folder, tmp_path, name="legal", version="1.0")
    with zipfile.ZipFile(path) as wheel:
        text = wheel.read("pointree_model_legal-1.0.dist-info/METADATA").decode()
    fields = HeaderParser().parsestr(text)
    assert fields["Name"] == "pointree-model-legal"
    assert fields["Version"] == "1.0"
    assert fields["Summary"] == "The dependency parsing model legal for pointree (LAS 88.90)"
    assert fields["License"] == "cc-by-sa-4.0"
    assert fields["License-File"] == "LICENSE.txt"
    assert fields["Requires-Dist"] == f"pointree>={pointree.__version__}"
    assert fields.get_payload() == CARD


def test_record_has_the_checksum_of_every_file(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(write_wheel(folder, tmp_path, name="legal", version="1.0")) as wheel:
        record = wheel.read("pointree_model_legal-1.0.dist-info/RECORD").decode()
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(record))}
        assert set(rows) == set(wheel.namelist())
        assert rows.pop("pointree_model_legal-1.0.dist-info/RECORD") == ("", "")
        for name, found in rows.items():
            data = wheel.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert found == (f"sha256={digest}", str(len(data)))


def test_equal_folders_make_equal_bytes(folder: Path, tmp_path: Path) -> None:
    first = write_wheel(folder, tmp_path / "a", name="legal", version="1.0").read_bytes()
    for number, path in enumerate(folder.iterdir()):
        os.utime(path, (10**9 + number, 10**9 + number))
        path.chmod(0o600)
    assert write_wheel(folder, tmp_path / "b", name="legal", version="1.0").read_bytes() == first
    assert write_wheel(folder, tmp_path / "b", name="legal", version="1.1").read_bytes() != first


@pytest.mark.slow
def test_an_installed_wheel_is_found_by_name(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pip", reason="pip is not installed")
    wheel = write_wheel(folder, tmp_path, name="legal", version="1.0")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel]
    subprocess.run(install, check=True, capture_output=True)
    code = (
        "import pointree\n"
        "from pointree.models.registry import available_models, resolve_model\n"
        "[model] = [model for model in available_models() if model.name == 'legal']\n"
        "print(resolve_model('legal'), model.origin, model.source)\n"
        "print(len(pointree.load('legal', precision='fp32').parse([['ta', 'tok']])[0]))\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(Path(pointree.__file__).parents[1])])}
    env.pop("POINTREE_MODELS", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{site / 'pointree_model_legal'} installed pointree-model-legal 1.0\n2\n"


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "..", "a=b", "é", "a\n"])
def test_names_that_a_wheel_cannot_have(folder: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"^name must be letters and digits"):
        write_wheel(folder, tmp_path, name=name, version="1.0")


@pytest.mark.parametrize("version", ["", "one", "1.0-1", "v1", "1..0", "1.0+local", "1.0\n"])
def test_versions_that_a_wheel_cannot_have(folder: Path, tmp_path: Path, version: str) -> None:
    with pytest.raises(UsageError, match=r"^version must be a version such as"):
        write_wheel(folder, tmp_path, name="legal", version=version)


def test_a_place_that_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        write_wheel(folder, tmp_path / "file", name="legal", version="1.0")
