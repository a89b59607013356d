"""The folder of a BERT: `config.json`, `tokenizer.json` and `tokenizer_config.json`, read without `transformers`."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pointree.errors import ModelError
from pointree.files import atomic_write, make_folder, read_bounded, reading_part
from pointree.pretrained.bert_settings import BertSettings
from pointree.pretrained.word_pieces import WordPieces

__all__ = ["BERT_FILES", "copy_bert", "prune_pieces", "read_bert"]

BERT_FILES = CONFIG, TOKENIZER, TOKENIZER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
_HUGE = 1 << 62

_MAX_BYTES = 1 << 26
"""Bytes of a file: the tokenisers of a hundred languages have about 17 MB."""


def read_bert(folder: Path) -> tuple[BertSettings, WordPieces] | None:
    """The shape of a BERT whose weights come from elsewhere, and its tokeniser; None if the folder has none."""
    if not (folder / TOKENIZER).exists():
        return None
    config, tokenizer, about = (_read(folder / name) for name in BERT_FILES)
    if not BertSettings.describes(config) or not WordPieces.describes(tokenizer):
        return None
    try:
        settings = BertSettings.of(config)
        pieces = WordPieces(tokenizer, int(about.get("model_max_length", _HUGE)))
        if max(pieces.vocabulary.values()) >= settings.vocab_size:
            raise ModelError(
                f"pretrained model {folder}: expected a tokeniser of up to {settings.vocab_size:,} sub-words, "
                f"found one of {max(pieces.vocabulary.values()) + 1:,}"
            )
        return settings, pieces
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ModelError(f"pretrained model {folder}: expected a BERT, found damaged settings ({error})") from None


def copy_bert(source: Path, target: Path) -> None:
    """Write the files that `read_bert` reads, as compact as can be."""
    for name in BERT_FILES:
        _write(target / name, _read(source / name))


def prune_pieces(source: Path, target: Path) -> list[int]:
    """Write a BERT's files without the word pieces of scripts that are neither Latin nor Greek, and the unused ones.

    Returns the rows of its table of sub-words that are left. Words of Latin script are read as before.
    """
    config, tokenizer = _read(source / CONFIG), _read(source / TOKENIZER)
    special = {token["content"] for token in tokenizer["added_tokens"]}
    pieces = sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
    kept = [(piece, row) for piece, row in pieces if piece in special or not _is_foreign(piece)]
    numbers = {piece: number for number, (piece, _row) in enumerate(kept)}
    tokenizer["model"]["vocab"] = numbers
    for token in tokenizer["added_tokens"]:
        token["id"] = numbers[token["content"]]
    for name, token in tokenizer["post_processor"]["special_tokens"].items():
        token["ids"] = [numbers[name]]
    copy_bert(source, target)
    _write(target / CONFIG, {**config, "vocab_size": len(kept)})
    _write(target / TOKENIZER, tokenizer)
    return [row for _piece, row in kept]


def _is_foreign(piece: str) -> bool:
    """Whether a piece has letters of a script without capitals, as Chinese or Arabic, or of Cyrillic and the like."""
    if piece.startswith("[unused"):
        return True
    names = [(unicodedata.category(each), unicodedata.name(each, "")) for each in piece]
    return any(
        name.startswith(("CYRILLIC", "ARMENIAN", "GEORGIAN")) or (category == "Lo" and "ORDINAL" not in name)
        for category, name in names
    )


def _write(path: Path, content: Mapping[str, Any]) -> None:
    make_folder(path.parent)
    with atomic_write(path) as stream:
        json.dump(content, stream, ensure_ascii=False, separators=(",", ":"))


def _read(path: Path) -> dict[str, Any]:
    with reading_part(path):
        content = read_bounded(path, _MAX_BYTES)
    try:
        found = json.loads(content.decode())
    except (RecursionError, ValueError) as error:
        raise ModelError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    if not isinstance(found, dict):
        raise ModelError(f"{path}: expected a JSON object, found {type(found).__name__}")
    return found
