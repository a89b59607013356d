"""The transition systems of the paper, in pure Python: the specification of all faster code."""

from pointree.transitions.legality import Constraints, legal_heads
from pointree.transitions.oracle import GoldStep, gold_steps, slots_by_step
from pointree.transitions.orders import ORDERS, Order, TransitionSystem, order, paper_name
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.projectivity import is_projective
from pointree.transitions.slots import Slot

__all__ = [
    "ORDERS",
    "Constraints",
    "GoldStep",
    "Order",
    "PartialTree",
    "Slot",
    "TransitionSystem",
    "gold_steps",
    "is_projective",
    "legal_heads",
    "order",
    "paper_name",
    "slots_by_step",
]
