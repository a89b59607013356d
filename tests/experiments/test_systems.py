"""The systems of the paper by name."""

from __future__ import annotations

from pointree.experiments.systems import SYSTEMS

from ..helpers import COMBINATIONS


def test_every_order_fusion_and_gate_has_a_name() -> None:
    combined = [("combined", "none", "gate1"), ("combined", "simple", "gate1"), ("combined", "simple", "gate2")]
    found = sorted((system.order, system.fusion, system.gate) for system in SYSTEMS.values())
    assert found == sorted([*COMBINATIONS, *combined])


def test_columns_are_those_of_the_papers_tables() -> None:
    def columns(name: str) -> tuple[str, str, str]:
        system = SYSTEMS[name]
        return system.transition, system.fusion_name, system.gate_name

    assert columns("l2r-sequential") == ("L2R", "-", "-")
    assert columns("l2r-simple-gate1") == ("L2R", "l-simple", "GATE1")
    assert columns("oi-full-gate2") == ("O-I", "full", "GATE2")
    assert columns("td-stack-pointer") == ("T-D", "-", "-")
    assert columns("td-parent-sibling-gate2") == ("T-D", "parent-sibling", "GATE2")
    assert columns("combined-simple-gate1") == ("L2R+R2L+O-I", "l-simple+r-simple+simple", "GATE1")
