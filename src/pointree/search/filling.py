"""From trees to sentences: heads, labels, predicted columns and probabilities are written into their rows."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from pointree.options import ParseOptions
from pointree.search.columns import PredictedColumns
from pointree.search.result import ParseTree
from pointree.treebank.sentence import PROBABILITIES, Sentence, set_misc
from pointree.vocabulary import ColumnClasses

__all__ = ["Filling"]


def _as_it_is(_quantity: str, probability: float) -> float:
    return probability


@dataclass(frozen=True, slots=True)
class Filling:
    """What the numbers of a model mean, and how they are written.

    Attributes:
        deprels: The names of the labels.
        columns: What the classes of predicted columns mean.
        reported: Turns a probability of the network into the one to report; see `pointree.models.calibration`.
    """

    deprels: Sequence[str]
    columns: ColumnClasses
    reported: Callable[[str, float], float] = _as_it_is

    def sentences(self, sentence: Sentence, trees: Sequence[ParseTree], options: ParseOptions) -> list[Sentence]:
        """A sentence with its tree, or copies of it with the best trees."""
        if options.n_best == 1:
            self.fill_tree(sentence, trees[0], options)
            return [sentence]
        copies = []
        for rank, tree in enumerate(trees, 1):
            parsed = sentence.copy()
            self.fill_tree(parsed, tree, options)
            parsed.set_meta("tree_rank", str(rank))
            parsed.set_meta("tree_log_prob", f"{tree.log_prob:.4f}")
            _set_apart(parsed, is_first=rank == 1, is_last=rank == len(trees))
            copies.append(parsed)
        return copies

    def fill_tree(self, sentence: Sentence, tree: ParseTree, options: ParseOptions) -> None:
        """Give a sentence the heads and labels of a tree, the columns that it lacks and what is said of their
        probabilities.
        """
        for word, head, label in zip(sentence.words, tree.heads, tree.labels, strict=True):
            word.head, word.deprel = head, self.deprels[label]
        filled = self.fill_columns(sentence, tree.columns)
        _forget_probabilities(sentence, filled)
        if options.needs_probabilities:
            probs = {"head": tree.head_probs, "deprel": tree.label_probs, **tree.columns.probs}
            for place in range(len(sentence)):
                chosen = {name: values[place] for name, values in probs.items() if place in filled.get(name, (place,))}
                self._tell(sentence, place, chosen, options)

    def fill_columns(self, sentence: Sentence, predicted: PredictedColumns) -> dict[str, Container[int]]:
        """Give words the predicted values that they lack, and return the places of those words in each column.

        Features are filled in only where no word of the sentence has any: many words have none.
        """
        words, forms = sentence.words, sentence.forms
        filled: dict[str, Container[int]] = {}
        for column, numbers in predicted.numbers.items():
            given = list(map(attrgetter(column), words))
            n_missing = given.count("_")
            tags = list(map(attrgetter("upos"), words))  # given, or filled in before: UPOS comes first
            if n_missing == len(words):  # all of raw text
                for word, value in zip(words, self.columns.values(column, numbers, forms, tags), strict=True):
                    setattr(word, column, value)
                filled[column] = range(len(words))
                continue
            places = {place for place, value in enumerate(given) if value == "_"} if column != "feats" else set()
            for place in places:
                setattr(words[place], column, self.columns.value(column, numbers[place], forms[place], tags[place]))
            filled[column] = places
        return filled

    def _tell(self, sentence: Sentence, place: int, probs: dict[str, float], options: ParseOptions) -> None:
        """Write the probabilities of a word, and what is below the least confidence."""
        word = sentence.words[place]
        reported = {name: self.reported(name, prob) for name, prob in probs.items()}
        if options.probabilities:
            for name, prob in reported.items():
                set_misc(word, PROBABILITIES[name], f"{prob:.4f}")
        low = [name for name, prob in reported.items() if prob < options.min_confidence]
        if options.min_confidence:
            set_misc(word, "LowConfidence", ",".join(low) or None)


def _forget_probabilities(sentence: Sentence, filled: Mapping[str, Container[int]]) -> None:
    """Take out what MISC says of the probabilities of values that were replaced."""
    for place, word in enumerate(sentence.words):
        if "Prob=" in word.misc or "LowConfidence=" in word.misc:
            replaced = ("head", "deprel", *(name for name, places in filled.items() if place in places))
            for attribute in (*(PROBABILITIES[name] for name in replaced), "LowConfidence"):
                set_misc(word, attribute, None)


def _set_apart(tree: Sentence, *, is_first: bool, is_last: bool) -> None:
    """Keep what starts a file before the first tree of a sentence, and an end without blank line after the last."""
    if not is_first:
        tree.leader = ""
    if not is_last:
        tree.trailer += tree.newline * max(0, 2 - tree.trailer.count("\n"))
