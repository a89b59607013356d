"""Multiword tokens of Turkish: spaCy keeps the token as it is written, and its head is that of its highest word.

The parser is trained briefly. Sentences and words are those of the treebank, so that there are multiword tokens to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy")

from pointree.cli.main import main  # noqa: E402
from pointree.integrations.spacy.alignment import find_surfaces  # noqa: E402
from pointree.integrations.spacy.stored_model import StoredModel  # noqa: E402
from pointree.integrations.spacy.tokenizer import PointreeTokenizer  # noqa: E402
from pointree.options import SentenceBreaks  # noqa: E402
from pointree.text.cleaning import CleanText  # noqa: E402
from pointree.text.pieces import InPieces  # noqa: E402
from pointree.treebank.conllu import read_conllu, write_conllu  # noqa: E402
from pointree.treebank.sentence import Sentence, Token  # noqa: E402

from ...cli.conftest import SMALL  # noqa: E402

pytestmark = pytest.mark.slow


class KnownText:
    """Stands for a segmenter that makes no mistakes on the sentences of a treebank."""

    def __init__(self, sentences: list[Sentence]) -> None:
        self.known = sentences

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        return InPieces(self).sentences(blocks, breaks)

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        for sentence in self.known:
            if sentence.text in text:
                yield Sentence([Token(row.id, row.form, misc=row.misc) for row in sentence.tokens])

    def fill(self, sentence: Sentence, **options: object) -> None:
        for word in sentence.words:
            word.upos = "X"


@pytest.fixture(scope="module")
def sentences(shared_data: Path) -> list[Sentence]:
    treebank = shared_data / "ud-2.6" / "tr_imst" / "tr_imst-ud-train.conllu"
    if not treebank.is_file():
        pytest.skip("the Turkish treebank is not here")
    some = (sentence for sentence in read_conllu(treebank) if any(token.is_range for token in sentence.tokens))
    return list(islice(some, 30))


@pytest.fixture(scope="module")
def model(sentences: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> StoredModel:
    folder = tmp_path_factory.mktemp("tr")
    with (folder / "tr_imst-ud-train.conllu").open("w", encoding="utf-8", newline="") as stream:
        write_conllu(sentences, stream)
    data = str(folder / "tr_imst-ud-train.conllu")
    with pytest.raises(SystemExit) as left:
        main(["train", "--train", data, "--dev", data, "-o", str(folder / "tr"), "--no-text-model", *SMALL])
    assert not left.value.code
    stored = StoredModel(str(folder / "tr"))
    stored.parser.text_model = KnownText(sentences)  # type: ignore[assignment]
    return stored


def test_spacys_tokens_keep_their_surface(model: StoredModel, sentences: list[Sentence]) -> None:
    nlp = spacy.blank("tr")
    nlp.add_pipe("pointree", config={"model": model.name}).model = model
    multiword = 0
    for sentence in sentences:
        doc = nlp(sentence.text)
        assert doc.text == sentence.text
        [found] = doc.sents
        assert [token for token in found if token.head == token] == [found.root]
        [parsed] = doc._.pointree.sentences
        multiword += sum(token.is_range for token in parsed.tokens)
        assert all(doc.text[row.start : row.end] == row.form for row in parsed.tokens if row.is_range)
    assert multiword > 20


def test_the_tokeniser_makes_one_token_of_a_multiword_token(model: StoredModel, sentences: list[Sentence]) -> None:
    nlp = spacy.blank("tr")
    nlp.tokenizer = PointreeTokenizer(nlp.vocab, model)
    nlp.add_pipe("pointree", config={"model": None})
    for sentence in sentences:
        doc = nlp(sentence.text)
        [expected] = model.parser.parse_text(sentence.text)
        [parsed] = doc._.pointree.sentences
        assert (parsed.forms, parsed.heads, parsed.deprels) == (expected.forms, expected.heads, expected.deprels)
        surfaces = list(find_surfaces([expected]))
        spelled = sum(len(s.forms) - 1 for s in surfaces if "".join(s.forms) == doc.text[s.start : s.end])
        assert len(doc) == len(surfaces) + spelled
        for token in doc:
            inside = [word for word in expected.words if word.start == token.idx and word.end == token.idx + len(token)]
            numbers = {int(word.id) for word in inside}
            outer = [word.head for word in inside if word.head not in numbers]
            if len(numbers) > 1 and len(outer) == 1:  # one of the words has its head outside: that is the token's
                place = expected.words[outer[0] - 1].start if outer[0] else token.idx
                assert token.head.idx <= (place or 0) < token.head.idx + len(token.head)
