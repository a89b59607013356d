"""Raw text in: decoding, cleaning, paragraphs, streaming, and validity of whatever comes out."""

from __future__ import annotations

import gzip
import io
import random
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import FormatError, InputError
from pointree.options import SENTENCE_BREAKS, SentenceBreaks
from pointree.text import pieces as pieces_module
from pointree.text import reading as text_module
from pointree.text.cleaning import CleanText
from pointree.text.pieces import InPieces
from pointree.text.reading import read_text, segment_text
from pointree.text.udpipe import TextModel
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence

CORNER_CASES = {
    "empty": "",
    "only spaces": " \t \u3000\u00a0 \n \r\n\u2003",
    "only emoji": "😀👍🏽 👨\u200d👩\u200d👧 🏴\U000e0067\U000e0062",
    "one long word": "x" * 50_000,
    "one longer word": "日" * 70_000,
    "control characters": "".join(map(chr, range(0xA0))) + "end",
    "NUL": "before\0after",
    "U+2028": "one line\u2028another\u2029a paragraph",
    "U+0085": "one\x85two",
    "mixed line ends": "a\r\nb\rc\n\r\nd\n\re\r\r\nf",
    "right-to-left marks": "\u200fשלום\u200e \u202bعالم\u202c \u2067x\u2069",
    "byte-order marks": "\ufeffone \ufeff two",
    "decomposed": "Cafe\u0301 \u1112\u1161\u11ab \u0301 =\u0338 \u2126",
    "replacement": "br\ufffdken \ufffd",
    "noncharacters": "a\ufffeb \U0010ffff \U000f0000",
    "like CoNLL-U": "# text = x\n1\tword\t_\t_\n1-2\t_\n\n_ | = _",
    "separators": "a\x1cb\x1db\x1ec\x1fd\x0be\x0cf",
    "zero width": "\u200b \u2060 a\u00adb",
    "no sentence end": "word " * 14_000,
    "many paragraphs": "A.\n\n" * 2_000,
}


class Lines:
    """A stub that makes each line a sentence and each stretch without white space a word."""

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        for line in text.split("\n"):
            if words := line.split():
                yield Sentence.from_words(words)

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        return InPieces(self).sentences(blocks, breaks)


def texts(sentences: Iterator[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def starts(sentences: Iterator[Sentence]) -> list[bool]:
    return ["# newpar" in sentence.comments for sentence in sentences]


def test_blank_lines_are_paragraph_breaks() -> None:
    sentences = list(segment_text("\n\n a\nb\n \t\n\n\nc\n", Lines(), prefix="doc-"))
    assert [sentence.comments for sentence in sentences] == [
        ["# newpar", "# sent_id = doc-1", "# text = a"],
        ["# sent_id = doc-2", "# text = b"],
        ["# newpar", "# sent_id = doc-3", "# text = c"],
    ]


def test_line_and_paragraph_ends_of_every_kind() -> None:
    text = "a\r\nb\rc\x85d\u2028e\x0bf\x0cg\u2029h\r\n\r\ni\r\rj"
    sentences = list(segment_text(text, Lines()))
    assert "".join(sentence.text for sentence in sentences) == "abcdefghij"
    assert "".join(s.text for s, start in zip(sentences, starts(iter(sentences)), strict=True) if start) == "ahij"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_blocks_may_end_anywhere(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "BLOCK", size)
    text = "\ufeffé 日本\r\n\r\n😀 x\n \n\nz\r"
    expected = ["é 日本", "😀 x", "z"]
    for source in (text, text.encode()):
        assert texts(segment_text(source, Lines())) == expected
    assert texts(read_text(io.BytesIO(text.encode()), Lines())) == expected
    assert texts(read_text(io.StringIO(text, newline=""), Lines())) == expected
    assert starts(read_text(io.BytesIO(text.encode()), Lines())) == [True, True, True]


def test_reads_files_plain_and_gzip(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(b"one\n\ntwo\n")
    packed.write_bytes(gzip.compress(b"one\n\ntwo\n"))
    assert texts(read_text(plain, Lines())) == texts(read_text(str(packed), Lines())) == ["one", "two"]
    with pytest.raises(InputError, match=r"missing\.txt: no such file$"):
        list(read_text(tmp_path / "missing.txt", Lines()))
    packed.write_bytes(gzip.compress(b"one\n\ntwo\n" * 1000)[:-9])
    with pytest.raises(InputError, match="truncated or damaged"):
        list(read_text(packed, Lines()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"good\nb\xffd", "f.txt:2: expected UTF-8, found byte 0xff (invalid start byte)"),
        (b"a\r\nb\rc \xc3(", "f.txt:3: expected UTF-8, found byte 0xc3 (invalid continuation byte)"),
        (b"cut short \xe6\x97", "f.txt:1: expected UTF-8, found byte 0xe6 (unexpected end of data)"),
        (b"\xed\xa0\x80", "f.txt:1: expected UTF-8, found byte 0xed (invalid continuation byte)"),
        ("\n\nx\ud800", "f.txt:3: expected Unicode text, found a lone U+D800"),
    ],
)
def test_what_is_not_text_is_an_error_with_its_place(content: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=f"^{re.escape(message)}$"):
        list(segment_text(content, Lines(), name="f.txt"))


def test_sentences_before_an_error_are_given() -> None:
    stream = io.BytesIO(b"good\n\n" * 20_000 + b"\xff")
    sentences = read_text(stream, Lines(), name="f.txt")
    assert next(sentences).text == "good"
    with pytest.raises(FormatError, match=r"^f\.txt:40001: "):
        list(sentences)


def test_a_long_paragraph_is_cut_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "BLOCK", 10)
    rng = random.Random(1)
    lines = [" ".join("w" * rng.randint(1, 5) for _ in range(rng.randint(1, 4))) for _ in range(200)]
    whole = list(segment_text("\n".join(lines), Lines()))
    assert texts(iter(whole)) == lines
    for limit in (30, 64, 100):
        monkeypatch.setattr(pieces_module, "MAX_PIECE", limit)
        assert list(segment_text("\n".join(lines), Lines())) == whole
        assert list(segment_text("\n".join(lines), Lines(), sentences="presegmented")) == whole


def test_blank_lines_are_seen_across_cuts_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    for _ in range(200):
        text = "".join(rng.choices("a \n\t", weights=[6, 2, 2, 1], k=400))
        monkeypatch.setattr(pieces_module, "MAX_PIECE", 1 << 16)
        whole = list(segment_text(text, Lines()))
        monkeypatch.setattr(pieces_module, "MAX_PIECE", 120)
        monkeypatch.setattr(text_module, "BLOCK", rng.randint(1, 150))
        assert list(segment_text(text, Lines())) == whole
        assert list(segment_text(text, Lines(), sentences="presegmented")) == whole


def test_endless_white_space_is_passed_over() -> None:
    text = "a" + " " * 200_000 + "\n" + " " * 200_000 + "b" + "\n" * 200_000 + "c"
    sentences = list(segment_text(text, Lines()))
    assert [sentence.text for sentence in sentences] == ["a", "b", "c"]
    assert starts(iter(sentences)) == [True, False, True]


def test_memory_does_not_grow_with_a_paragraph_without_end() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[:] = (b"word " * (len(buffer) // 5 + 1))[: len(buffer)]
            return len(buffer)

    sentences = read_text(io.BufferedReader(Endless()), Lines(), name="endless")
    for _ in range(5):
        assert len(next(sentences)) <= pieces_module.MAX_PIECE // 5 + 1


def test_a_long_paragraph_is_not_segmented_before_its_first_sentence_is_given() -> None:
    class Counting(Lines):
        given = 0

        def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
            for sentence in super().segment(text, presegmented=presegmented):
                self.given += 1
                yield sentence

    model = Counting()
    sentences = segment_text("a line\n" * 5_000, model)
    for number in range(1, 10):
        next(sentences)
        assert model.given == number + 1


def test_a_cut_paragraph_of_real_sentences_equals_the_whole(
    text_model: TextModel, ewt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(sentence.text for sentence in read_conllu(ewt))
    whole = "".join(texts(segment_text(text, text_model))).replace(" ", "")
    monkeypatch.setattr(pieces_module, "MAX_PIECE", 500)
    monkeypatch.setattr(text_module, "BLOCK", 100)
    pieces = list(segment_text(text, text_model))
    assert "".join(sentence.text for sentence in pieces).replace(" ", "") == whole
    assert starts(iter(pieces)) == [True] + [False] * (len(pieces) - 1)


def test_presegmented_lines(text_model: TextModel) -> None:
    text = "One two. Three!\r\nfour\r\n\r\nfive"
    sentences = list(segment_text(text, text_model, sentences="presegmented"))
    assert texts(iter(sentences)) == ["One two. Three!", "four", "five"]
    assert starts(iter(sentences)) == [True, False, True]


def test_no_sentence_crosses_a_line_break(text_model: TextModel, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "One two.  Three!\nfour five\n\nsix.\nseven"
    expected = ["four five", "six.", "seven"]
    for most in (1 << 16, 12):
        monkeypatch.setattr(pieces_module, "MAX_PIECE", most)
        assert texts(segment_text(text, text_model, sentences="line"))[-3:] == expected


def check(sentences: list[Sentence], text: str) -> None:
    """Sentences are well-formed and hold all of the text but its white space and control characters."""
    for number, sentence in enumerate(sentences, 1):
        assert sentence.sent_id == str(number)
        assert len(sentence) > 0
        for token in sentence.tokens:
            assert token.form
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]|^\s|\s$", token.form)
            assert unicodedata.is_normalized("NFC", token.form)
    seen = re.sub(r"\s", "", "".join(sentence.text for sentence in sentences))
    kept = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text.removeprefix("\ufeff"))
    assert seen == re.sub(r"\s", "", unicodedata.normalize("NFC", kept)).replace("\ufffd", "?")


@pytest.mark.parametrize("text", CORNER_CASES.values(), ids=CORNER_CASES)
@pytest.mark.parametrize("breaks", SENTENCE_BREAKS)
def test_corner_cases_give_well_formed_sentences(text_model: TextModel, text: str, breaks: SentenceBreaks) -> None:
    check(list(segment_text(text, text_model, sentences=breaks)), text)


def random_texts(count: int) -> Iterator[str]:
    """Texts of all planes of Unicode, with more than their share of what is special."""
    rng = random.Random(20)
    special = "\0\t\n\r\x0b\x0c\x1c\x85\u00a0\u200b\u200f\u2028\u2029\u0301\u0338\ufeff\ufffd\ufffe. ,\n\n#_|="
    for _ in range(count):
        letters = []
        for _ in range(rng.randint(0, 60)):
            match rng.randrange(4):
                case 0:
                    letters.append(rng.choice(special))
                case 1:
                    letters.append(chr(rng.choice((rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)))))
                case _:
                    letters.append(rng.choice("abcdefgh ABC'-é"))
        yield "".join(letters)


def test_random_texts_give_well_formed_sentences(text_model: TextModel) -> None:
    for text in random_texts(1000):
        check(list(text_model.tag(segment_text(text, text_model))), text)


def test_random_bytes_give_sentences_or_one_line(text_model: TextModel) -> None:
    rng = random.Random(21)
    refused = []
    for _ in range(1000):
        content = rng.randbytes(rng.randint(0, 40))
        if rng.random() < 0.5:
            content = content.decode("latin-1").encode()
        try:
            check(list(segment_text(content, text_model)), content.decode())
        except FormatError as error:
            refused.append(str(error))
    assert 300 < len(refused) < 700
    for message in refused:
        assert re.fullmatch(r"<text>:\d+: expected UTF-8, found byte 0x[0-9a-f]{2} \([a-z ]+\)", message)


@pytest.mark.slow
def test_output_passes_the_validator_of_universal_dependencies(
    text_model: TextModel, ewt: Path, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validation = pytest.importorskip("udtools.validator")
    short = [text for text in CORNER_CASES.values() if len(text) < 10_000]
    text = "\n\n".join([*short, *random_texts(300), *(sentence.text for sentence in read_conllu(ewt))])
    path = tmp_path / "out.conllu"
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_conllu(map(_chain, text_model.tag(segment_text(text, text_model))), stream)
    report = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = validation.Validator(lang="ud", level=2, output=report).validate_files([str(path)])
    assert state.passed(), report.getvalue()[:2000]


def _chain(sentence: Sentence) -> Sentence:
    """Give each word the one before it as its head: some tree is what the validator needs."""
    for number, word in enumerate(sentence.words):
        word.head, word.deprel = number, "dep" if number else "root"
    return sentence
