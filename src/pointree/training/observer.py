"""What a training run tells while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pointree.training.text_model import TextProgress

__all__ = ["TrainingObserver"]


class TrainingObserver:
    """Told how a training run goes on; this one does nothing. Override what you want to know."""

    def notice(self, line: str) -> None:
        """Something is worth knowing, and no fault."""

    def stage_progressed(self, stage: str, done: int, total: int) -> None:
        """A stage of the run, such as ``reading`` or ``calibration``, has done so much of its work."""

    def features_computed(self, done: int, total: int) -> None:
        """A frozen pretrained model has read so many sentences, of so many that it has to."""

    def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
        """An epoch over so many words begins."""

    def epoch_resumed(self, words: int, seconds: float) -> None:
        """Of the epoch that began, so many words were learned in so much time before the run was stopped."""

    def batch_done(self, words: int, loss: float) -> None:
        """A batch was learned; the loss is that of an average word."""

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        """An epoch was learned and evaluated; for the metrics see `pointree.models.layout.METRICS`."""

    def text_model_progressed(self, progress: TextProgress) -> None:
        """The training of a tokeniser or a tagger went on by a step or a second."""
