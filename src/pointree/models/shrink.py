"""Make a model smaller: weights in fewer bits, fewer rows in the word table, one decoder of several."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pointree.config import Config
from pointree.errors import ModelError, UsageError
from pointree.files import writing
from pointree.graphs.decoder import decoder_name
from pointree.models.folder import read_folder, save_folder, write_manifest
from pointree.models.graphs import add_graphs, has_graphs, named_precision, write_graphs
from pointree.models.layout import CALIBRATION, CARD, LANGUAGE, PRETRAINED, PRETRAINED_IDENTITY, TEXT_MODEL, WEIGHTS
from pointree.models.quantise import SCALE, Bits, check_bits, dequantise, quantise, round_to_4_bits
from pointree.pretrained.bert_folder import BERT_FILES, prune_pieces, read_bert
from pointree.pretrained.identity import read_identity, write_identity
from pointree.vocabulary import UNK, WordVocabulary

__all__ = ["pretrained_place", "shrink_model"]

_WORD_TABLE = "embeddings.words"
_ORDER_SCORES = "order_las"
_PIECE_TABLE = "embeddings.pretrained.model.model.embeddings.word_embeddings.weight"


def shrink_model(
    folder: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    words: int | None = None,
    keep: Iterable[str] = (),
    only: Iterable[str] | None = None,
    bits: Bits | None = None,
    word_bits: Literal[4] | None = None,
    latin: bool = False,
    precision: str | None = None,
    order: str | None = None,
) -> None:
    """Write a smaller copy of a model; a line at the end of its card says what was done.

        >>> pointree.shrink_model("model", "small", words=12_000, bits=8)

    With ``words``, only so many words keep their rows of the word table. The vocabulary has the words of the training
    data first, then those of pretrained vectors in the order of their file, both by falling frequency; so the rarest
    are dropped. Words that the training data has once, and the forms in ``keep``, stay in any case: give the forms of
    the training data, and nothing that was learned is lost. Words that stay are parsed as before; the others are
    looked up in lower case, and then count as unknown.

    With ``only``, no other words than these forms keep their rows, and no other forms are looked up for their lemmas.

    With ``latin``, a fine-tuned BERT loses the word pieces of scripts other than Latin and Greek.

    With ``bits``, weights are stored in so many: see `pointree.models.quantise.quantise`. With 8 of them, ``word_bits``
    can be 4 for the word table, which leaves room for about 1.7 times as many words.

    With ``precision``, ``fp32`` or ``int8``, the copy has graphs for the engine onnx and runs in that precision unless
    another is asked for; without, it keeps that of the model.

    A copy does not say in which folder of this machine the pretrained model was that was fine-tuned, only its name.

    With ``order``, a model of several orders keeps the decoder of this one alone: it is faster and still profits from
    having learned the others. Its probabilities are those of the one decoder; `pointree calibrate` fits them again.
    """
    folder, target = Path(folder), Path(target)
    if target.resolve() == folder.resolve():
        raise UsageError(f"{target}: a model cannot be shrunk into its own folder")
    check_bits(bits, word_bits)
    model = read_folder(folder)
    config, vocabularies, weights = model.config, model.vocabularies, model.weights
    done = []
    if order is not None:
        config, weights = _with_one_order(config, weights, order, folder)
        done.append(f"the decoder of {order} was kept alone")
    if words is not None or only is not None:
        forms = None if only is None else set(only)
        rows = _kept_rows(vocabularies.words, words or 0, keep) if forms is None else _rows(vocabularies.words, forms)
        if forms is not None:
            vocabularies = replace(vocabularies, columns=vocabularies.columns.looked_up(forms))
        done.append(f"{len(rows):,} of {len(vocabularies.words):,} words were kept")
        vocabularies = replace(vocabularies, words=_select(vocabularies.words, rows))
        for name in {_WORD_TABLE, _WORD_TABLE + SCALE} & weights.keys():
            weights[name] = weights[name][rows]
    if latin:
        if _PIECE_TABLE not in weights or read_bert(folder / PRETRAINED) is None:
            raise UsageError(f"{folder}: expected a fine-tuned BERT, to leave out word pieces of it, found none")
        pieces = prune_pieces(folder / PRETRAINED, target / PRETRAINED)
        done.append(
            f"{len(pieces):,} of {len(weights[_PIECE_TABLE]):,} word pieces, those of Latin and Greek script, were kept"
        )
        for name in {_PIECE_TABLE, _PIECE_TABLE + SCALE} & weights.keys():
            weights[name] = weights[name][pieces]
    if bits is not None:
        done.append(f"weights were rounded to {bits} bits{', those of words to 4' if word_bits else ''}")
        try:
            full = dequantise(weights)
            if word_bits and _WORD_TABLE in full:
                full[_WORD_TABLE] = round_to_4_bits(full[_WORD_TABLE])
            weights = quantise(full, bits)
        except ModelError as error:
            raise ModelError(f"{folder / WEIGHTS}: {error}") from None
    card = (folder / CARD).read_text(encoding="utf-8") if (folder / CARD).is_file() else ""
    if place := pretrained_place(config):
        config = _renamed(config, place.name)
    if done:
        card = f"{card.rstrip()}\n\nAfter training, {' and '.join(done)}.\n".lstrip()
    if precision is not None:
        card = f"{card.rstrip()}\n\nIt runs in the precision {precision} unless another is asked for.\n".lstrip()
    save_folder(target, config, vocabularies, weights, card, segmenter=model.segmenter)
    others = (folder / name for name in (CALIBRATION, LANGUAGE, TEXT_MODEL, PRETRAINED_IDENTITY))
    _copy([*others, *folder.glob("LICEN[CS]E*")], target)
    if place:
        write_identity(
            target / PRETRAINED_IDENTITY, replace(read_identity(folder / PRETRAINED_IDENTITY), name=place.name)
        )
    written = BERT_FILES if latin else ()
    _copy((path for path in folder.glob(f"{PRETRAINED}/*") if path.name not in written), target / PRETRAINED)
    write_manifest(target)
    if precision is not None:
        write_graphs(target, precision)
    elif has_graphs(folder):
        add_graphs(target, named_precision(folder))


def pretrained_place(config: Config) -> Path | None:
    """The folder from which a fine-tuned model took its pretrained part, if its settings still name one.

    The weights are in the model itself, so that nobody needs the folder; a Hub id says where they come from, and stays.
    """
    settings = config.embeddings.pretrained
    place = Path(settings.model)
    is_folder = place.is_absolute() or settings.model.startswith((".", "~")) or place.is_dir()
    return place if settings.fine_tune and is_folder and place.name != settings.model else None


def _renamed(config: Config, name: str) -> Config:
    pretrained = replace(config.embeddings.pretrained, model=name)
    return replace(config, embeddings=replace(config.embeddings, pretrained=pretrained))


def _with_one_order(
    config: Config, weights: Mapping[str, np.ndarray], order: str, folder: Path
) -> tuple[Config, dict[str, np.ndarray]]:
    """The settings and weights of a model of which one decoder is left; see `PointerNetwork` for their names."""
    orders = config.decoder.orders
    if len(orders) == 1 or order not in orders:
        found = ", ".join(orders)
        raise UsageError(f"{folder}: expected a model of several orders, {order} among them, found {found}")
    single = replace(config, decoder=replace(config.decoder, order=order))
    kept, others = f"{decoder_name(config, order)}.", tuple(f"{decoder_name(config, each)}." for each in orders)
    left = {name: array for name, array in weights.items() if not name.startswith(others) and name != _ORDER_SCORES}
    renamed = {name: array for name, array in weights.items() if name.startswith(kept)}
    return single, left | {
        f"{decoder_name(single, order)}.{name.removeprefix(kept)}": array for name, array in renamed.items()
    }


def _kept_rows(vocabulary: WordVocabulary, words: int, keep: Iterable[str]) -> NDArray[np.int64]:
    n_specials = len(vocabulary.specials)
    kept = vocabulary.singletons.copy()
    kept[: n_specials + words] = True
    kept[[number for form in keep if (number := vocabulary.lookup(form)) != UNK]] = True
    return np.flatnonzero(kept)


def _rows(vocabulary: WordVocabulary, forms: Iterable[str]) -> NDArray[np.int64]:
    """The rows of these forms, after those that are no words."""
    numbers = {number for form in forms if (number := vocabulary.lookup(form)) >= len(vocabulary.specials)}
    return np.array([*range(len(vocabulary.specials)), *sorted(numbers)], dtype=np.int64)


def _select(vocabulary: WordVocabulary, rows: NDArray[np.int64]) -> WordVocabulary:
    """The words of these rows, renumbered in the same order."""
    symbols = [vocabulary.symbols[row] for row in rows[len(vocabulary.specials) :]]
    return WordVocabulary(symbols, np.flatnonzero(vocabulary.singletons[rows]).tolist())


def _copy(files: Iterable[Path], target: Path) -> None:
    for file in files:
        if file.is_file():
            with writing(target / file.name):
                target.mkdir(exist_ok=True)
                shutil.copyfile(file, target / file.name)
