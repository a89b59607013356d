"""Vectors of a frozen model: from the cache or not, they are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from pointree.nn.packing import Packing
from pointree.nn.pretrained_features import FrozenFeatures, TrainedFeatures
from pointree.pretrained.cache import VECTORS
from pointree.pretrained.cache_folder import CacheFolder
from pointree.pretrained.model import PretrainedModel

from ..pretrained.small_models import make_pretrained, open_pretrained, sentences

BATCH = sorted(sentences()[:9], key=len, reverse=True)
POSITIONS = Packing.of([len(forms) + 1 for forms in BATCH])


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> PretrainedModel:
    return open_pretrained(make_pretrained(tmp_path_factory.mktemp("encoder")), mix="learned")


def inputs(features: FrozenFeatures) -> Tensor:
    return features.inputs(BATCH, POSITIONS)


def test_hit_and_miss_are_the_same(pretrained: PretrainedModel, tmp_path: Path) -> None:
    without, caches = FrozenFeatures(pretrained), CacheFolder(tmp_path)
    cached = FrozenFeatures(pretrained, caches)
    missed = inputs(cached)
    assert missed.shape == (POSITIONS.n_rows, 3, 12)
    assert missed.dtype == torch.bfloat16
    assert torch.equal(missed, inputs(without))
    assert cached.prepare(BATCH) == len(BATCH)
    assert torch.equal(inputs(cached), missed)
    assert torch.equal(inputs(FrozenFeatures(pretrained, caches)), missed), "in the next process"


def test_rows_are_those_of_the_packing(pretrained: PretrainedModel, tmp_path: Path) -> None:
    cached = FrozenFeatures(pretrained, CacheFolder(tmp_path))
    cached.prepare(BATCH)
    padded = POSITIONS.pad(inputs(cached).flatten(1))
    for number, forms in enumerate(BATCH):
        alone = cached.inputs([forms], Packing.of([len(forms) + 1]))
        assert torch.equal(padded[number, : len(forms) + 1], alone.flatten(1))


def test_the_model_reads_only_what_is_missing_and_tells_how_far_it_is(
    pretrained: PretrainedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.nn.pretrained_features._BATCH_SENTENCES", 2)
    features, told = FrozenFeatures(pretrained, CacheFolder(tmp_path)), list[tuple[int, int]]()
    assert features.prepare(BATCH[:4] + BATCH[:2]) == 4
    assert features.prepare(BATCH, lambda done, total: told.append((done, total))) == len(BATCH) - 4
    assert (told[0], told[-1]) == ((0, 5), (5, 5))
    assert features.prepare(BATCH) == 0
    monkeypatch.setattr(pretrained, "forward", None)
    assert inputs(features).isfinite().all()


def test_a_run_killed_while_it_computed_ends_with_the_same_vectors(
    pretrained: PretrainedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.nn.pretrained_features._BATCH_SENTENCES", 3)
    whole = FrozenFeatures(pretrained, CacheFolder(tmp_path / "whole"))
    whole.prepare(BATCH)

    class KilledError(Exception):
        pass

    def kill(done: int, total: int) -> None:
        if done > 3:
            raise KilledError

    with pytest.raises(KilledError):
        FrozenFeatures(pretrained, CacheFolder(tmp_path / "killed")).prepare(BATCH, kill)
    again = FrozenFeatures(pretrained, CacheFolder(tmp_path / "killed"))
    assert 0 < again.prepare(BATCH) < len(BATCH)
    assert torch.equal(inputs(again), inputs(whole))


def test_nothing_is_computed_that_would_not_fit(pretrained: PretrainedModel, tmp_path: Path) -> None:
    from pointree.errors import OutputError

    features = FrozenFeatures(pretrained, CacheFolder(tmp_path, limit=10_000))
    with pytest.raises(OutputError, match="raise cache_gb"):
        features.prepare(BATCH)
    assert not any(path.stat().st_size for path in tmp_path.rglob(VECTORS))


def test_a_fine_tuned_model_gets_subwords(pretrained: PretrainedModel) -> None:
    batch = TrainedFeatures(pretrained).inputs(BATCH, POSITIONS)
    with torch.no_grad():
        assert torch.equal(pretrained(batch).to(torch.bfloat16), inputs(FrozenFeatures(pretrained)))
