"""The folder of a BERT: `config.json`, `tokenizer.json` and `tokenizer_config.json`, read without `transformers`."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from pointree.errors import ModelError
from pointree.files import atomic_write
from pointree.nn.contextual.bert import Bert, BertSettings
from pointree.nn.contextual.word_pieces import WordPieces

__all__ = ["copy_bert", "prune_pieces", "read_bert"]

CONFIG, TOKENIZER, TOKENIZER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
_HUGE = 1 << 62


def read_bert(folder: Path) -> tuple[Bert, WordPieces] | None:
    """A BERT whose weights come from elsewhere, and its tokeniser; None if the folder has anything else."""
    config, tokenizer, about = (_read(folder / name) for name in (CONFIG, TOKENIZER, TOKENIZER_CONFIG))
    settings = BertSettings.of(config)
    pieces = WordPieces.of(tokenizer, int(about.get("model_max_length", _HUGE)))
    if settings is None or pieces is None:
        return None
    if len(pieces.vocabulary) > settings.vocab_size:
        raise ModelError(
            f"encoder {folder}: expected a tokeniser of up to {settings.vocab_size:,} sub-words, found one of "
            f"{len(pieces.vocabulary):,}"
        )
    with torch.device("meta"):  # the weights are about to be replaced
        return Bert(settings).eval(), pieces


def copy_bert(source: Path, target: Path) -> None:
    """Write the files that `read_bert` reads."""
    target.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, TOKENIZER, TOKENIZER_CONFIG):
        _write(target / name, _read(source / name))


def prune_pieces(source: Path, target: Path) -> list[int]:
    """Write a BERT's files without the word pieces that have letters of other scripts than Latin, and the unused ones.

    Returns the rows of its table of sub-words that are left. Words in Latin script are read as before.
    """
    config, tokenizer = _read(source / CONFIG), _read(source / TOKENIZER)
    special = {token["content"] for token in tokenizer["added_tokens"]}
    pieces = sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
    kept = [(piece, row) for piece, row in pieces if piece in special or _is_latin(piece)]
    numbers = {piece: number for number, (piece, _row) in enumerate(kept)}
    tokenizer["model"]["vocab"] = numbers
    for token in tokenizer["added_tokens"]:
        token["id"] = numbers[token["content"]]
    for name, token in tokenizer["post_processor"]["special_tokens"].items():
        token["ids"] = [numbers[name]]
    config["vocab_size"] = len(kept)
    copy_bert(source, target)
    for name, content in ((CONFIG, config), (TOKENIZER, tokenizer)):
        _write(target / name, content)
    return [row for _piece, row in kept]


def _is_latin(piece: str) -> bool:
    if piece.startswith("[unused"):
        return False
    return all(not each.isalpha() or "LATIN" in unicodedata.name(each, "") for each in piece)


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with atomic_write(path) as stream:
        json.dump(content, stream, ensure_ascii=False, separators=(",", ":"))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    return found if isinstance(found, dict) else {}
