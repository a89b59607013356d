"""The component as spaCy tests its own: one tree a sentence, batches, processes, bytes and folders, scores."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy")

from spacy import displacy  # noqa: E402
from spacy.tokens import Doc  # noqa: E402
from spacy.training import Example  # noqa: E402
from spacy.util import load_config  # noqa: E402

from pointree.errors import ModelError, UsageError  # noqa: E402
from pointree.options import ParseOptions  # noqa: E402
from pointree.treebank.conllu import read_conllu  # noqa: E402
from pointree.treebank.sentence import Sentence, get_misc  # noqa: E402

from .conftest import TEXTS  # noqa: E402


def arcs(doc: Any) -> list[tuple[str, int, int, str, str]]:
    return [(token.text, token.idx, token.head.i, token.dep_, token.pos_) for token in doc]


def gold_doc(vocab: Any, sentence: Sentence) -> Any:
    """A sentence of a treebank as spaCy has it."""
    heads = [number if head == 0 else (head or 0) - 1 for number, head in enumerate(sentence.heads)]
    return Doc(
        vocab,
        words=sentence.forms,
        spaces=[get_misc(word, "SpaceAfter") != "No" for word in sentence.words],
        heads=heads,
        deps=["ROOT" if word.head == 0 else word.deprel for word in sentence.words],
        pos=[word.upos for word in sentence.words],
        tags=[word.xpos for word in sentence.words],
        lemmas=[word.lemma for word in sentence.words],
        morphs=["" if word.feats == "_" else word.feats for word in sentence.words],
    )


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_is_untouched_and_each_sentence_is_one_tree(nlp: Any, text: str) -> None:
    doc = nlp(text)
    assert doc.text == text
    assert [token.idx for token in doc] == [token.idx for token in nlp.make_doc(text)]
    for sentence in doc.sents:
        assert [token for token in sentence if token.head.i == token.i] == [sentence.root]
        assert sentence.root.dep_ == "ROOT"
        assert {token.head.sent.start for token in sentence} == {sentence.start}


def test_the_trees_are_those_of_pointree(nlp: Any, raw: Any, ewt: Path) -> None:
    parser = nlp.get_pipe("pointree").model.parser
    text = " ".join(sentence.text for sentence in list(read_conllu(ewt))[:12])
    expected = [word for sentence in parser.parse_text(text) for word in sentence.words]
    doc = raw(text)
    assert [token.text for token in doc] == [word.form for word in expected]
    assert [token.tag_ for token in doc] == [word.xpos for word in expected]
    assert [token.lemma_ for token in doc] == [word.lemma for word in expected]
    assert [str(token.morph) or "_" for token in doc] == [word.feats for word in expected]
    assert [token.dep_.lower() for token in doc] == [word.deprel for word in expected]
    for pipeline in (nlp, raw):
        for sentence in pipeline(text).sents:
            [tree] = parser.parse([[token.text for token in sentence]])
            heads = [0 if token.head == token else token.head.i - sentence.start + 1 for token in sentence]
            assert heads == tree.heads


def test_tokens_between_white_space_can_be_split_for_the_parser(nlp: Any) -> None:
    component = nlp.get_pipe("pointree")
    doc = Doc(nlp.vocab, words=["They", "play", "tennis."], spaces=[True, True, False])
    split = type(component)(component.model, split_tokens=True)(doc.copy())
    assert [(token.head.text, token.dep_) for token in split] == [
        ("play", "nsubj"),
        ("play", "ROOT"),
        ("play", "obj"),
    ]
    assert split._.pointree.sentences[0].forms == ["They", "play", "tennis", "."]
    assert component(doc)._.pointree.sentences[0].forms == ["They", "play", "tennis."]


def test_sentences_that_are_given_are_kept(nlp: Any) -> None:
    doc = nlp.make_doc("He sleeps Mary plays")
    for token, starts in zip(doc, [True, False, True, False], strict=True):
        token.is_sent_start = starts
    assert [sentence.text for sentence in nlp(doc).sents] == ["He sleeps", "Mary plays"]


def test_batches_are_like_single_docs(nlp: Any) -> None:
    batched = list(nlp.pipe(TEXTS, batch_size=3))
    assert [arcs(doc) for doc in batched] == [arcs(nlp(text)) for text in TEXTS]


def test_details(nlp: Any) -> None:
    doc = nlp(TEXTS[0])
    words = [token for token in doc if not token.is_space]
    assert all(0 < token._.head_prob <= 1 for token in words)
    assert all(0 < token._.deprel_prob <= 1 for token in words)
    assert [token._.head_prob for token in doc if token.is_space] == [None] * 4
    parse = doc._.pointree
    assert [sentence.text for sentence in parse.sentences] == [
        "John and Mary play tennis.",
        "It rains!",
        "I don't know, do you?",
    ]
    assert all(doc.text[word.start : word.end] == word.form for tree in parse.sentences for word in tree.words)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.pointree.sentences == parse.sentences
    assert nlp("")._.pointree.sentences == []
    assert nlp.make_doc("not parsed")[0]._.head_prob is None
    assert "►" in str(parse)


def test_details_stay_with_their_characters(nlp: Any) -> None:
    doc = nlp("John and Mary  play tennis. It rains!")
    probs = {token.text: token._.head_prob for token in doc}
    joined = Doc.from_docs([nlp("Yes."), doc])
    assert {token.text: token._.head_prob for token in joined[2:]} == probs
    second = joined._.pointree.sentences[1]
    assert [joined.text[word.start : word.end] for word in second.words] == second.forms
    part = list(doc.sents)[1].as_doc(copy_user_data=True)
    assert [token._.head_prob for token in part] == [probs[token.text] for token in part]
    assert [sentence.text for sentence in part._.pointree.sentences] == ["It rains!"]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:3])
    assert [token._.head_prob for token in doc[:2]] == [None, None]  # three words that became one, and white space
    assert [token._.head_prob for token in doc[2:]] == [probs[token.text] for token in doc[2:]]
    [first, _] = doc._.pointree.sentences
    assert [doc.text[word.start : word.end] for word in first.words] == first.forms


def test_a_span_has_its_trees(nlp: Any) -> None:
    doc = nlp("John plays. It rains!")
    assert [[tree.text for tree in span._.pointree.sentences] for span in (*doc.sents, doc[:2], doc[1:])] == [
        ["John plays."],
        ["It rains!"],
        [],
        ["It rains!"],
    ]


def test_a_doc_that_is_parsed_again_keeps_nothing_old(nlp: Any) -> None:
    doc = nlp("John plays. It rains!")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
    assert [tree.forms for tree in nlp(doc)._.pointree.sentences] == [["John", "plays", "."], ["It rains", "!"]]
    assert len(doc.user_data) == 2 + 2 * len(doc)  # two trees, and two probabilities a token
    assert not type(nlp.get_pipe("pointree"))(nlp.get_pipe("pointree").model, details=False)(doc)._.pointree.sentences
    assert [token._.head_prob for token in doc] == [None] * len(doc)


def test_n_best_trees(nlp: Any) -> None:
    component = nlp.get_pipe("pointree")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("pointree", config={"n_best": 3, "beam": 4})
    pipeline.get_pipe("pointree").model._parser = component.model.parser
    trees = pipeline("I saw her duck. It rains.")._.pointree.n_best
    assert [len(found) for found in trees] == [3, 3]
    ranks = [float(tree.meta("tree_log_prob") or "nan") for tree in trees[0]]
    assert ranks == sorted(ranks, reverse=True)


def test_options_of_parsing_are_settings() -> None:
    pipeline = spacy.blank("en")
    settings = {"single_root": False, "retag": True, "min_confidence": 0.5, "order": "combined", "precision": "fp32"}
    component = pipeline.add_pipe("pointree", config={**settings, "engine": "onnx"})
    assert component.options == ParseOptions(**settings, probabilities=True)
    assert (component.model.precision, component.model.engine) == ("fp32", "onnx")
    assert pipeline.config["components"]["pointree"]["beam"] == 1
    copied = pickle.loads(pickle.dumps(component.model))
    assert (copied.precision, copied.engine) == ("fp32", "onnx")


def test_a_pipeline_of_an_earlier_version_is_read(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    config = load_config(tmp_path / "config.cfg")
    names = ("model", "beam", "n_best", "projective", "batch_words", "split_tokens", "details", "device")
    kept = ("factory", "check_language", *names)
    config["components"]["pointree"] = {name: config["components"]["pointree"][name] for name in kept}
    config.to_disk(tmp_path / "config.cfg")
    assert spacy.load(tmp_path).get_pipe("pointree").options == nlp.get_pipe("pointree").options


def test_displacy_draws_the_tree(nlp: Any) -> None:
    drawing = displacy.render(nlp("They play tennis."), style="dep", jupyter=False)
    assert drawing.count('class="displacy-arrow"') == 2  # without punctuation
    assert "nsubj" in drawing


def test_scores(nlp: Any, ewt: Path) -> None:
    gold = [gold_doc(nlp.vocab, sentence) for sentence in list(read_conllu(ewt))[:8]]
    examples = [
        Example(Doc(nlp.vocab, words=[t.text for t in doc], spaces=[bool(t.whitespace_) for t in doc]), doc)
        for doc in gold
    ]
    scores = nlp.evaluate(examples)
    for name in ("dep_uas", "dep_las", "tag_acc", "pos_acc", "lemma_acc", "morph_acc"):
        assert 0.6 < scores[name] <= 1, name


def test_columns_that_gold_data_does_not_have_are_not_scored(nlp: Any) -> None:
    """A doc without features used to end the evaluation, as spaCy compared them with a number."""
    gold = Doc(nlp.vocab, words=["It", "rains", "."], tags=["PRP", "VBZ", "."])
    scores = nlp.evaluate([Example(nlp.make_doc("It rains."), gold)])
    assert scores["tag_acc"] is not None
    assert [scores[name] for name in ("dep_las", "pos_acc", "morph_acc", "lemma_acc")] == [None] * 4


def test_other_components_are_trained_beside_it(nlp: Any) -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("pointree").model = nlp.get_pipe("pointree").model
    pipeline.add_pipe(
        "textcat",
        config={
            "model": {
                "@architectures": "spacy.TextCatBOW.v3",
                "exclusive_classes": True,
                "ngram_size": 1,
                "no_output_layer": False,
                "length": 64,
            }
        },
    )
    examples = [
        Example.from_dict(pipeline.make_doc(text), {"cats": {"A": value, "B": 1 - value}})
        for text, value in (("It rains.", 1.0), ("They play.", 0.0))
    ]
    optimiser = pipeline.initialize(lambda: examples)
    before = nlp("It rains.")
    losses = pipeline.update(examples, sgd=optimiser, annotates=["pointree"])
    assert losses["textcat"] > 0
    assert arcs(pipeline("It rains.")) == arcs(before)
    assert pipeline("It rains.").cats


@pytest.mark.slow
def test_it_is_saved_with_its_weights(nlp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = arcs(nlp(TEXTS[0]))
    nlp.to_disk(tmp_path / "pipeline")
    assert (tmp_path / "pipeline" / "pointree" / "model" / "weights.safetensors").is_file()
    data = nlp.to_bytes()
    monkeypatch.setattr("pointree.integrations.spacy.stored_model.resolve_model", forbidden)
    read = spacy.load(tmp_path / "pipeline")
    (tmp_path / "pipeline").rename(tmp_path / "elsewhere")
    assert arcs(read(TEXTS[0])) == expected
    assert len(read.to_bytes()) >= len(data) // 2
    unpacked = spacy.blank("en")
    unpacked.add_pipe("pointree")
    unpacked.from_bytes(data)
    assert arcs(unpacked(TEXTS[0])) == expected
    component = pickle.loads(pickle.dumps(read.get_pipe("pointree").model))
    assert component.parser.parse([["It", "rains"]])


def test_saving_replaces_the_model_that_was_there(nlp: Any, tmp_path: Path) -> None:
    model = nlp.get_pipe("pointree").model
    model.copy_to(tmp_path)
    (tmp_path / "text.udpipe").write_text("{}")  # of another model
    (tmp_path / "notes.txt").write_text("stay")
    model.copy_to(tmp_path)
    assert not (tmp_path / "text.udpipe").exists()
    assert (tmp_path / "notes.txt").exists()
    again = type(model)(str(tmp_path))
    again.copy_to(tmp_path)  # where it is already
    assert again.read_files() == model.read_files()


def forbidden(model: Any) -> Path:
    """Stands for a machine without the model."""
    raise ModelError(f"{model}: not here")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_several_processes(nlp: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{method} is not known here")
    expected = [arcs(nlp(text)) for text in TEXTS]
    monkeypatch.setattr("spacy.language.mp", multiprocessing.get_context(method))
    docs = list(nlp.pipe(TEXTS, n_process=2, batch_size=2))
    assert [arcs(doc) for doc in docs] == expected
    assert docs[0]._.pointree.sentences
    assert 0 < docs[0][0]._.head_prob <= 1


def test_a_doc_that_fails_goes_to_the_error_handler(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    component = nlp.get_pipe("pointree")
    plan = component._plan

    def fail(doc: Any) -> Any:
        if "bad" in doc.text:
            raise ValueError("bad")
        return plan(doc)

    monkeypatch.setattr(component, "_plan", fail)
    failed: list[str] = []
    monkeypatch.setattr(
        component, "error_handler", lambda name, proc, docs, error: failed.extend(d.text for d in docs), raising=False
    )
    docs = list(component.pipe([nlp.make_doc(text) for text in ("It rains.", "bad", "They play.")]))
    assert [doc.text for doc in docs] == ["It rains.", "They play."]
    assert failed == ["bad"]


@pytest.mark.parametrize(
    ("language", "config", "message"),
    [
        (
            "de",
            {},
            "model en: expected a pipeline for the language en, found de; "
            'use spacy.blank("en"), or set check_language = false',
        ),
        ("en", {"model": None}, "pointree: expected a model, or pointree's tokeniser that has one; found neither"),
        ("en", {"beam": 0}, "beam must be at least 1, found 0"),
        ("en", {"precision": "fp8"}, "precision must be one of auto, fp32, bf16, int8, found fp8"),
    ],
)
def test_a_wrong_setting_is_one_line(language: str, config: dict[str, Any], message: str) -> None:
    with pytest.raises((ModelError, UsageError)) as caught:
        spacy.blank(language).add_pipe("pointree", config=config)
    assert str(caught.value) == message


def test_a_model_that_is_not_there_is_told_at_the_first_use() -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("pointree", config={"model": "xyz"})
    with pytest.raises(ModelError, match=r"^model xyz is unknown; available: "):
        pipeline("It rains.")


def test_any_language_takes_every_model() -> None:
    assert spacy.blank("xx").add_pipe("pointree")
    assert spacy.blank("de").add_pipe("pointree", config={"check_language": False})


def test_a_model_without_a_segmenter_needs_sentences(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = nlp.get_pipe("pointree").model.parser
    monkeypatch.setattr(type(parser), "segmenter", None)
    with pytest.raises(
        ModelError, match=r'cannot find sentences; add a component that does: nlp\.add_pipe\("sentenciz'
    ):
        nlp("It rains. They play.")
    doc = nlp.make_doc("It rains. They play.")
    spacy.blank("en").add_pipe("sentencizer")(doc)
    assert [sentence.root.text for sentence in nlp(doc).sents] == ["rains", "play"]
