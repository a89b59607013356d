"""Stanza: its own reader, its graph-based parser with gold tags, its own writer. Its threads are torch's."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import stanza
from stanza.models import parser as stanza_parser
from stanza.utils.conll import CoNLL

from treebank import blocks, word_rows

STEPS, STEP_WORDS, DEFAULT_BATCH_WORDS = 40, 500, 5000
VECTOR_SIZE = 100


def prepare(train: Path, folder: Path) -> None:
    """Train for some small steps with default sizes; the pretrained vectors that it wants are random ones."""
    forms = dict.fromkeys(row[1].replace(" ", "\xa0") for block in blocks(train) for row in word_rows(block))
    vectors, dev = folder / "vectors.txt", folder / "dev.conllu"
    _write_vectors(list(forms), vectors)
    dev.write_text("".join(islice(blocks(train), 50)), encoding="utf-8")
    options = {
        "--train_file": train,
        "--eval_file": dev,
        "--wordvec_file": vectors,
        "--wordvec_pretrain_file": folder / "vectors.pt",
        "--save_dir": folder,
        "--save_name": "model.pt",
        "--lang": "xx",
        "--shorthand": "xx_peer",
        "--max_steps": STEPS,
        "--eval_interval": STEPS,
        "--batch_size": STEP_WORDS,
    }
    arguments = [str(part) for pair in options.items() for part in pair]
    stanza_parser.main([*arguments, "--no_checkpoint", "--cpu"])
    (folder / "resources.json").write_text("{}")  # a list of models to download, without which no pipeline starts
    vectors.unlink()
    dev.unlink()


def _write_vectors(forms: list[str], path: Path) -> None:
    numbers = random.Random(1)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f"{len(forms)} {VECTOR_SIZE}\n")
        for form in forms:
            values = " ".join(f"{numbers.gauss(0, 0.1):.4f}" for _ in range(VECTOR_SIZE))
            stream.write(f"{form} {values}\n")


def load(folder: Path, settings: dict[str, Any], processes: int) -> Callable[[Path, Path], None]:
    """A function that parses a file into another."""
    pipeline = stanza.Pipeline(
        lang="xx",
        dir=str(folder),
        processors="depparse",
        download_method=None,
        allow_unknown_language=True,
        use_gpu=False,
        depparse_pretagged=True,
        depparse_model_path=str(folder / "model.pt"),
        depparse_pretrain_path=str(folder / "vectors.pt"),
        depparse_batch_size=DEFAULT_BATCH_WORDS,  # the model remembers the small one that it was trained with
    )

    def parse(source: Path, target: Path) -> None:
        CoNLL.write_doc2conll(pipeline(CoNLL.conll2doc(str(source))), str(target))

    return parse
