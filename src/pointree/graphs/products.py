"""Products of rows with weights in the precision of a graph: 32 bits, or the 8-bit numbers of `integers`."""

from __future__ import annotations

from pointree.graphs.builder import GraphBuilder
from pointree.graphs.integers import Codes, integer_product, rounded_rows, rounded_states, state_codes

__all__ = ["Products"]


class Products:
    """Multiplies rows by weights, with ``integers`` in 8 bits; rows that several weights multiply are rounded once.

    *Shape:* ``(n_rows, inputs)`` to ``(n_rows, outputs)``. ``states`` says that the rows are hidden states of an LSTM
    or the like, which lie between -1 and 1.
    """

    def __init__(self, graph: GraphBuilder, *, integers: bool) -> None:
        self._graph, self._integers = graph, integers
        self._rounded: dict[str, tuple[Codes, str]] = {}

    def __call__(self, rows: str, name: str, *, states: bool = False) -> str:
        """``x W``."""
        if not self._integers:
            return self._graph.op("MatMul", rows, self._graph.weight(name))
        if rows not in self._rounded:
            if states:
                self._rounded[rows] = state_codes(rounded_states(self._graph, rows)), ""
            else:
                self._rounded[rows] = rounded_rows(self._graph, rows)
        codes, steps = self._rounded[rows]
        found = integer_product(self._graph, codes, name)
        return self._graph.op("Mul", found, steps) if steps else found

    def linear(self, rows: str, name: str, *, states: bool = False) -> str:
        """``x W + b`` of a `Projection`."""
        if not self._integers:
            return self._graph.linear(rows, name)
        found = self(rows, f"{name}.weight", states=states)
        return self._graph.op("Add", found, self._graph.weight(f"{name}.bias"))

    def mlp(self, rows: str, name: str, *, states: bool = False) -> str:
        """``ELU(x W + b)`` of an `Mlp`."""
        return self._graph.op("Elu", self.linear(rows, f"{name}.projection", states=states))
