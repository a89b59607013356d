"""Optional parts of model folders from others: graphs, segmenter, heads, calibration, language, pretrained model."""

from __future__ import annotations

import json
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import ModelError
from pointree.models.calibration import Calibration, Scale
from pointree.models.graphs import write_graphs
from pointree.models.language import read_language
from pointree.nn.segmenter import SegmenterNetwork
from pointree.parser import load
from pointree.pretrained.bert_folder import BERT_FILES, read_bert
from pointree.text.alphabet import Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion

from ..helpers import COMBINATIONS, HEADS, tiny_config, tiny_parser
from .test_hostile import header_of

PARTS = ["graphs/encoder.onnx", "segmenter.json", "heads.json", "calibration.json"]
HOLE = 1 << 33
MEMORY = 64 << 20


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with every part that it can have, and without checksums, as one can be written by hand."""
    config = tiny_config(COMBINATIONS[1], HEADS, {"segmenter": {"size": 8, "layers": 2}})
    parser = tiny_parser(config)
    network: Any = parser.engine.network  # type: ignore[attr-defined]
    network.segmenter = SegmenterNetwork(config.segmenter, SegmenterRules(Alphabet("ab ."), Expansion(), spaces=True))
    folder = tmp_path_factory.mktemp("hostile") / "model"
    parser.save(folder, "A card.\n")
    Calibration({"head": Scale(1.5, 0.99)}).save(folder / "calibration.json")
    write_graphs(folder)
    manifest = folder / "pointree.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"sha256": {}}))
    loaded = load(folder)
    assert loaded.engine.name == "onnx"
    assert loaded.parse_text("ab ab.")
    return folder


@pytest.fixture
def folder(complete: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return shutil.copytree(complete, tmp_path / "model")


def refused(read: Callable[[], object], memory: int = MEMORY) -> str:
    """The message with which something is refused: one line, at once, in little memory."""
    tracemalloc.start()
    started = time.process_time()
    with pytest.raises(ModelError) as caught:
        read()
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 3, "a second, and what tracing memory adds to it"
    assert peak < memory
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1_000
    return message


def change(path: Path, edit: Callable[[Any], object]) -> None:
    """Change a JSON file in place."""
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize("name", [*PARTS, "graphs/graphs.json"])
@pytest.mark.parametrize("content", [b"", b"null", b"[]", b"[" * 100_000, b'{"a":' * 100_000])
def test_other_content(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert name in refused(lambda: load(folder))


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("kind", ["endless", "pipe", "folder", "hole"])
def test_what_is_no_file_of_that_size(folder: Path, name: str, kind: str) -> None:
    path = folder / name
    path.unlink()
    if kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as stream:
            stream.truncate(HOLE)
    assert name in refused(lambda: load(folder))


@pytest.mark.parametrize("name", ["graphs/other", "text.udpipe", "language.json"])
def test_a_hole_with_a_checksum_is_not_read(folder: Path, name: str) -> None:
    with (folder / name).open("wb") as stream:
        stream.truncate(HOLE)
    change(folder / "pointree.json", lambda manifest: manifest["sha256"].update({name: "0" * 64}))
    assert name in refused(lambda: load(folder))


def test_a_list_of_empty_lists_is_not_built(folder: Path) -> None:
    (folder / "heads.json").write_bytes(b'{"classes": [' + b"[]," * 3_000_000 + b"[]]}")
    assert "heads.json" in refused(lambda: load(folder))


@pytest.mark.parametrize("classes", [["A"], ["A", "B"] * 2, [f"C{number}" for number in range(500)]])
def test_heads_that_do_not_fit_the_weights(folder: Path, classes: list[str]) -> None:
    change(folder / "heads.json", lambda heads: heads["classes"].update(upos=classes))
    assert "upos" in refused(lambda: load(folder))


@pytest.mark.parametrize(
    "fields",
    [
        {"characters": "a"},
        {"characters": "ab .c"},
        {"characters": "ab \ud800"},
        {"expansion": {"known": {"ab": []}, "rules": []}},
        {"expansion": {"known": {"ab": ["a\tb"]}, "rules": []}},
        {"expansion": {"known": {}, "rules": [["", "b", ["*"], 1]]}},
        {"expansion": {"known": {}, "rules": [["", "b", ["*"], 10**400]]}},
        {"expansion": {"known": {}, "rules": [["", "b", [1], 0]]}},
    ],
    ids=lambda fields: f"{fields!s:.80}",
)
def test_a_segmenter_that_does_not_fit(folder: Path, fields: dict[str, Any]) -> None:
    change(folder / "segmenter.json", lambda rules: rules.update(fields))
    assert "segmenter" in refused(lambda: load(folder))


def test_a_segmenter_without_weights(folder: Path) -> None:
    def cut(header: dict[str, Any]) -> dict[str, Any]:
        return {name.replace("segmenter.chars", "other"): entry for name, entry in header.items()}

    header_of(folder, cut)
    change_checksum(folder)
    assert "segmenter are not complete: chars is missing" in refused(lambda: load(folder))


def change_checksum(folder: Path) -> None:
    """Make the checksum of the weights right again."""
    from pointree.models.weights import _array, _digest, _read_header

    content = (folder / "weights.safetensors").read_bytes()
    header, start = _read_header(content)
    header.pop("__metadata__")
    digest = _digest({name: _array(content, start, entry) for name, entry in header.items()})
    header_of(folder, lambda header: {**header, "__metadata__": {"sha256": digest}})


@pytest.mark.parametrize(
    "edit",
    [
        lambda index: index.update(format=2),
        lambda index: index.update(precision="fp64"),
        lambda index: index.update(weights={}),
        lambda index: index["weights"].update(encoder={"x": [10**18]}),
        lambda index: index["weights"].update(encoder={name: [10**18] for name in index["weights"]["encoder"]}),
        lambda index: index["weights"].update(encoder=dict.fromkeys(index["weights"]["encoder"], "abc")),
    ],
)
def test_an_index_that_does_not_fit_its_graphs(folder: Path, edit: Callable[[Any], object]) -> None:
    change(folder / "graphs" / "graphs.json", edit)
    assert "graphs" in refused(lambda: load(folder))


def test_a_graph_that_may_never_end(folder: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    path = folder / "graphs" / "labels.onnx"
    graph = onnx.load_from_string(path.read_bytes())
    flag = helper.make_tensor_value_info("on", TensorProto.BOOL, [])
    count = helper.make_tensor_value_info("number", TensorProto.INT64, [])
    body = helper.make_graph([helper.make_node("Identity", ["on"], ["again"])], "body", [count, flag], [flag])
    body.output[0].name = "again"
    graph.graph.node.append(helper.make_node("Loop", ["", ""], [], body=body))
    path.write_bytes(graph.SerializeToString())
    assert "labels.onnx: expected a graph without loops" in refused(lambda: load(folder))


def test_a_graph_without_what_it_should_compute(folder: Path) -> None:
    import onnx

    path = folder / "graphs" / "labels.onnx"
    graph = onnx.load_from_string(path.read_bytes())
    for node in graph.graph.node:
        node.output[:] = ["other" if name == "logits" else name for name in node.output]
    graph.graph.output[0].name = "other"
    path.write_bytes(graph.SerializeToString())
    assert "labels.onnx: expected a graph with the output logits" in refused(lambda: load(folder))


def test_a_graph_that_fails_is_an_error_of_the_model(folder: Path) -> None:
    """It once ended the command line with a traceback."""
    assert "labels.onnx: the graph fails" in refused(lambda: load(folder).engine.labels.run(["logits"], {}))


@pytest.mark.parametrize(("name", "row"), [("chars", "embeddings.chars.embedding"), ("deprels", "labels.bias")])
def test_vocabularies_have_as_many_symbols_as_there_are_rows(folder: Path, name: str, row: str) -> None:
    change(folder / f"{name}.json", lambda content: content["symbols"].append("語"))
    assert f"{row}: expected" in refused(lambda: load(folder))


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"{}", b"[" * 100_000, b'{"counts": [{}, {}], "limit": 1}', b'{"counts": [{"a": -1}, {}, {}]}'],
)
def test_language(folder: Path, content: bytes) -> None:
    (folder / "language.json").write_bytes(content)
    assert "language.json" in refused(lambda: read_language(folder))


@pytest.mark.parametrize("name", BERT_FILES)
@pytest.mark.parametrize("kind", ["endless", "deep", "hole"])
def test_a_pretrained_model(tmp_path: Path, name: str, kind: str) -> None:
    for each in BERT_FILES:
        (tmp_path / each).write_text("{}")
    path = tmp_path / name
    if kind == "deep":
        path.write_bytes(b"[" * 100_000)
    elif kind == "hole":
        with path.open("wb") as stream:
            stream.truncate(HOLE)
    else:
        path.unlink()
        path.symlink_to("/dev/zero")
    assert name in refused(lambda: read_bert(tmp_path))


class TestWeights:
    """Headers that make much of a small file."""

    def test_arrays_that_share_their_bytes(self, folder: Path) -> None:
        def repeat(header: dict[str, Any]) -> dict[str, Any]:
            entry = {"dtype": "F32", "shape": [100], "data_offsets": [0, 400]}
            return header | {f"copy {number}": entry for number in range(10_000)}

        header_of(folder, repeat)
        assert "weights.safetensors: expected safetensors, found a damaged file (arrays that overlap" in refused(
            lambda: load(folder)
        )

    def test_shapes_of_huge_numbers(self, folder: Path) -> None:
        # The product of these numbers would take a minute.
        entry = {"dtype": "F32", "shape": [int("9" * 4_000)] * 900, "data_offsets": [0, 0]}
        header_of(folder, lambda header: {**header, "": entry})
        assert "weights.safetensors" in refused(lambda: load(folder))

    def test_a_header_of_lists(self, folder: Path) -> None:
        path = folder / "weights.safetensors"
        header = b'{"a": [' + b"[]," * 3_000_000 + b"[]]}"
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        assert "weights.safetensors" in refused(lambda: load(folder))
