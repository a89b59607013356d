"""Scores of parsed files and of models against gold files, equal to those of the official evaluator."""

from pointree.evaluation.run import evaluate
from pointree.evaluation.score import Score
from pointree.evaluation.scores import Evaluation, score_sentences

__all__ = ["Evaluation", "Score", "evaluate", "score_sentences"]
