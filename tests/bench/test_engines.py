"""The engines side by side, with a network so small that only the frame is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.bench import engines
from pointree.bench.engines import KEYS, MEASURED_ENGINES, compare_engines, measure_engine
from pointree.errors import PointreeError
from pointree.models.graphs import write_graphs

from ..helpers import tiny_parser


@pytest.mark.parametrize(("engine", "precision"), MEASURED_ENGINES)
def test_every_engine_has_all_figures(tmp_path: Path, engine: str, precision: str) -> None:
    tiny_parser().save(tmp_path)
    write_graphs(tmp_path)
    figures = measure_engine(str(tmp_path), engine, precision, quick=True)
    assert tuple(figures) == KEYS
    assert all(figure > 0 for figure in figures.values())


def test_what_cannot_be_measured_is_null_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_model: str, engine: str, precision: str, **_options: object) -> dict[str, float]:
        if precision == "int8":
            raise PointreeError("it has no graphs of int8")
        return dict.fromkeys(KEYS, 1.0)

    monkeypatch.setattr(engines, "_measure_apart", fail)
    told: list[str] = []
    report, notes = compare_engines({"old": "folder"}, progress=told.append)
    assert report["old"]["onnx"] == {"fp32": dict.fromkeys(KEYS, 1.0), "int8": dict.fromkeys(KEYS)}
    assert notes == {"engines.old.onnx.int8": "it has no graphs of int8"}
    assert told == ["old on torch, fp32", "old on onnx, fp32", "old on onnx, int8"]


@pytest.mark.slow
def test_a_fault_in_the_process_is_one_line(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path)
    _report, notes = compare_engines({"old": str(tmp_path)}, quick=True, threads=1)
    assert "the model has no graphs for the engine onnx" in notes["engines.old.onnx.fp32"]
    assert not any("\n" in note for note in notes.values())
    assert "engines.old.torch.fp32" not in notes
