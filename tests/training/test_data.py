"""Gold treebanks: what is kept, left out and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pointree.errors import InputError, TrainingError
from pointree.training.data import data_fingerprint, read_gold
from pointree.treebank.conllu import read_conllu
from pointree.vocabulary.vectors import Vectors

SENTENCES = {
    "good": (0, 1, 2),
    "two roots": (0, 1, 0),
    "cycle": (0, 3, 2),
    "two roots and a cycle": (0, 0, 4, 3),
    "no root": (2, 3, 1),
    "no heads": ("_", "_"),
    "one head missing": (0, "_"),
}
FAULTS = {
    "two roots": "expected one root, found 2: words 1, 3",
    "cycle": "cycle 2 → 3 → 2",
    "two roots and a cycle": "cycle 3 → 4 → 3",
    "no root": "cycle 1 → 2 → 3 → 1",
    "no heads": "no HEAD for words 1, 2",
    "one head missing": "no HEAD for word 2",
}


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    """A file of the sentences that a test asks for."""
    return tmp_path / "gold.conllu"


def write(path: Path, *names: str, sent_id: bool = True) -> None:
    blocks = []
    for name in names:
        rows = [f"{i}\tw\t_\t_\t_\t_\t{head}\t_\t_\t_" for i, head in enumerate(SENTENCES[name], 1)]
        blocks.append("\n".join([f"# sent_id = {name}"] * sent_id + rows) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")


def test_trees_are_read_without_a_word(treebank: Path) -> None:
    write(treebank, "good", "good")
    warnings: list[str] = []
    assert len(read_gold(treebank, strict=True, warn=warnings.append)) == 2
    assert warnings == []


def test_several_roots_are_kept_with_a_warning(treebank: Path) -> None:
    write(treebank, "good", "two roots")
    warnings: list[str] = []
    assert [len(sentence) for sentence in read_gold(treebank, strict=False, warn=warnings.append)] == [3, 3]
    assert warnings == [f"{treebank}: kept without a single root: sentence two roots: {FAULTS['two roots']}"]


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "two roots"])
def test_what_is_no_tree_is_left_out_with_a_warning(treebank: Path, name: str) -> None:
    write(treebank, name, "good", name, name)
    warnings: list[str] = []
    assert [sentence.sent_id for sentence in read_gold(treebank, strict=False, warn=warnings.append)] == ["good"]
    place = f"sentence {name}: {FAULTS[name]} (and 2 more)"
    assert warnings == [f"{treebank}: left out because they are no trees: {place}"]


@pytest.mark.parametrize("name", FAULTS)
def test_strict_refuses_either(treebank: Path, name: str) -> None:
    write(treebank, "good", name, sent_id=False)
    with pytest.raises(TrainingError, match=rf"^{treebank}: sentence 2: {FAULTS[name]}$"):
        read_gold(treebank, strict=True, warn=pytest.fail)


def test_a_treebank_without_any_tree_is_refused(treebank: Path) -> None:
    write(treebank, "no heads")
    with pytest.raises(InputError, match=rf"^{treebank}: expected sentences with trees, found none$"):
        read_gold(treebank, strict=False, warn=lambda _: None)


def test_fingerprints_tell_what_training_sees_apart(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    vectors = Vectors(["a", "b"], np.ones((2, 3), dtype=np.float32))
    original = data_fingerprint(sentences[:5], sentences[5:], vectors)
    assert original == data_fingerprint(sentences[:5], sentences[5:], vectors)
    moved = data_fingerprint(sentences[:6], sentences[5:], vectors)
    assert [moved[name] == original[name] for name in ("train", "dev", "vectors")] == [False, True, True]
    for column, value in (("form", "x"), ("upos", "X"), ("xpos", "X"), ("head", 7), ("deprel", "x")):
        changed = [sentence.copy() for sentence in sentences[5:]]
        setattr(changed[-1].words[0], column, value)
        assert data_fingerprint(sentences[:5], changed, vectors)["dev"] != original["dev"]
    for other in (None, Vectors(["a", "c"], vectors.matrix), Vectors(["a", "b"], 2 * vectors.matrix)):
        assert data_fingerprint(sentences[:5], sentences[5:], other)["vectors"] != original["vectors"]
