"""Blocks: the lines between blank lines, with their place and what surrounds them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pointree.errors import FormatError
from pointree.treebank.blocks import Block, Readable, open_lines, read_blocks, source_name


def cut(data: bytes) -> list[Block]:
    return list(read_blocks(io.BytesIO(data), lambda block, _: block, "x", None))


def test_blocks_know_their_place_and_surroundings() -> None:
    assert cut(b"\n\na\nb\n\n \nc\r\nd") == [
        Block(3, ["a", "b"], "\n\n", "\n\n \n", "\n"),
        Block(7, ["c", "d"], "", "", "\r\n"),
    ]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a/b.conllu", "a/b.conllu"),
        (Path("a/b.conllu"), "a/b.conllu"),
        (io.StringIO(), "<input>"),
        (["line\n"], "<input>"),
    ],
)
def test_names(source: Readable, name: str) -> None:
    assert source_name(source) == name


def test_lines_of_every_source_are_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes("é\nb".encode())
    sources: list[Readable] = [path, str(path), io.BytesIO(path.read_bytes()), io.StringIO("é\nb"), ["é\n", "b"]]
    for source in sources:
        with open_lines(source) as lines:
            assert list(lines) == ["é\n".encode(), b"b"]


def test_a_stream_of_the_caller_stays_open() -> None:
    stream = io.BytesIO(b"a\n")
    list(read_blocks(stream, lambda block, _: block, None, None))
    assert not stream.closed


def test_a_block_that_cannot_be_parsed_is_skipped_or_raised() -> None:
    def parse(block: Block, name: str) -> str:
        if block.rows == ["bad"]:
            raise FormatError(name, block.line, "it is bad")
        return block.rows[0]

    errors: list[FormatError] = []
    data = b"a\n\nbad\n\nb\n"
    assert list(read_blocks(io.BytesIO(data), parse, "x", errors.append)) == ["a", "b"]
    assert [str(error) for error in errors] == ["x:3: it is bad"]
    with pytest.raises(FormatError, match=r"^x:3: it is bad$"):
        list(read_blocks(io.BytesIO(data), parse, "x", None))
