"""From trees to sentences: heads, labels, predicted columns and probabilities are written into their rows."""

from __future__ import annotations

from collections.abc import Sequence

from pointree.options import ParseOptions
from pointree.search.columns import PredictedColumns
from pointree.search.result import ParseTree
from pointree.treebank.sentence import Sentence, set_misc
from pointree.vocabulary import ColumnClasses

__all__ = ["fill_columns", "fill_tree", "filled_sentences"]


def filled_sentences(
    sentence: Sentence,
    trees: Sequence[ParseTree],
    options: ParseOptions,
    deprels: Sequence[str],
    columns: ColumnClasses,
) -> list[Sentence]:
    """A sentence with its tree, or copies of it with the best trees.

    ``deprels`` are the names of the labels, ``columns`` what the classes of predicted columns mean.
    """
    if options.n_best == 1:
        fill_tree(sentence, trees[0], options, deprels, columns)
        return [sentence]
    copies = []
    for rank, tree in enumerate(trees, 1):
        parsed = sentence.copy()
        fill_tree(parsed, tree, options, deprels, columns)
        parsed.set_meta("tree_rank", str(rank))
        parsed.set_meta("tree_log_prob", f"{tree.log_prob:.4f}")
        _set_apart(parsed, is_first=rank == 1, is_last=rank == len(trees))
        copies.append(parsed)
    return copies


def fill_tree(
    sentence: Sentence, tree: ParseTree, options: ParseOptions, deprels: Sequence[str], columns: ColumnClasses
) -> None:
    """Give a sentence the heads and labels of a tree, the columns that it lacks and, if asked for, probabilities."""
    for word, head, label in zip(sentence.words, tree.heads, tree.labels, strict=True):
        word.head, word.deprel = head, deprels[label]
    fill_columns(sentence, tree.columns, columns)
    if options.probabilities:
        for word, head_prob, label_prob in zip(sentence.words, tree.head_probs, tree.label_probs, strict=True):
            set_misc(word, "HeadProb", f"{head_prob:.4f}")
            set_misc(word, "DeprelProb", f"{label_prob:.4f}")


def fill_columns(sentence: Sentence, predicted: PredictedColumns, columns: ColumnClasses) -> None:
    """Give words the predicted values that they lack.

    Features are filled in only where no word of the sentence has any: many words have none.
    """
    words = sentence.words
    for column, numbers in predicted.numbers.items():
        if column == "feats" and any(word.feats != "_" for word in words):
            continue
        for word, number in zip(words, numbers, strict=True):
            if getattr(word, column) == "_":
                setattr(word, column, columns.value(column, number, word.form))


def _set_apart(tree: Sentence, *, is_first: bool, is_last: bool) -> None:
    """Keep what starts a file before the first tree of a sentence, and an end without blank line after the last."""
    if not is_first:
        tree.leader = ""
    if not is_last:
        tree.trailer += tree.newline * max(0, 2 - tree.trailer.count("\n"))
