"""Looking at treebanks and at what a parser makes of them."""

from pointree.analysis.statistics import AvailableDependents, TreebankStatistics, treebank_statistics

__all__ = ["AvailableDependents", "TreebankStatistics", "treebank_statistics"]
