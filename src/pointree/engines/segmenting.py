"""What cuts raw text of a model folder, without the rest of the model: for a process that leaves parsing to others."""

from __future__ import annotations

from collections.abc import Sequence

from pointree.engines.numpy_segmenter import numpy_segmenter
from pointree.errors import ModelError
from pointree.models.folder import read_segmenter_part
from pointree.models.layout import SEGMENTER, TEXT_MODEL
from pointree.models.registry import resolve_model
from pointree.text.reading import Segmenter
from pointree.text.udpipe import TextModel

__all__ = ["load_segmenter"]


def load_segmenter(models: Sequence[str]) -> Segmenter:
    """The segmenter of the first of these models that has one, or its tokeniser; if none has, a `ModelError`.

    It runs in numpy whatever engine parses. The weights that it does not need stay in their file.
    """
    for model in models:
        folder = resolve_model(model)
        if (folder / SEGMENTER).exists():
            return numpy_segmenter(*read_segmenter_part(folder), name=str(folder))
        if (folder / TEXT_MODEL).exists():
            return TextModel.load(folder / TEXT_MODEL)
    problem = "this model cannot read raw text, it has no segmenter; give it words (--from words)"
    raise ModelError(f"{models[0]}: {problem}")
