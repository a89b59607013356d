"""Model folders from others: whatever they hold, they are refused in one line, at once, and in little memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pointree
from pointree.errors import ModelError
from pointree.models.folder import write_manifest
from pointree.models.registry import available_models
from pointree.models.summary import read_card
from pointree.models.weights import read_weights, write_weights
from pointree.parser import load
from pointree.text.udpipe import TextModel

from ..helpers import tiny_parser

FILES = ["pointree.json", "config.toml", "words.json", "chars.json", "tags.json", "deprels.json", "weights.safetensors"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model without checksums, as one can be written by hand."""
    tiny_parser().save(tmp_path / "model", "A card.\n")
    manifest = tmp_path / "model" / "pointree.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"sha256": {}}))
    return tmp_path / "model"


def refused(folder: Path) -> str:
    """The message with which the folder is refused, within a few seconds even on a busy machine."""
    started = time.process_time()
    with pytest.raises(ModelError) as caught:
        load(folder)
    assert time.process_time() - started < 1
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1_000
    return message


@pytest.mark.parametrize(("old", "new"), [("bias.scale", "bias.scald"), ("[1,2]", "[2,1]")])
def test_a_damaged_header_of_weights(tmp_path: Path, old: str, new: str) -> None:
    """The checksum is of the values alone, and once let names and shapes of scales be damaged."""
    weights = {"bias": np.ones((4, 2), np.int8), "bias.scale": np.ones((1, 2), np.float16)}
    write_weights(tmp_path / "weights", weights)
    assert read_weights(tmp_path / "weights").keys() == weights.keys()
    content = (tmp_path / "weights").read_bytes()
    assert old.encode() in content
    (tmp_path / "weights").write_bytes(content.replace(old.encode(), new.encode()))
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "weights")


@pytest.mark.parametrize(
    "scales", [{}, {"table.scale": np.ones((1, 3), np.float16)}, {"table.scale": np.ones(4, np.float16)}]
)
def test_whole_numbers_without_scales_that_fit(tmp_path: Path, scales: dict[str, np.ndarray]) -> None:
    write_weights(tmp_path / "weights", {"table": np.ones((4, 2), np.int8), **scales})
    with pytest.raises(ModelError, match=r"damaged: table"):
        read_weights(tmp_path / "weights")


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000, b'{"symbols": ' + b"[" * 100_000])
def test_deep_json(folder: Path, name: str, deep: bytes) -> None:
    (folder / name).write_bytes(deep)
    assert name in refused(folder)


@pytest.mark.parametrize(
    "deep",
    [
        "a = " + "[" * 100_000,
        "a = " + "{a = " * 20_000,
        ".".join("a" * 20_000) + " = 1",
        "[" + ".".join("a" * 20_000) + "]",
    ],
)
def test_deep_toml(folder: Path, deep: str) -> None:
    (folder / "config.toml").write_text(deep)
    assert "config.toml" in refused(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "pipe"])
def test_links_to_what_is_no_file(folder: Path, name: str, device: str) -> None:
    (folder / name).unlink()
    if device == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to(device)
    message = refused(folder)
    assert name in message or "no such model folder" in message or "is missing" in message


def test_a_card_without_end(folder: Path) -> None:
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to("/dev/zero")
    assert read_card(folder).las is None
    load(folder)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("size", 10**18),
        ("size", 10**30),
        ("layers", 100_000),
        ("layers", 10**18),
        ("arc_size", 10**18),
        ("word_size", 10**15),
    ],
)
def test_sizes_beyond_reason(folder: Path, setting: str, value: int) -> None:
    config = folder / "config.toml"
    config.write_text(re.sub(rf"^{setting} = [0-9]+", f"{setting} = {value}", config.read_text(), flags=re.MULTILINE))
    assert "config.toml" in refused(folder)


def header_of(folder: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Change the header of the weights."""
    path = folder / "weights.safetensors"
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.dumps(change(json.loads(data[8 : 8 + size]))).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + size :])


@pytest.mark.parametrize("metadata", [None, [], 3, {"sha256": None}, {"sha256": "x"}])
def test_metadata_of_another_kind(folder: Path, metadata: object) -> None:
    header_of(folder, lambda header: {**header, "__metadata__": metadata})
    assert "weights.safetensors" in refused(folder)


def test_weights_that_are_a_hole(folder: Path) -> None:
    with (folder / "weights.safetensors").open("wb") as stream:
        stream.truncate(1 << 33)
    assert "weights.safetensors" in refused(folder)
    with (folder / "weights.safetensors").open("wb") as stream:
        stream.write((1 << 40).to_bytes(8, "little"))
    assert "weights.safetensors" in refused(folder)


def test_a_vocabulary_that_is_a_hole(folder: Path) -> None:
    with (folder / "words.json").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "words.json" in refused(folder)


def test_a_damaged_text_model_is_noticed_before_udpipe_reads_it(tmp_path: Path, text_model: TextModel) -> None:
    parser = tiny_parser()
    parser.text_model = text_model
    parser.save(tmp_path)
    assert load(tmp_path).text_model is not None
    path = tmp_path / "text.udpipe"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert "text.udpipe: damaged: the content differs from its checksum in pointree.json" in refused(tmp_path)
    write_manifest(tmp_path)
    assert "text.udpipe" in json.loads((tmp_path / "pointree.json").read_text())["sha256"]


def test_an_entry_point_with_a_dot_imports_nothing(tmp_path: Path) -> None:
    package = tmp_path / "site" / "hostile"
    tiny_parser().save(package / "inner")
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    information = tmp_path / "site" / "hostile-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[pointree.models]\nhostile = hostile.inner\n")
    code = "from pointree.models.registry import available_models; print([m.folder for m in available_models()])"
    paths = os.pathsep.join([str(Path(pointree.__file__).parents[1]), str(tmp_path / "site")])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert str(package / "inner") in run.stdout
    assert available_models()
