"""Several sentences that show themselves: what `Parser.parse` returns, and a list in all other respects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pointree.treebank.sentence import Sentence
from pointree.views import view

if TYPE_CHECKING:
    import pandas

__all__ = ["SentenceList"]


class SentenceList(list[Sentence]):
    """A list of sentences; printing it draws the trees, and a notebook shows their pictures."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with a row for each word; see `pointree.to_pandas`."""
        from pointree.treebank.export import to_pandas

        return to_pandas(self)

    def _repr_html_(self) -> str:
        shown: str = view("html", self)
        return shown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))
