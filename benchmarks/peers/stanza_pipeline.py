"""Stanza: its English models of the treebank EWT, as its authors offer them; they have to be on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import stanza
from run_peer import Parse
from stanza.utils.conll import CoNLL

PARTS = "tokenize,mwt,pos,lemma,depparse"


def prepare(train: Path, dev: Path, folder: Path, *, short: bool) -> NoReturn:
    """Stanza is not trained here: without its pretrained vectors and character models it would be another parser."""
    raise RuntimeError("Stanza is measured with the models of its authors only")


def load(folder: Path, settings: dict[str, Any]) -> tuple[Parse, str]:
    """A function that parses a text file into a CoNLL-U file, and what it computes with."""
    if not (folder / "resources.json").is_file():
        raise RuntimeError(
            f'{folder}: expected the files of Stanza, found none; python -c "import stanza; '
            f"stanza.download('en', package='ewt', model_dir='{folder}')\" gets them where there is a network"
        )
    pipeline = stanza.Pipeline(
        "en", package="ewt", processors=PARTS, dir=str(folder), download_method=None, use_gpu=False
    )

    def parse(source: Path, target: Path) -> None:
        CoNLL.write_doc2conll(pipeline(source.read_text(encoding="utf-8")), str(target))

    return parse, "torch, fp32"
