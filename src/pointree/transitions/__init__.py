"""The transition systems of the paper, in pure Python: the specification of all faster code."""

from pointree.transitions.legality import Constraints, legal_heads
from pointree.transitions.oracle import GoldStep, PointingStep, gold_steps, pointing_steps, slots_by_step
from pointree.transitions.orders import BOTTOM_UP, ORDERS, Order, TransitionSystem, order, paper_name
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.projectivity import is_projective
from pointree.transitions.slots import Relative, Slot

__all__ = [
    "BOTTOM_UP",
    "ORDERS",
    "Constraints",
    "GoldStep",
    "Order",
    "PartialTree",
    "PointingStep",
    "Relative",
    "Slot",
    "TransitionSystem",
    "gold_steps",
    "is_projective",
    "legal_heads",
    "order",
    "paper_name",
    "pointing_steps",
    "slots_by_step",
]
