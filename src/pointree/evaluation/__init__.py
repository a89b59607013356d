"""Scores of parsed files against gold files, equal to those of the official CoNLL 2018 evaluator."""

from pointree.evaluation.score import Score
from pointree.evaluation.scores import Evaluation, evaluate

__all__ = ["Evaluation", "Score", "evaluate"]
