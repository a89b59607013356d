"""Smaller models: what fewer bits and a shorter word table change, and what they must not change."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import pointree
from pointree.engines.torch_folder import load_folder, new_network
from pointree.errors import ModelError, UsageError
from pointree.graphs.integers import summed_axis
from pointree.models.calibration import Calibration, Scale
from pointree.models.folder import save_folder, write_manifest
from pointree.models.quantise import Bits
from pointree.models.shrink import shrink_model
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import UNK, Vocabularies

from ..helpers import COMBINATIONS, HEADS, random_sentences, tiny_config, tiny_parser

# Seen twice: ta, tok; once: rare; only among vectors: the others, the frequent ones first.
VECTOR_WORDS = ["the", "ta", "rare", "Apple", "apple", "lizard", "Zebra"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with words of training data and of vectors."""
    sentence = Sentence.from_words(
        ["ta", "tok", "ta", "tok", "rare"], upos=["NOUN"] * 5, head=[0, 1, 1, 1, 1], deprel=["root"] + ["dep"] * 4
    )
    vocabularies = Vocabularies.build([sentence], min_count=2, vector_words=VECTOR_WORDS)
    torch.manual_seed(0)
    network = new_network(tiny_config(), vocabularies)
    save_folder(tmp_path / "model", tiny_config(), vocabularies, network.state_dict(), "A card.\n")
    (tmp_path / "model" / "text.udpipe").write_bytes(b"text model")
    (tmp_path / "model" / "LICENSE.txt").write_text("free")
    (tmp_path / "model" / "metrics.jsonl").write_text("{}")
    return tmp_path / "model"


def words_of(folder: Path) -> tuple[str, ...]:
    return load_folder(folder)[1].words.symbols[3:]


def test_the_fixture_is_ordered_as_promised(folder: Path) -> None:
    assert words_of(folder) == ("ta", "tok", "the", "rare", "Apple", "apple", "lizard", "Zebra")


def test_rare_words_go_but_not_those_that_were_learned(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", words=2)
    assert words_of(tmp_path / "small") == ("ta", "tok", "rare")
    shrink_model(folder, tmp_path / "smaller", words=0, keep=["TOK", "zebra", "unheard-of"])
    assert words_of(tmp_path / "smaller") == ("tok", "rare")
    shrink_model(folder, tmp_path / "same", words=100)
    assert words_of(tmp_path / "same") == words_of(folder)


def test_only_some_words_stay_if_they_are_named(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", only=["zebra", "TOK", "unheard-of"])
    words = load_folder(tmp_path / "small")[1].words
    assert list(words.symbols[len(words.specials) :]) == ["tok"]
    assert words.lookup("rare") == UNK


def test_words_that_stay_have_the_same_rows(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", words=3, keep=["apple"])
    _, old, big = load_folder(folder)
    _, new, small = load_folder(tmp_path / "small")
    assert big.embeddings.words is not None
    assert small.embeddings.words is not None
    for number, word in enumerate(new.words.symbols):
        before = number if number < 3 else old.words.lookup(word)
        assert torch.equal(small.embeddings.words[number], big.embeddings.words[before])
        assert new.words.singletons[number] == old.words.singletons[before]
    assert new.words.lookup("lizard") == UNK
    assert new.words.lookup("Apple") == new.words.lookup("apple") != UNK


def test_sentences_of_words_that_stay_are_parsed_the_same(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", words=3)
    for path in (folder, tmp_path / "small"):
        (path / "text.udpipe").unlink()
        write_manifest(path)
    sentences = [["ta", "rare", "the", "tok"], ["Tok", "TA", "tok", "unheard-of"]]
    parsers = [pointree.load(path, precision="fp32") for path in (folder, tmp_path / "small")]
    before, after = (parser.parse(sentences, probabilities=True) for parser in parsers)
    assert before == after


def test_half_is_float16_and_close(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "half", bits=16)
    before, after = load_file(folder / "weights.safetensors"), load_file(tmp_path / "half" / "weights.safetensors")
    assert {tensor.dtype for tensor in after.values()} == {torch.float16}
    for name, tensor in before.items():
        torch.testing.assert_close(after[name].float(), tensor, rtol=2**-11, atol=2**-25)
    # What is in 16 bits stays there when only words are dropped.
    shrink_model(tmp_path / "half", tmp_path / "both", words=0)
    both = load_file(tmp_path / "both" / "weights.safetensors")
    assert {tensor.dtype for tensor in both.values()} == {torch.float16}


def test_eight_bits_are_off_by_half_a_step_at_most(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", bits=8)
    stored = load_file(tmp_path / "small" / "weights.safetensors")
    before, after = (load_folder(path)[2].state_dict() for path in (folder, tmp_path / "small"))
    for name, tensor in before.items():
        if tensor.dim() > 1:
            assert stored[name].dtype == torch.int8
            axis = summed_axis(name, tensor.dim())
            step = tensor.abs().amax(dim=-1 if axis is None else axis, keepdim=True) / 127
            assert bool(((after[name] - tensor).abs() <= step * 0.501).all())
        else:
            assert stored[name].dtype == torch.float16
    # What is in 8 bits stays there, value by value, when only words are dropped.
    shrink_model(tmp_path / "small", tmp_path / "smaller", words=2)
    weights = load_file(tmp_path / "smaller" / "weights.safetensors")
    assert weights["embeddings.words"].dtype == torch.int8
    kept = torch.tensor([0, 1, 2, 3, 4, 6])
    words = load_folder(tmp_path / "smaller")[2].embeddings.words
    assert words is not None
    assert torch.equal(words, after["embeddings.words"][kept])
    # Rounding what is rounded changes nothing.
    shrink_model(tmp_path / "small", tmp_path / "again", bits=8)
    again = load_folder(tmp_path / "again")[2].state_dict()
    for name, tensor in after.items():
        torch.testing.assert_close(again[name], tensor, rtol=1e-6, atol=0)


def test_words_in_four_bits_take_half_the_space(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "8", bits=8)
    shrink_model(folder, tmp_path / "4", bits=8, word_bits=4)
    in_8, in_4 = (load_file(tmp_path / name / "weights.safetensors") for name in ("8", "4"))
    assert in_4["embeddings.words"].nbytes * 2 == in_8["embeddings.words"].nbytes
    assert all(torch.equal(in_4[name], in_8[name]) for name in in_8 if not name.startswith("embeddings.words"))
    assert "8 bits, those of words to 4" in (tmp_path / "4" / "README.md").read_text()
    shrink_model(tmp_path / "4", tmp_path / "again", words=2, bits=8)
    assert load_file(tmp_path / "again" / "weights.safetensors")["embeddings.words"].dtype == torch.uint8


@pytest.mark.parametrize("bits", [8, 16])
def test_fewer_bits_parse_as_before(bits: Bits, tmp_path: Path) -> None:
    parser = tiny_parser()
    parser.save(tmp_path / "model")
    shrink_model(tmp_path / "model", tmp_path / "small", bits=bits)
    sentences = random_sentences([5, 9, 3, 12])
    packed = pointree.load(tmp_path / "small", precision="fp32")
    assert [tree.heads for tree in packed.parse(sentences)] == [tree.heads for tree in parser.parse(sentences)]


def test_a_scale_without_its_matrix_is_an_unknown_weight(folder: Path) -> None:
    config, vocabularies, network = load_folder(folder)
    save_folder(folder, config, vocabularies, {**network.state_dict(), "x.scale": torch.ones(1)}, "")
    with pytest.raises(ModelError, match=r"x\.scale is unknown"):
        load_folder(folder)


def test_everything_else_comes_along(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", words=2, bits=16)
    small = tmp_path / "small"
    assert (small / "text.udpipe").read_bytes() == b"text model"
    assert (small / "LICENSE.txt").read_text() == "free"
    assert not (small / "metrics.jsonl").exists()
    note = "After training, 6 of 11 words were kept and weights were rounded to 16 bits."
    assert (small / "README.md").read_text() == f"A card.\n\n{note}\n"


def test_a_copy_runs_in_the_precision_that_is_named(folder: Path, tmp_path: Path) -> None:
    shrink_model(folder, tmp_path / "small", bits=8, precision="int8")
    for name in ("small", "smaller"):
        (tmp_path / name / "text.udpipe").unlink(missing_ok=True)
        write_manifest(tmp_path / name)
        assert pointree.load(tmp_path / name).precision == "int8"
        if name == "small":
            shrink_model(tmp_path / "small", tmp_path / "smaller", words=2)
    assert "It runs in the precision int8 unless another" in (tmp_path / "small" / "README.md").read_text()


@pytest.mark.parametrize("order", ["left-to-right", "outside-in"])
def test_one_order_of_several_parses_as_it_did(order: str, tmp_path: Path) -> None:
    parser = tiny_parser(tiny_config(("combined", "simple", "gate1")))
    parser.save(tmp_path / "model")
    shrink_model(tmp_path / "model", tmp_path / "small", order=order)
    small, sentences = pointree.load(tmp_path / "small"), [["ta", "tok"], ["rosa", "a", "zu"], ["a"]]
    assert small.config.decoder.order == order
    alone, before = small.parse(sentences), parser.parse(sentences, order=order)
    assert [(each.heads, each.deprels) for each in alone] == [(each.heads, each.deprels) for each in before]
    with pytest.raises(UsageError, match=f"expected a model of several orders, {order} among them, found {order}$"):
        shrink_model(tmp_path / "small", tmp_path / "smaller", order=order)


def test_a_model_without_word_vectors_can_be_shrunk(tmp_path: Path) -> None:
    tiny_parser(tiny_config(("left-to-right", "none", "gate1"), {"embeddings": {"word_size": 0}})).save(tmp_path / "m")
    shrink_model(tmp_path / "m", tmp_path / "small", words=1)
    assert len(words_of(tmp_path / "small")) < len(words_of(tmp_path / "m"))


def test_what_cannot_be_shrunk_is_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a fine-tuned BERT, to leave out word pieces of it, found none"):
        shrink_model(folder, tmp_path / "latin", latin=True)
    with pytest.raises(UsageError, match="cannot be shrunk into its own folder"):
        shrink_model(folder, tmp_path / "x" / ".." / "model", bits=16)
    with pytest.raises(ModelError, match="no such model folder"):
        shrink_model(tmp_path / "none", tmp_path / "small", bits=16)
    config, vocabularies, network = load_folder(folder)
    weights = network.state_dict()
    weights["arcs.bias"] = torch.tensor([70_000.0])
    save_folder(folder, config, vocabularies, weights, "")
    with pytest.raises(ModelError, match=r"arcs\.bias: expected values up to 65,504, .* found 70000$"):
        shrink_model(folder, tmp_path / "small", bits=16)


def test_predicted_columns_and_scales_come_along(tmp_path: Path) -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], HEADS))
    parser.calibration = Calibration({"upos": Scale(2.0)})
    parser.save(tmp_path / "model")
    shrink_model(tmp_path / "model", tmp_path / "small", words=0, bits=8)
    small, sentences = pointree.load(tmp_path / "small"), [["ta", "tok"], ["rosa", "a", "zu"]]
    assert small.vocabularies.columns == parser.vocabularies.columns
    assert small.calibration == parser.calibration
    parsed = small.parse(sentences)
    assert all(word.lemma != "_" and word.upos != "_" for sentence in parsed for word in sentence.words)
