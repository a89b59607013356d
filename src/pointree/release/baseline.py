"""UDPipe 1 with its defaults, trained on the same files: what a model has to beat.

The trainer is one long C++ call. It runs in a process of its own, which ^C ends, and its report goes to a log. The
tokeniser, the tagger and the parser are trained and kept one by one, so that a run that was stopped goes on. The last
of them, which learns from the tags of the tagger as by default, has all three.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pointree.errors import TrainingError
from pointree.files import make_folder
from pointree.text.udpipe_library import ufal
from pointree.treebank.conllu import format_sentence
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence

__all__ = ["PARTS", "UdpipeBaseline", "train_baseline"]

PARTS = ("tokenizer", "tagger", "parser")

_TRAINER = """
import sys
from pathlib import Path
from ufal import udpipe

def read(path):
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    sentences, sentence, error = udpipe.Sentences(), udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
    if error.occurred():
        sys.exit(error.message)
    return sentences

train, dev, output, *options = sys.argv[1:]
error = udpipe.ProcessingError()
model = udpipe.Trainer.train("morphodita_parsito", read(train), read(dev), *options, error)
if error.occurred():
    sys.exit(error.message)
Path(output + ".new").write_bytes(model)
Path(output + ".new").replace(output)
"""


def train_baseline(
    train: Path,
    dev: Path,
    folder: Path,
    *,
    options: Mapping[str, str] | None = None,
    on_part: Callable[[str], None] | None = None,
) -> UdpipeBaseline:
    """Train the parts of UDPipe 1 that the folder does not have yet, and load them.

    ``options`` are those of some parts; without them, a part has its defaults. The log of each part is beside it.
    """
    make_folder(folder)
    for part in PARTS:
        output = folder / f"{part}.udpipe"
        if output.exists():
            continue
        if on_part is not None:
            on_part(part)
        other = "from_model=file:{}.udpipe" if part == PARTS[-1] else "none"
        chosen = [(options or {}).get(part, "") if each == part else other.format(each) for each in PARTS]
        command = [sys.executable, "-c", _TRAINER, str(train.resolve()), str(dev.resolve()), output.name, *chosen]
        with open(folder / f"{part}.log", "w", encoding="utf-8") as log:
            code = subprocess.run(command, stderr=log, stdout=log, cwd=folder, check=False).returncode
        if code:
            raise TrainingError(f"{output}: UDPipe's trainer ended with code {code}; see {folder / f'{part}.log'}")
    return UdpipeBaseline(folder / f"{PARTS[-1]}.udpipe")


class UdpipeBaseline:
    """A trained model of UDPipe 1."""

    def __init__(self, path: Path) -> None:
        self.model = ufal.Model.load(str(path))
        if self.model is None:
            raise TrainingError(f"{path}: UDPipe cannot load this model")

    def from_text(self, text: str) -> Iterable[Sentence]:
        """The sentences of a raw text."""
        tokenizer = self.model.newTokenizer(ufal.Model.DEFAULT)
        tokenizer.setText(text)
        return self._annotated(tokenizer)

    def from_words(self, sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        """Sentences of gold words without annotation, annotated."""
        reader = ufal.InputFormat.newConlluInputFormat()
        reader.setText("".join(map(format_sentence, sentences)))
        return self._annotated(reader)

    def _annotated(self, reader: Any) -> Iterator[Sentence]:
        writer = ufal.OutputFormat.newConlluOutputFormat()
        sentence, error = ufal.Sentence(), ufal.ProcessingError()
        while reader.nextSentence(sentence, error):
            for step in (self.model.tag, self.model.parse):
                if not step(sentence, ufal.Model.DEFAULT, error):
                    raise TrainingError(f"UDPipe: {error.message}")
            yield from read_treebank(io.StringIO(writer.writeSentence(sentence)), format="conllu")
        if error.occurred():
            raise TrainingError(f"UDPipe: {error.message}")
