"""Multiword tokens of Turkish: spaCy keeps the token as it is written, and its head is that of its highest word.

Parsers are trained briefly. One gets the sentences and words of the treebank. The other one finds them with a segmenter
of its own, which knows the sentences by heart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy")

from pointree.cli.main import main  # noqa: E402
from pointree.integrations.spacy.alignment import find_surfaces  # noqa: E402
from pointree.integrations.spacy.pipeline import load  # noqa: E402
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


LEARNT_BY_HEART = {
    "segmenter.size": 48,
    "segmenter.layers": 3,
    "segmenter.epochs": 6,
    "segmenter.dropout": 0,
    "segmenter.learning_rate": 0.02,
    "segmenter.min_count": 1,
    "training.epochs": 1,
}
EMOJI = "👩‍👩‍👧"


@pytest.fixture(scope="module")
def reader(sentences: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that reads raw text with its own segmenter."""
    folder = tmp_path_factory.mktemp("tr-text")
    data = folder / "tr_imst-ud-train.conllu"
    with data.open("w", encoding="utf-8", newline="") as stream:
        write_conllu(sentences[:12] * 8, stream)
    settings = [part for name, value in LEARNT_BY_HEART.items() for part in ("--set", f"{name}={value}")]
    with pytest.raises(SystemExit) as left:
        main(["train", "--train", str(data), "--dev", str(data), "-o", str(folder / "tr"), *SMALL, *settings])
    assert not left.value.code
    return folder / "tr"


@pytest.mark.parametrize("own_tokens", [True, False])
def test_raw_text_with_multiword_tokens(reader: Path, sentences: list[Sentence], own_tokens: bool) -> None:
    nlp = load(reader)
    assert nlp.lang == "tr"
    parser = nlp.get_pipe("pointree").model.parser
    if not own_tokens:
        nlp.tokenizer = spacy.blank("tr").tokenizer
    known = [sentence.text for sentence in sentences[:12]]
    text = f"  {known[0].replace(' ', '  ')}\n\n{EMOJI} " + "  ".join(known[1:6]) + "\n\n" + "\t".join(known[6:]) + " "
    doc = nlp(text)
    assert doc.text == text
    assert "".join(token.text_with_ws for token in doc) == text
    for sentence in doc.sents:
        assert [token for token in sentence if token.head == token] == [sentence.root]
    trees = doc._.pointree.sentences
    ranges = [row for tree in trees for row in tree.tokens if row.is_range]
    expected = [row for tree in parser.parse_text(text) for row in tree.tokens if row.is_range]
    assert len(expected) >= 4  # of 13: it has learnt what they are
    assert all(text[row.start : row.end] == row.form for row in expected)
    places = {(token.idx, token.idx + len(token)) for token in doc}
    kept = {(row.start, row.end) for row in expected} & places
    # Of multiword tokens that are one token here, the words are parsed; others are spelt by the tokens inside of them.
    assert {(row.start, row.end) for row in ranges} == kept
    if own_tokens:
        assert [tree.forms for tree in trees] == [tree.forms for tree in parser.parse_text(text)]
        assert [tree.heads for tree in trees] == [tree.heads for tree in parser.parse_text(text)]
    else:
        assert kept
    for token in doc:
        assert (token._.head_prob is None) == (token.is_space or token.text == "\u200d")
    again = nlp.from_bytes(nlp.to_bytes())(text) if own_tokens else doc
    assert [(token.text, token.head.i, token.dep_) for token in again] == [
        (token.text, token.head.i, token.dep_) for token in doc
    ]


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
