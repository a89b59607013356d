"""The file of the probabilities of teachers: written in parts, read from anywhere."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from pointree.errors import OutputError, TrainingError
from pointree.training import teacher_file
from pointree.training.teacher_file import Probabilities, TeacherFile, remove_teacher_file

LENGTHS, N_LABELS = [2, 5, 0, 3, 1], 4
BATCHES = [[1, 3], [0, 4, 2]]
ORDER = [number for batch in BATCHES for number in batch]
ABOUT = {"teachers": "1", "train": "2"}


def opened(folder: Path, about: dict[str, str] = ABOUT) -> TeacherFile:
    return TeacherFile(folder / "kept", LENGTHS, ORDER, N_LABELS, about)


def answer(number: int) -> tuple[Probabilities, Probabilities]:
    """Some heads and labels of a sentence."""
    random, n_words = np.random.default_rng(number), LENGTHS[number]
    heads, labels = random.random((n_words, n_words + 1)), random.random((n_words, N_LABELS))
    return heads.astype(np.float16), labels.astype(np.float16)


def answers(batches: Sequence[Sequence[int]]) -> Iterator[list[tuple[Probabilities, Probabilities]]]:
    return ([answer(number) for number in batch] for batch in batches)


def assert_complete(file: TeacherFile) -> None:
    assert file.done == len(LENGTHS)
    for number in range(len(LENGTHS)):
        heads, labels = answer(number)
        np.testing.assert_array_equal(file.heads(number), heads)
        np.testing.assert_array_equal(file.labels(number), labels)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    file = opened(tmp_path)
    assert file.done == 0
    file.extend(answers(BATCHES))
    assert_complete(file)
    assert_complete(opened(tmp_path))
    whole = np.load(file.path, allow_pickle=False)
    assert whole.dtype == np.float16
    assert whole.shape == (sum(n * (n + 1 + N_LABELS) for n in LENGTHS),)


def interrupted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which the first batch was saved, and the second was written in part."""
    monkeypatch.setattr(teacher_file, "SAVED_SECONDS", 0.0)

    def stopping() -> Iterator[list[tuple[Probabilities, Probabilities]]]:
        yield from answers(BATCHES[:1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(folder).extend(stopping())
    with open(folder / "kept" / teacher_file.PROBABILITIES, "ab") as stream:
        stream.write(b"rest")


def test_it_goes_on_after_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(tmp_path, monkeypatch)
    file = opened(tmp_path)
    assert file.done == 2
    file.extend(answers(BATCHES[1:]))
    assert_complete(file)


def test_what_was_written_and_not_saved_does_not_count(tmp_path: Path) -> None:
    def stopping() -> Iterator[list[tuple[Probabilities, Probabilities]]]:
        yield from answers(BATCHES[:1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(tmp_path).extend(stopping())
    assert opened(tmp_path).done == 0


@pytest.mark.parametrize("damage", ["truncated", "no probabilities", "damaged", "a list", "no count", "too many"])
def test_a_damaged_file_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    interrupted(tmp_path, monkeypatch)
    about, path = (tmp_path / "kept" / name for name in (teacher_file.ABOUT, teacher_file.PROBABILITIES))
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:150])
    elif damage == "no probabilities":
        path.unlink()
    else:
        text = about.read_text()
        changed = {"damaged": text[:-5], "a list": "[]", "no count": text.replace("sentences_done", "other")}
        about.write_text(changed.get(damage, text.replace('"sentences_done": 2', '"sentences_done": 6')))
    file = opened(tmp_path)
    assert file.done == 0
    file.extend(answers(BATCHES))
    assert_complete(file)


def test_other_teachers_and_sentences_are_told(tmp_path: Path) -> None:
    opened(tmp_path).extend(answers(BATCHES))
    with pytest.raises(TrainingError, match="were computed with other teachers, train than given now; to compute them"):
        opened(tmp_path, {"teachers": "3", "train": "4"})
    with pytest.raises(TrainingError, match="were computed with other order than given now"):
        TeacherFile(tmp_path / "kept", LENGTHS, range(len(LENGTHS)), N_LABELS, ABOUT)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = opened(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OutputError, match=f"^{file.path}: cannot be written: No space left on device$"):
            file.extend(answers(BATCHES))
    file = opened(tmp_path)
    file.extend(answers(BATCHES))
    assert_complete(file)


def test_only_its_own_files_are_removed(tmp_path: Path) -> None:
    opened(tmp_path).extend(answers(BATCHES))
    mine = tmp_path / "kept" / "mine"
    mine.touch()
    remove_teacher_file(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == [mine]
    mine.unlink()
    remove_teacher_file(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    remove_teacher_file(tmp_path / "kept")
