"""The tokeniser and tagger behind raw text."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pointree.errors import ModelError, UsageError
from pointree.text.udpipe import TextModel, _from_content
from pointree.training.text_model import TaggerOptions, TokenizerOptions, train_text_model
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, Token, get_misc


def test_segments_text_into_sentences_and_paragraphs(text_model: TextModel) -> None:
    first, second = text_model.segment("The cat sat\ton the  mat\n\nIt slept")
    assert first.forms == ["The", "cat", "sat", "on", "the", "mat"]
    assert second.forms == ["It", "slept"]


def test_marks_words_without_space_after_but_not_at_the_end(text_model: TextModel) -> None:
    [sentence] = text_model.segment("He left, alone", presegmented=True)
    assert sentence.forms == ["He", "left", ",", "alone"]
    assert [get_misc(word, "SpaceAfter") for word in sentence.words] == [None, "No", None, None]
    assert sentence.text == "He left, alone"


def test_presegmented_text_has_one_sentence_a_line(text_model: TextModel) -> None:
    text = "One. Two. Three.\nand more"
    assert [sentence.text for sentence in text_model.segment(text, presegmented=True)] == text.split("\n")


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_text_that_the_library_would_cut_short_is_refused(text_model: TextModel, text: str) -> None:
    with pytest.raises(UsageError, match=r"^text: U\+(0000|D800) at character 1 cannot be segmented$"):
        list(text_model.segment(text))


def test_tags_words_and_keeps_all_else(text_model: TextModel) -> None:
    given = Sentence(
        [
            Token("1-2", "don't", misc="SpaceAfter=No"),
            Token("1", "do", head=3, deprel="aux", misc="A=b"),
            Token("2", "n't", upos="X", head=3, deprel="advmod", deps="3:advmod"),
            Token("2.1", "you", lemma="you", upos="PRON", deps="3:nsubj"),
            Token("3", "stop", head=0, deprel="root"),
        ],
        ["# sent_id = x", "# something else"],
    )
    before = given.copy()
    [tagged] = text_model.tag([given])
    assert given == before
    assert all(word.upos.isupper() and word.xpos != "_" and word.lemma for word in tagged.words)
    for old, new in zip(given.tokens, tagged.tokens, strict=True):
        if new.is_word:
            new.upos, new.xpos, new.feats, new.lemma = old.upos, old.xpos, old.feats, old.lemma
    assert tagged == before


def test_tags_of_training_sentences_are_mostly_right(text_model: TextModel, ewt: Path) -> None:
    gold = list(read_conllu(ewt))
    pairs = [
        (right.upos, found.upos)
        for sentence, tagged in zip(gold, text_model.tag(gold), strict=True)
        for right, found in zip(sentence.words, tagged.words, strict=True)
    ]
    assert sum(right == found for right, found in pairs) > 0.9 * len(pairs)


@pytest.mark.parametrize("form", ["x" * 50_000, "\u0301", "_", "👨\u200d👩\u200d👧", "10 000", "İ", "日本語"])
def test_any_form_can_be_tagged(text_model: TextModel, form: str) -> None:
    [tagged] = text_model.tag([Sentence.from_words([form, "is"])])
    assert tagged.forms == [form, "is"]
    assert all(word.lemma.strip() and "\t" not in word.lemma for word in tagged.words)


def test_a_form_that_cannot_be_written_is_refused(text_model: TextModel) -> None:
    with pytest.raises(UsageError, match=r"^word 2: expected text, found U\+DC80 in"):
        list(text_model.tag([Sentence.from_words(["a", "b\udc80"])]))


def test_threads_share_a_model(text_model: TextModel) -> None:
    text = "I have a question about the new car. Is it good?\n\nThanks! " * 20

    def run(_: int) -> list[Sentence]:
        return list(text_model.tag(text_model.segment(text)))

    expected = run(0)
    with ThreadPoolExecutor(4) as pool:
        assert all(result == expected for result in pool.map(run, range(8)))


@pytest.mark.slow
def test_multiword_tokens_are_ranges(tmp_path: Path) -> None:
    """A made-up French, in which "du" is always "de le"."""
    treebank = []
    for noun in ("chat", "chien", "pain", "livre", "train", "matin", "soir", "jardin"):
        for verb in ("parle", "vient", "sort"):
            tokens = [
                Token("1", "Il"),
                Token("2", verb),
                Token("3-4", "du"),
                Token("3", "de"),
                Token("4", "le"),
            ]
            tokens += [Token("5", noun, misc="SpaceAfter=No"), Token("6", ".")]
            treebank.append(Sentence(tokens))
    model = train_text_model(
        treebank,
        [],
        tmp_path / "du.udpipe",
        tokenizer=TokenizerOptions(epochs=1, segment_size=10),
        tagger=None,
    )
    [sentence] = model.segment("Il vient du matin.", presegmented=True)
    assert [(token.id, token.form, token.misc) for token in sentence.tokens] == [
        ("1", "Il", "_"),
        ("2", "vient", "_"),
        ("3-4", "du", "_"),
        ("3", "de", "_"),
        ("4", "le", "_"),
        ("5", "matin", "SpaceAfter=No"),
        ("6", ".", "_"),
    ]
    assert sentence.text == "Il vient du matin."
    with pytest.raises(ModelError, match=r"du\.udpipe: .*tagger"):
        list(model.tag([sentence]))


@pytest.mark.slow
def test_a_tagger_alone_cannot_segment(tmp_path: Path, ewt: Path) -> None:
    model = train_text_model(
        list(read_conllu(ewt)), [], tmp_path / "t", tokenizer=None, tagger=TaggerOptions(iterations=1)
    )
    with pytest.raises(ModelError, match=r"t: this model has no tokeniser$"):
        list(model.segment("Hello"))


def test_load_tells_what_is_wrong(text_model: TextModel, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nothing there$"):
        TextModel.load(tmp_path / "missing")
    with pytest.raises(ModelError, match=r"found a folder$"):
        TextModel.load(tmp_path)
    whole = Path(text_model.name).read_bytes()
    damaged = tmp_path / "damaged.udpipe"
    half = len(whole) // 2
    long_name = b"\xff" + whole[1:]  # the native loader aborts the process on it
    for content in (b"", b"text", long_name, whole[:-1], whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :]):
        damaged.write_bytes(content)
        with pytest.raises(ModelError, match=r"damaged\.udpipe: expected a UDPipe 1 model, found [\d,]+ bytes"):
            TextModel.load(damaged)


def test_a_damaged_pickle_is_one_line() -> None:
    with pytest.raises(ModelError, match=r"^x\.udpipe: expected the content of a UDPipe 1 model, found 5 other bytes$"):
        _from_content(b"wrong", "x.udpipe")
