"""Comparing the systems of grids over seeds, sentences and treebanks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.errors import InputError, UsageError
from pointree.experiments.comparison import GridComparison
from pointree.experiments.outcomes import outcome_path
from pointree.treebank.conllu import read_conllu, write_conllu

GRID = """
seeds = [1, 2, 3]
systems = ["l2r-sequential", "l2r-simple-gate1"]
tested = []
[treebanks.NAME]
train = "${EWT}"
dev = "${EWT}"
"""


@pytest.fixture
def write(tmp_path: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a grid, and outcomes: each system has a digit for its first words, and 0 for the others."""
    monkeypatch.setenv("EWT", str(ewt))
    monkeypatch.chdir(tmp_path)
    lengths = [len(sentence) for sentence in read_conllu(ewt)]

    def grid(name: str, treebank: str = "ewt", text: str = GRID, **shares: tuple[int, float]) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(text.replace("NAME", treebank))
        for system, (digit, share) in shares.items():
            for seed in (1, 2, 3):
                right = [round(share * n) if seed < 3 else n // 2 for n in lengths]
                lines = [str(digit) * own + "0" * (n - own) for own, n in zip(right, lengths, strict=True)]
                file = outcome_path(
                    tmp_path / "results" / name, f"{treebank}.{system.replace('_', '-')}.seed{seed}", "dev"
                )
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(lines) + "\n")
        return path

    return grid


def compare(*grids: Path, **options: Any) -> GridComparison:
    return pointree.compare_experiment(*grids, **{"resamples": 200, **options})


def test_systems_are_compared_over_seeds_and_sentences(write: Callable[..., Path], tmp_path: Path) -> None:
    grid = write("one", l2r_sequential=(3, 0.5), l2r_simple_gate1=(3, 0.7))
    [found] = (comparison := compare(grid)).systems
    assert found.system == "l2r-simple-gate1"
    assert found.seeds == {"ewt": (1, 2, 3)}
    assert found.overall.score - found.overall.base_score == pytest.approx(found.overall.comparison.difference)
    assert 10 < found.overall.comparison.difference < 15
    assert found.overall.ahead == (2, 3)
    assert sum(effect.words for effect in found.groups["Word position"]) == found.overall.words
    [first, *_others] = found.groups["Word position"]
    assert first.name == "1–10"
    text = comparison.to_markdown()
    assert "| l2r-simple-gate1 | 1, 2, 3 | " in text
    assert "By dependency length:" in text
    json.dumps(comparison.to_dict())
    assert compare(grid) == comparison, "draws are seeded"


def test_labels_count_as_the_metric_reads_them(write: Callable[..., Path]) -> None:
    grid = write("one", l2r_sequential=(3, 0.5), l2r_simple_gate1=(2, 0.9))
    strict, lax = (compare(grid, metric=metric).systems[0].overall for metric in ("las_subtypes", "las"))
    assert strict.score == 0.0
    assert lax.score > lax.base_score == strict.base_score


def test_treebanks_are_pooled_and_sampled(write: Callable[..., Path]) -> None:
    shares = {"l2r_sequential": (3, 0.5), "l2r_simple_gate1": (3, 0.7)}
    grids = [write("one", "a", **shares), write("two", "b", **shares)]
    found = compare(*grids, sample=300)
    assert set(found.treebanks) == {"a", "b"}
    assert all(abs(words - 300) < 40 for words in found.treebanks.values())
    assert not found.notes
    assert "1, 2, 3 (a); 1, 2, 3 (b)" in found.to_markdown()
    too_few = compare(*grids, sample=1_000_000)
    assert [note.split(":")[0] for note in too_few.notes] == ["a", "b"]
    assert "fewer than 1,000,000; all are taken" in too_few.to_markdown()
    assert compare(*grids, sample=300) == found != compare(*grids, sample=300, sample_seed=2)


def test_a_system_of_two_grids_is_named_with_its_grid(write: Callable[..., Path]) -> None:
    first = write("one", l2r_sequential=(3, 0.5), l2r_simple_gate1=(3, 0.7))
    second = write("gold", l2r_simple_gate1=(3, 0.6))
    found = compare(first, second)
    assert [each.system for each in found.systems] == ["l2r-simple-gate1", "l2r-simple-gate1 (gold)"]
    assert found.notes == ("gold: no outcomes of " + ", ".join(f"ewt.l2r-sequential.seed{n}" for n in (1, 2, 3)),)


def test_parses_that_are_kept_become_outcomes(write: Callable[..., Path], tmp_path: Path, ewt: Path) -> None:
    grid = write("one", l2r_sequential=(3, 0.5))
    folder = tmp_path / "runs" / "one" / "ewt.l2r-simple-gate1.seed1"
    folder.mkdir(parents=True)
    with open(folder / "dev.conllu", "w", encoding="utf-8") as stream:
        write_conllu(read_conllu(ewt), stream)
    [found] = compare(grid).systems
    assert (found.seeds, found.overall.score) == ({"ewt": (1,)}, 100.0)
    assert outcome_path(tmp_path / "results" / "one", "ewt.l2r-simple-gate1.seed1", "dev").exists()


def test_what_cannot_be_compared(write: Callable[..., Path]) -> None:
    grid = write("one", l2r_sequential=(3, 0.5))
    with pytest.raises(
        InputError, match=r"expected outcomes of l2r-sequential and of another system on dev, found l2r-"
    ):
        compare(grid)
    with pytest.raises(InputError, match=r"one\.toml: treebanks\.ewt: expected a test file, found none"):
        compare(grid, split="test")
    with pytest.raises(UsageError, match=r"^metric must be one of las_subtypes, las, uas, found clas$"):
        compare(grid, metric="clas")
    with pytest.raises(UsageError, match=r"^a sample must have at least 1 word, found 0$"):
        compare(grid, sample=0)


def test_four_panels(write: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")
    from pointree.experiments.comparison import panels

    found = compare(write("one", l2r_sequential=(3, 0.5), l2r_simple_gate1=(3, 0.7)))
    axes = panels([("UD", found), ("Penn", found)]).axes
    assert [ax.get_title() for ax in axes] == ["(a) UD", "(b) Penn", "(c) UD", "(d) Penn"]
    assert [ax.get_xlabel() for ax in axes] == ["Sentence length"] * 2 + ["Word position"] * 2
    assert {ax.get_ylabel() for ax in axes} == {"LAS"}
