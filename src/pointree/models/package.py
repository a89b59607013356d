"""From a trained folder to a wheel: the folder is checked, made smaller if asked, and packed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pointree.errors import UsageError
from pointree.models.quantise import check_bits
from pointree.models.registry import available_models
from pointree.models.wheel import check_name, check_version, write_wheel

__all__ = ["package"]


def package(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str] = ".",
    *,
    name: str | None = None,
    version: str = "1.0.0",
    bits: int | None = None,
    word_bits: int | None = None,
    prune_words: int | None = None,
    keep_words: Sequence[str | os.PathLike[str]] = (),
    latin_pieces: bool = False,
    engine: str | None = None,
    precision: str | None = None,
    order: str | None = None,
) -> Path:
    """Make a wheel of a trained model and return its path.

        >>> pointree.package("model", "dist", name="legal", bits=8)

    After ``pip install`` of the wheel, `pointree.load` and ``--model`` take the name. The wheel has the model and its
    card, not the checkpoint and metrics of the training. The same folder and options make the same bytes.

    Args:
        folder: A trained model.
        output: The folder for the wheel.
        name: The name of the model; that of the folder by default.
        version: The version of the wheel.
        bits: Store weights in 16 bits, or matrices in 8 and the rest in 16; 32 by default. In 8 bits, large matrices
            are stored as the precision int8 multiplies them.
        word_bits: With 8 `bits`, 4 stores the word table in half the space.
        prune_words: Keep only so many words of the vocabulary: those of the training data, then those of pretrained
            vectors, frequent ones first. Words seen once in training are kept too.
        keep_words: With `prune_words`: treebanks, such as the training data, of which all words are kept.
        latin_pieces: Keep only the word pieces of Latin and Greek script in a fine-tuned BERT.
        engine: With ``onnx``, the folder gets graphs for the engine onnx first, or new ones.
        precision: The precision, ``fp32`` or ``int8``, in which the model runs on the engine onnx unless another is
            asked for.
        order: Of a model with several orders, keep the decoder of this one alone, which is faster.
    """
    folder, output = Path(folder), Path(output)
    name = check_name(folder.resolve().name if name is None else name)
    check_version(version)
    if keep_words and prune_words is None:
        raise UsageError("keep_words: expected prune_words with it, found none")
    check_bits(bits, word_bits)
    if any(model.name == name and model.origin == "bundled" for model in available_models()):
        raise UsageError(f"name must not be that of a bundled model, which would be found first; found {name}")

    if engine not in (None, "onnx"):
        raise UsageError(f"engine must be onnx, found {engine}")
    if precision not in (None, "fp32", "int8"):
        raise UsageError(f"precision must be fp32 or int8, found {precision}")

    from pointree.models.folder import read_folder
    from pointree.models.graphs import write_graphs
    from pointree.models.layout import TEXT_MODEL
    from pointree.models.shrink import pretrained_place, shrink_model
    from pointree.text.udpipe import TextModel

    if (folder / TEXT_MODEL).exists():
        TextModel.load(folder / TEXT_MODEL)
    if engine == "onnx":
        write_graphs(folder, precision)
    as_it_is = prune_words is None and bits is None and not latin_pieces and precision is None and order is None
    if as_it_is and pretrained_place(read_folder(folder).config) is None:
        return write_wheel(folder, output, name=name, version=version)
    with tempfile.TemporaryDirectory() as temporary:
        shrunk = Path(temporary) / "model"
        shrink_model(
            folder,
            shrunk,
            words=prune_words,
            keep=_forms(keep_words),
            bits=bits,  # type: ignore[arg-type]  # checked above
            word_bits=word_bits,  # type: ignore[arg-type]  # checked above
            latin=latin_pieces,
            precision=precision,
            order=order,
        )
        return write_wheel(shrunk, output, name=name, version=version)


def _forms(treebanks: Sequence[str | os.PathLike[str]]) -> Iterator[str]:
    from pointree.treebank.formats import read_treebank

    for path in treebanks:
        for sentence in read_treebank(path):
            yield from sentence.forms
