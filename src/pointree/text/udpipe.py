"""A UDPipe 1 model as pointree uses it: a tokeniser and a tagger in one file.

`ufal.udpipe` keeps the interpreter lock during every call, and a tokeniser object belongs to one call of
`segment`; so threads may share a `TextModel`, and gain nothing by it (two threads tag as fast as one).
"""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from pointree.errors import ModelError, UsageError
from pointree.files import reading
from pointree.options import SentenceBreaks
from pointree.text.cleaning import CleanText
from pointree.text.pieces import InPieces
from pointree.text.udpipe_library import ufal
from pointree.treebank.sentence import Sentence, Token

__all__ = ["TextModel"]

_SIGNATURE = b"\x12morphodita_parsito"
"""The first bytes of every UDPipe 1 model: the length of a name, and the name."""

# The C++ library reads text up to the first NUL, and UTF-8 cannot write half of a surrogate pair.
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")

_COLUMNS = ("upos", "xpos", "feats", "lemma")


class TextModel:
    """Raw text to sentences of words, and words to UPOS, XPOS, FEATS and LEMMA.

    It never changes, so `copy.deepcopy` returns the same object. A pickle has the content of the model file.
    """

    def __init__(self, model: Any, name: str, content: bytes | None = None) -> None:
        self._model = model
        self._content = content
        self.name = name

    def __deepcopy__(self, _memo: dict[int, Any]) -> TextModel:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_content, (self.content(), self.name)

    def content(self) -> bytes:
        """The content of the model file."""
        if self._content is not None:
            return self._content
        with reading(self.name):
            return Path(self.name).read_bytes()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextModel:
        """Read a model file as UDPipe 1 writes it."""
        name = os.fspath(path)
        if not os.path.isfile(name):
            raise ModelError(f"{name}: expected a file with a UDPipe model, found {_kind(name)}")
        if not os.access(name, os.R_OK):
            raise ModelError(f"{name}: no permission to read this UDPipe model")
        model = _load(name)
        if model is None:
            found = f"{os.path.getsize(name):,} bytes that are not one, or damaged"
            raise ModelError(f"{name}: expected a UDPipe 1 model, found {found}")
        return cls(model, name)

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        """The sentences of a document, each with whether it begins a paragraph; see `pointree.text.reading`."""
        return InPieces(self).sentences(blocks, breaks)

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        """Cut text into sentences of words, with multiword ranges and SpaceAfter=No, and without comments.

        A blank line ends a paragraph, any other white space separates tokens and is written as one space.
        With `presegmented`, each line is a sentence. This takes the text as it is: for text from outside,
        with all that Unicode can hold, see `segment_text` and `read_text`.
        """
        if found := _UNREADABLE.search(text):
            raise UsageError(f"text: U+{ord(found[0]):04X} at character {found.start()} cannot be segmented")
        options = "normalized_spaces;presegmented" if presegmented else "normalized_spaces"
        tokenizer = self._model.newTokenizer(options)
        if tokenizer is None:
            raise ModelError(f"{self.name}: this model has no tokeniser")
        # Without white space at its end, UDPipe gives the last word of a text SpaceAfter=No.
        tokenizer.setText(text + "\n")
        raw, error = ufal.Sentence(), ufal.ProcessingError()
        while tokenizer.nextSentence(raw, error):
            yield _to_sentence(raw)
        if error.occurred():
            raise ModelError(f"{self.name}: {error.message}")

    def tag(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Copies of the sentences with new UPOS, XPOS, FEATS and LEMMA in their words; all else is kept.

        Words keep their LEMMA under a model that was trained without lemmas.
        """
        for sentence in sentences:
            tagged = sentence.copy()
            self.fill(tagged, replace=True)
            yield tagged

    def fill(self, sentence: Sentence, *, replace: bool, columns: Collection[str] = _COLUMNS) -> None:
        """Give the words of a sentence UPOS, XPOS, FEATS and LEMMA, or, without ``replace``, those that they lack.

        Only these ``columns`` are written.
        """
        for word, tags in zip(sentence.words, self._tags(sentence.forms), strict=True):
            for column, value in zip(_COLUMNS, tags, strict=True):
                if column not in columns:
                    continue
                empty = column == "lemma" and value == "_"  # the model was trained without lemmas
                if getattr(word, column) == "_" or (replace and not empty):
                    setattr(word, column, value)

    def _tags(self, forms: list[str]) -> list[tuple[str, str, str, str]]:
        raw, error = ufal.Sentence(), ufal.ProcessingError()
        for number, form in enumerate(forms, 1):
            if found := _UNREADABLE.search(form):
                raise UsageError(f"word {number}: expected text, found U+{ord(found[0]):04X} in {form!r}")
            raw.addWord(form)
        if not self._model.tag(raw, "", error):
            problem = error.message if error.occurred() else "this model has no tagger"
            raise ModelError(f"{self.name}: {problem}")
        words = list(raw.words)[1:]
        return [(_column(w.upostag), _column(w.xpostag), _column(w.feats), _column(w.lemma)) for w in words]


def _load(path: str) -> Any:
    """The model of a file, or None. What follows a wrong signature can abort the process, so it is looked at first."""
    with open(path, "rb") as stream:
        if stream.read(len(_SIGNATURE)) != _SIGNATURE:
            return None
    return ufal.Model.load(path)


def _from_content(content: bytes, name: str) -> TextModel:
    """The model of a file that need not exist any more; UDPipe reads files only, so a temporary one is written."""
    with tempfile.TemporaryDirectory(prefix="pointree-") as folder:
        path = Path(folder, "model.udpipe")
        path.write_bytes(content)
        model = _load(str(path))
    if model is None:
        raise ModelError(f"{name}: expected the content of a UDPipe 1 model, found {len(content):,} other bytes")
    return TextModel(model, name, content)


def _to_sentence(raw: Any) -> Sentence:
    ranges = {token.idFirst: token for token in raw.multiwordTokens}
    tokens: list[Token] = []
    last = 0
    for word in list(raw.words)[1:]:
        if found := ranges.get(word.id):
            tokens.append(Token(f"{found.idFirst}-{found.idLast}", found.form, misc=found.misc or "_"))
            last = found.idLast
        if word.id <= last:
            tokens.append(Token(str(word.id), _column(word.form)))
        else:
            tokens.append(Token(str(word.id), word.form, misc=word.misc or "_"))
    return Sentence(tokens)


def _column(value: str) -> str:
    """A value that a model made, fit for a column: suffix rules may yield nothing, or letters to compose."""
    return unicodedata.normalize("NFC", value).strip() or "_"


def _kind(name: str) -> str:
    return "a folder" if os.path.isdir(name) else "nothing there"
