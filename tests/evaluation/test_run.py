"""`pointree.evaluate`: files, sentences and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import pointree
from pointree.errors import InputError, UsageError
from pointree.evaluation.run import without_annotation
from pointree.options import ParseOptions
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence


class Knowing:
    """A model that knows the right answer, but gives it only to sentences without trees."""

    name = "knowing"

    def __init__(self, gold: Iterable[Sentence], *, sees_tags: bool = True) -> None:
        self.gold = list(gold)
        self.sees_tags = sees_tags
        self.options = ParseOptions()
        self.text = ""

    def stream(self, sentences: Iterable[Sentence], options: ParseOptions, *, copy: bool) -> Iterator[Sentence]:
        self.options = options
        for sentence, right in zip(sentences, self.gold, strict=True):
            assert {(word.head, word.deprel, word.deps) for word in sentence.words} == {(None, "_", "_")}
            if self.sees_tags:
                assert [word.upos for word in sentence.words] == [word.upos for word in right.words]
            else:
                columns = {(word.lemma, word.upos, word.xpos, word.feats) for word in sentence.words}
                assert columns == {("_", "_", "_", "_")}
            yield right

    def parse_text(self, text: str, options: ParseOptions) -> list[Sentence]:
        self.text, self.options = text, options
        return self.gold


def test_files_and_sentences_give_the_same(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    expected = pointree.evaluate(ewt, ewt)
    assert expected.las == 100
    assert pointree.evaluate(str(ewt), sentences) == pointree.evaluate(iter(sentences), ewt) == expected


def test_a_model_sees_words_and_tags_alone(ewt: Path) -> None:
    model = Knowing(read_conllu(ewt))
    assert pointree.evaluate(ewt, model=model, projective=True).las == 100
    assert model.options == ParseOptions(projective=True)


def test_a_model_that_tags_sees_words_alone(ewt: Path) -> None:
    model = Knowing(read_conllu(ewt), sees_tags=False)
    assert pointree.evaluate(ewt, model=model, retag=True).las == 100
    assert model.options == ParseOptions(retag=True)


def test_a_model_that_reads_raw_text(ewt: Path) -> None:
    model = Knowing(read_conllu(ewt))
    assert pointree.evaluate(ewt, model=model, from_text=True).las == 100
    assert model.text.startswith(model.gold[0].text)


@pytest.mark.slow
def test_the_bundled_model_is_scored_on_everything(ewt: Path) -> None:
    """Each step leaves more to the model: trees, then tags, then words and sentences."""
    gold = list(read_conllu(ewt))[:20]
    model = pointree.load("en", precision="fp32")
    given, tagged, from_text = (
        pointree.evaluate(gold, model=model, **options) for options in ({}, {"retag": True}, {"from_text": True})
    )
    names = ("words", "upos", "lemmas", "las")
    assert [given.scores[name].f1 == 100 for name in names] == [True, True, True, False]
    assert [tagged.scores[name].f1 == 100 for name in names] == [True, False, False, False]
    assert 90 < from_text.scores["words"].f1 <= 100
    assert min(each.las for each in (given, tagged, from_text)) > 70


def test_a_beam(ewt: Path) -> None:
    gold = list(read_conllu(ewt))[:5]
    assert pointree.evaluate(gold, model=pointree.load("en", precision="fp32"), beam=4).las > 70


def test_progress(ewt: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    gold = list(read_conllu(ewt))[:2]
    pointree.evaluate(gold, gold, on_progress=lambda done, total: calls.append((done, total)))
    pointree.evaluate(gold, model=Knowing(gold), on_progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, None), (2, None), (1, 2), (2, 2)]


def test_faults_of_the_user(ewt: Path) -> None:
    model = Knowing([])
    with pytest.raises(UsageError, match=r"expected either a parsed file \(system\) or a model, found neither"):
        pointree.evaluate(ewt)
    with pytest.raises(UsageError, match=r"expected either a parsed file \(system\) or a model, found both"):
        pointree.evaluate(ewt, ewt, model=model)
    with pytest.raises(UsageError, match=r"^options: expected a ParseOptions or its fields as keywords, found "):
        pointree.evaluate(ewt, ewt, {"beam": 3})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="expected a model for the options from_text, beam, found none"):
        pointree.evaluate(ewt, ewt, from_text=True, beam=2)
    with pytest.raises(UsageError, match="n_best: expected one tree a sentence, found 2"):
        pointree.evaluate(ewt, model=model, n_best=2)
    with pytest.raises(UsageError, match="probabilities and min_confidence change no score"):
        pointree.evaluate(ewt, model=model, min_confidence=0.5)
    with pytest.raises(InputError, match="gold: no sentences found"):
        pointree.evaluate([], model=model)
    with pytest.raises(InputError, match="knowing ends after 1 sentences, expected the characters"):
        pointree.evaluate(ewt, model=Knowing(list(read_conllu(ewt))[:1]), from_text=True)


def test_removing_annotation_leaves_the_original_alone(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    before = [format_sentence(sentence) for sentence in sentences]
    for bare in without_annotation(sentences, tags=True):
        assert set(bare.heads) == {None}
    assert [format_sentence(sentence) for sentence in sentences] == before
