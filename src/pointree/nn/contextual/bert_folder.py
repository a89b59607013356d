"""The folder of a BERT: `config.json`, `tokenizer.json` and `tokenizer_config.json`, read without `transformers`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from pointree.errors import ModelError
from pointree.files import atomic_write
from pointree.nn.contextual.bert import Bert, BertSettings
from pointree.nn.contextual.word_pieces import WordPieces

__all__ = ["copy_bert", "read_bert"]

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
        with atomic_write(target / name) as stream:
            json.dump(_read(source / name), stream, ensure_ascii=False, separators=(",", ":"))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    return found if isinstance(found, dict) else {}
