"""What every engine offers to the parser: sentences in, an encoded batch out, whose branches the search steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pointree.batches.features import Featurizer, NumberedSentence
from pointree.search.branch import Encoded
from pointree.search.resumable import Resumable
from pointree.text.char_segmenter import CharSegmenter

__all__ = ["Engine"]


class Engine(Protocol):
    """The network of a model, ready to compute.

    Attributes:
        name: How users call the engine: ``torch`` or ``onnx``.
        precision: The arithmetic: ``fp32``, ``bf16`` or ``int8``.
        batch_sentences: Sentences beyond which a batch gets no faster.
        featurizer: Turns sentences into the numbers that the network reads.
    """

    name: str
    batch_sentences: int

    @property
    def precision(self) -> str: ...

    @property
    def featurizer(self) -> Featurizer: ...

    @property
    def best_order(self) -> str:
        """The order that does best on its own, in a model that has several."""

    @property
    def segmenter(self) -> CharSegmenter | None:
        """What cuts raw text into sentences, if the model has a segmenter of its own."""

    def encode_steps(
        self, sentences: Sequence[NumberedSentence], orders: Sequence[str] | None = None
    ) -> Resumable[Encoded]:
        """Encode sentences, sorted by falling length, for the decoders of some orders or all; with pauses."""

    def save(self, folder: Path, card: str, *, bundle_pretrained: bool = False) -> None:
        """Write the model to a folder."""
