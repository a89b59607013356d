"""The systems of the paper by name: an order, a fusion and a gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pointree.config import FUSIONS, FusionName, GateName, OrderName
from pointree.transitions import ORDERS, paper_name

__all__ = ["SYSTEMS", "System"]

_GATES: tuple[GateName, ...] = ("gate1", "gate2")


@dataclass(frozen=True, slots=True)
class System:
    """A way to decode, and what else a variant of it sets.

    Attributes:
        name: How grids call it, such as `l2r-simple-gate1`.
        settings: Sections of a configuration that a variant changes.
        preset: The preset of a variant that has its own.
        vectors: Whether it starts from the word vectors of the treebank, if that has any.
    """

    name: str
    order: OrderName
    fusion: FusionName
    gate: GateName
    settings: Mapping[str, Any] = field(default_factory=dict)
    preset: str | None = None
    vectors: bool = True

    @property
    def transition(self) -> str:
        """The column `tran.` of the paper's tables."""
        return ORDERS[self.order].abbreviation

    @property
    def fusion_name(self) -> str:
        """The column `f` of the paper's tables."""
        return "-" if self.fusion == "none" else paper_name(self.order, self.fusion)

    @property
    def gate_name(self) -> str:
        """The column `gate` of the paper's tables."""
        return "-" if self.fusion == "none" else self.gate.upper()


def _all_systems() -> dict[str, System]:
    found = []
    for order, fusions in FUSIONS.items():
        short = ORDERS[order].abbreviation.lower().replace("-", "")
        for fusion in fusions:
            if fusion == "none":
                found.append(System(f"{short}-sequential", order, fusion, "gate1"))
            else:
                found += [System(f"{short}-{fusion}-{gate}", order, fusion, gate) for gate in _GATES]
    return {system.name: system for system in found}


SYSTEMS: dict[str, System] = _all_systems()
"""Every system by its name: l2r-sequential, l2r-simple-gate1, …, oi-full-gate2."""
