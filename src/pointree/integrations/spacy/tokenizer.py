"""pointree's segmenter as the tokeniser of a spaCy pipeline: tokens and sentences; no character of the text is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from pointree.integrations.spacy.alignment import Surface, find_surfaces
from pointree.integrations.spacy.doc_parse import keep_words
from pointree.integrations.spacy.requirement import require_spacy, with_types
from pointree.integrations.spacy.stored_model import StoredModel
from pointree.text.reading import segment_text
from pointree.treebank.sentence import Sentence

__all__ = ["PointreeTokenizer", "create_tokenizer"]


class PointreeTokenizer:
    """Makes docs of text, with the tokens and sentences that a model of pointree finds.

    The words of a multiword token are tokens of their own where they spell it ("do" and "n't"); otherwise the
    multiword token is one token ("del"), and the component parses its words. White space is kept as spaCy does it: one
    space belongs to the token before it, and more of it is a token.
    """

    def __init__(self, vocab: Vocab, model: StoredModel) -> None:
        self.vocab = vocab
        self.model = model

    def __call__(self, text: str) -> Doc:
        """Make a doc of a text; `doc.text` is the text."""
        parser = self.model.parser
        return _to_doc(self.vocab, text, segment_text(text, parser.require_segmenter()))

    def pipe(self, texts: Iterable[str], batch_size: int = 128) -> Iterator[Doc]:
        """Make a doc of each text."""
        return map(self, texts)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The tokeniser with its model."""
        data: bytes = srsly.msgpack_dumps(self.model.read_files())
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> PointreeTokenizer:
        """Take the model that `to_bytes` wrote."""
        self.model.take_files(srsly.msgpack_loads(data))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model into a folder."""
        self.model.copy_to(Path(path))

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> PointreeTokenizer:
        """Take the model that `to_disk` wrote."""
        self.model.copy_from(Path(path))
        return self


@registry.tokenizers("pointree.Tokenizer.v1")  # type: ignore[untyped-decorator]
@with_types
def create_tokenizer(
    model: str, device: str = "cpu", precision: str | None = None, engine: str = "auto"
) -> Callable[[Language], PointreeTokenizer]:
    """What spaCy calls to make the tokeniser of a pipeline, from its configuration."""
    require_spacy()

    def create(nlp: Language) -> PointreeTokenizer:
        stored = StoredModel(model, device=device, precision=precision, engine=engine)
        return PointreeTokenizer(nlp.vocab, stored)

    return create


class _Layout:
    """The tokens of a text, one after the other, with all that is between them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        self.words: list[str] = []
        self.spaces: list[bool] = []
        self.starts: list[bool] = []

    def add(self, form: str, *, starts_sentence: bool = False) -> None:
        """Add a token at the end of the last one."""
        self.starts.append(starts_sentence or not self.words)
        self.words.append(form)
        self.spaces.append(False)
        self.end += len(form)

    def move_to(self, start: int) -> None:
        """Add what stands before the next token: white space, and characters that cleaning removes."""
        gap = self.text[self.end : start]
        if gap.startswith(" ") and self.words:
            self.spaces[-1] = True
            self.end += 1
            gap = gap[1:]
        if gap:
            self.add(gap)


def _to_doc(vocab: Vocab, text: str, sentences: Iterable[Sentence]) -> Doc:
    layout = _Layout(text)
    multiword: list[Surface] = []
    sentence = 0
    for surface in find_surfaces(sentences):
        layout.move_to(surface.start)
        written, forms = text[surface.start : surface.end], surface.forms
        if len(forms) > 1 and "".join(forms) != written:
            multiword.append(surface)
        for form in forms if "".join(forms) == written else [written]:
            layout.add(form, starts_sentence=surface.sentence > sentence)
            sentence = surface.sentence
    layout.move_to(len(text))
    kept = keep_words(text, multiword)
    return Doc(vocab, words=layout.words, spaces=layout.spaces, user_data=kept, sent_starts=layout.starts)
