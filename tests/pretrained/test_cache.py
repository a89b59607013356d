"""The cache on disk: what goes in comes out, whatever is killed, truncated, damaged or shared."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from pointree.errors import InputError, OutputError
from pointree.pretrained.cache import INDEX, VECTORS, CachedVectors, FeatureCache, text_key

WIDTH = 6
ABOUT = {"encoder": "tiny", "layers": [1]}
KEYS = [text_key(["word", str(number)]) for number in range(8)]


def rows(number: int) -> CachedVectors:
    """The vectors of a sentence."""
    return np.random.default_rng(number).integers(-9, 9, (number + 2, WIDTH)).astype(np.int16)


def opened(folder: Path) -> FeatureCache:
    return FeatureCache(folder, ABOUT, WIDTH)


def filled(folder: Path, numbers: range) -> FeatureCache:
    cache = opened(folder)
    for number in numbers:
        cache.add({KEYS[number]: rows(number)})
    return cache


def whole(cache: FeatureCache) -> list[int]:
    """The sentences that are there, which must be as they were."""
    found = [number for number, key in enumerate(KEYS) if key in cache]
    for number in found:
        assert np.array_equal(cache.get(KEYS[number]), rows(number))
    return found


def test_what_goes_in_comes_out_here_and_in_the_next_process(tmp_path: Path) -> None:
    cache = filled(tmp_path / "new" / "cache", range(4))
    assert whole(cache) == [0, 1, 2, 3]
    assert cache.get(text_key(["other"])) is None
    assert whole(opened(cache.folder)) == [0, 1, 2, 3]
    assert isinstance(cache.get(KEYS[0]), np.memmap)


def test_keys_tell_sentences_apart() -> None:
    texts = [["a b"], ["a", "b"], ["a", "", "b"], ["a\x00b"], ["a", "B"], []]
    assert len({text_key(text) for text in texts}) == len(texts)


def test_two_that_write_at_once_see_each_other(tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    first.add({KEYS[0]: rows(0), KEYS[1]: rows(1)})
    second.add({KEYS[1]: rows(1), KEYS[2]: rows(2)})
    first.add({KEYS[3]: rows(3)})
    assert whole(first) == [0, 1, 2, 3]
    assert whole(opened(tmp_path)) == [0, 1, 2, 3]
    assert (tmp_path / VECTORS).stat().st_size == sum(rows(number).nbytes for number in range(4)), "nothing twice"


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_truncated_index_loses_its_last_sentence(cut: int, tmp_path: Path) -> None:
    filled(tmp_path, range(4))
    data = (tmp_path / INDEX).read_bytes()
    (tmp_path / INDEX).write_bytes(data[:-cut])
    cache = opened(tmp_path)
    assert whole(cache) == [0, 1, 2] if cut <= 52 else [0, 1]
    cache.add({KEYS[4]: rows(4)})
    assert 4 in whole(opened(tmp_path))


@pytest.mark.parametrize("size", [0, 1, 30, 70, 100])
def test_truncated_vectors_are_computed_again(size: int, tmp_path: Path) -> None:
    filled(tmp_path, range(4))
    os.truncate(tmp_path / VECTORS, size)
    cache = opened(tmp_path)
    kept = whole(cache)
    assert kept == [number for number in range(4) if 12 * sum(range(2, number + 3)) <= size]
    cache.add({KEYS[number]: rows(number) for number in range(5)})
    assert whole(cache) == [0, 1, 2, 3, 4]
    assert whole(opened(tmp_path)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", [INDEX, VECTORS])
def test_a_damaged_byte_costs_one_sentence_at_most(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    filled(folder, range(4))
    data = (folder / name).read_bytes()
    for place in range(0, len(data), 5):
        (folder / name).write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        assert len(whole(opened(folder))) == 3
    (folder / name).write_bytes(data)
    assert len(whole(opened(folder))) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.parametrize("file", [VECTORS, INDEX])
def test_a_process_killed_while_it_writes_harms_nobody(file: str, tmp_path: Path) -> None:
    filled(tmp_path, range(2))
    child = os.fork()
    if child == 0:
        _add_half(opened(tmp_path), file)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    cache = opened(tmp_path)
    assert whole(cache) == [0, 1]
    cache.add({KEYS[3]: rows(3)})
    assert whole(opened(tmp_path)) == [0, 1, 3]


def _add_half(cache: FeatureCache, file: str) -> NoReturn:
    """Die when not quite half of what is to be written to a file has been written."""
    import builtins

    from pointree.pretrained import cache as module

    class Half:
        def __init__(self, path: Path, mode: str) -> None:
            self.stream = builtins.open(path, mode)  # noqa: SIM115 - closed in __exit__
            self.path = path

        def __enter__(self) -> Half:
            return self

        def __exit__(self, *_error: object) -> None:
            self.stream.close()

        def __getattr__(self, name: str) -> object:
            return getattr(self.stream, name)

        def write(self, data: bytes) -> None:
            if self.path.name == file and "+" in self.stream.mode:
                self.stream.write(data[: len(data) // 2 - 1])
                self.stream.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            self.stream.write(data)

    module.open = Half  # type: ignore[attr-defined]
    cache.add({KEYS[2]: rows(2), KEYS[3]: rows(3)})
    os._exit(0)


def test_the_cache_of_another_model_is_refused(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(
        InputError, match=r"about\.json: expected the cache of the pretrained model big, found that of tiny; remove"
    ):
        FeatureCache(tmp_path, {"encoder": "big"}, WIDTH)
    (tmp_path / "about.json").write_text("{")
    with pytest.raises(InputError, match="found a damaged file"):
        opened(tmp_path)


def test_a_place_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file/cache: cannot be used as a cache: Not a directory"):
        opened(tmp_path / "file" / "cache")
