"""The systems of the paper by name: an order, a fusion and a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pointree.config import COMBINED_ORDER, FUSIONS, DecoderOrder, FusionName, GateName, fusions_of, single_orders
from pointree.config.rules import suggestion
from pointree.transitions import ORDERS, paper_name

__all__ = ["SYSTEMS", "System", "unknown_system"]

_GATES: tuple[GateName, ...] = ("gate1", "gate2")

_SHORT_NAMES: dict[str, DecoderOrder] = {
    **{ORDERS[order].abbreviation.lower().replace("-", ""): order for order in FUSIONS},
    COMBINED_ORDER: COMBINED_ORDER,
}
"""The orders by the start of the names of their systems."""


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
    order: DecoderOrder
    fusion: FusionName
    gate: GateName
    settings: Mapping[str, Any] = field(default_factory=dict)
    preset: str | None = None
    vectors: bool = True

    @property
    def transition(self) -> str:
        """The column `tran.` of the paper's tables."""
        return "+".join(ORDERS[order].abbreviation for order in single_orders(self.order))

    @property
    def fusion_name(self) -> str:
        """The column `f` of the paper's tables."""
        names = dict.fromkeys(paper_name(order, self.fusion) for order in single_orders(self.order))
        return "-" if self.fusion == "none" else "+".join(names)

    @property
    def gate_name(self) -> str:
        """The column `gate` of the paper's tables."""
        return "-" if self.fusion == "none" else self.gate.upper()


def _all_systems() -> dict[str, System]:
    found = []
    for short, order in _SHORT_NAMES.items():
        for fusion in fusions_of(order):
            if fusion == "none":
                name = ORDERS[single_orders(order)[0]].sequential_name
                found.append(System(f"{short}-{name}", order, fusion, "gate1"))
            else:
                found += [System(f"{short}-{fusion}-{gate}", order, fusion, gate) for gate in _GATES]
    return {system.name: system for system in found}


SYSTEMS: dict[str, System] = _all_systems()
"""Every system by its name: l2r-sequential, l2r-simple-gate1, …, oi-full-gate2, …, combined-simple-gate2."""


def unknown_system(name: str, known: Iterable[str]) -> str:
    """Why there is no system of this name: its fusion belongs to another order, or it may be misspelt."""
    short, _, rest = name.partition("-")
    fusion = rest.removesuffix("-gate1").removesuffix("-gate2")
    if short in _SHORT_NAMES and any(fusion in fusions for fusions in FUSIONS.values()):
        possible = fusions_of(_SHORT_NAMES[short])
        if fusion not in possible:
            return f"{name}: the fusions of {_SHORT_NAMES[short]} are {', '.join(possible)}, found {fusion}"
    return f"system {name} is unknown{suggestion(name, list(known))}"
