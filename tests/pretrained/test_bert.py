"""Our BERT against that of transformers: the same states, the same pieces, and a parser that needs no transformers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import pointree
from pointree.config import PretrainedConfig
from pointree.errors import ModelError
from pointree.models.shrink import shrink_model
from pointree.pretrained.bert import Bert
from pointree.pretrained.bert_folder import copy_bert, prune_pieces, read_bert
from pointree.pretrained.identity import read_identity
from pointree.pretrained.loading import load_pretrained, new_pretrained, save_architecture
from pointree.pretrained.subwords import SubwordTokenizer
from pointree.training.trainer import Trainer
from pointree.treebank.conllu import read_conllu

from ..helpers import tiny_config
from .small_models import EWT, make_pretrained, open_pretrained, sentences, transformers, word_piece_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of transformers."""
    return make_pretrained(tmp_path_factory.mktemp("encoder") / "tiny")


def test_states_are_those_of_transformers(folder: Path) -> None:
    theirs = open_pretrained(folder)
    ours = new_pretrained(folder, PretrainedConfig(model=str(folder), layers=(1, 2, 3)), theirs.identity)
    assert isinstance(ours.model, Bert)
    ours.model.load_state_dict(theirs.model.state_dict(), assign=True)
    rows, start = [], 0
    for forms in sentences()[:8]:
        rows.append(torch.arange(start, start + len(forms) + 1).numpy())
        start += len(forms) + 1
    with torch.no_grad():
        expected, found = (each(each.lay_out(sentences()[:8], rows)) for each in (theirs, ours))
    assert expected.abs().max() > 0.1
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert ours.limit == theirs.limit


@cache
def tokenizers(lowercase: bool) -> tuple[SubwordTokenizer, SubwordTokenizer]:
    """That of transformers and ours, with the same pieces."""
    with tempfile.TemporaryDirectory() as place:
        folder = make_pretrained(Path(place))
        vocabulary = word_piece_tokenizer(folder).get_vocab()
        transformers.BertTokenizer(vocab=vocabulary, do_lower_case=lowercase).save_pretrained(folder)
        theirs = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        plain = read_bert(folder)
    assert plain is not None
    return SubwordTokenizer(theirs, "theirs"), SubwordTokenizer(plain[1], "ours")


# Scripts to which Unicode added nothing of late, which Python may know and tokenizers not, or the other way round.
OLD = st.characters(codec="latin-1") | st.sampled_from(
    "ĀİıΣσςЖє中文々가ｶ\u2014\u2019\u200b\u3000\ufffd\u0301\U0001f600"
)


@pytest.mark.parametrize("lowercase", [True, False])
@given(text=st.text(OLD, min_size=1, max_size=12) | st.sampled_from(["don't", "ΣΟΦΟΣ", "[SEP]", "[UNK]x", "the" * 40]))
@settings(max_examples=150, deadline=None)
def test_pieces_are_those_of_transformers(lowercase: bool, text: str) -> None:
    theirs, ours = tokenizers(lowercase)
    assert ours([text]) == theirs([text])


def test_other_models_are_left_to_transformers(tmp_path: Path) -> None:
    for number, kind in enumerate(("slow word pieces", "sentence pieces", "bytes")):
        folder = make_pretrained(tmp_path / str(number), kind)
        if kind != "slow word pieces":  # which are saved like the fast ones
            assert read_bert(folder) is None
    assert read_bert(make_pretrained(tmp_path / "relu", hidden_act="relu")) is None
    assert read_bert(tmp_path) is None


DAMAGE: dict[str, dict[str, Any]] = {
    "config.json": {
        "vocab_size": 5,
        "hidden_size": None,
        "num_attention_heads": 7,
        "type_vocab_size": 0,
        "layer_norm_eps": "small",
    },
    "tokenizer_config.json": {"model_max_length": "long"},
    "tokenizer.json": {"model": {"type": "WordPiece"}},
}


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, keys in DAMAGE.items() for key in keys])
def test_damaged_settings_are_one_line(name: str, key: str, folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    content = json.loads((copy / name).read_text(encoding="utf-8"))
    (copy / name).write_text(json.dumps({**content, key: DAMAGE[name][key]}), encoding="utf-8")
    with pytest.raises(ModelError, match="expected a") as caught:
        read_bert(copy)
    assert "\n" not in str(caught.value)


def test_files_that_lack_or_are_damaged_are_one_line(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config\.json: missing from the model folder"):
        read_bert(copy)
    with pytest.raises(ModelError, match="missing"):
        copy_bert(copy, tmp_path / "again")
    (copy / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json: expected a JSON object, found list"):
        read_bert(copy)
    (copy / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json: expected a JSON object, found a damaged file"):
        read_bert(copy)


def test_a_copy_is_read_alike(folder: Path, tmp_path: Path) -> None:
    copy_bert(folder, tmp_path / "copy")
    before, after = read_bert(folder), read_bert(tmp_path / "copy")
    assert before is not None
    assert after is not None
    assert before[0] == after[0]
    assert before[1].settings == after[1].settings


@pytest.mark.slow
def test_a_fine_tuned_parser_runs_without_transformers(tmp_path: Path) -> None:
    source = make_pretrained(tmp_path / "encoder", hidden_size=32)
    pretrained = {
        "model": str(source),
        "layers": [2],
        "fine_tune": True,
        "fine_tune_table": False,
        "learning_rate": 1e-2,
    }
    config = tiny_config(
        ("left-to-right", "simple", "gate1"), {"embeddings": {"pretrained": pretrained}, "training": {"epochs": 1}}
    )
    corpus = list(read_conllu(EWT))
    trainer = Trainer(config, corpus, corpus[:5], tmp_path / "model")
    before = {
        name: tensor.clone()
        for name, tensor in load_pretrained(config.embeddings.pretrained).model.state_dict().items()
    }
    trainer.run()
    after = pointree.load(tmp_path / "model", engine="torch").network.state_dict()
    changed = {
        name: not torch.equal(tensor, after[f"embeddings.pretrained.model.model.{name}"])
        for name, tensor in before.items()
    }
    assert not changed["embeddings.word_embeddings.weight"]
    assert changed["encoder.layer.0.output.dense.weight"]

    shrink_model(tmp_path / "model", tmp_path / "small", bits=8, latin=True)
    wheel = pointree.package(tmp_path / "model", tmp_path, name="named")
    with zipfile.ZipFile(wheel) as packed:
        texts = [packed.read(name).decode("utf-8", "replace") for name in packed.namelist()]
    texts += [(tmp_path / "small" / name).read_text() for name in ("config.toml", "encoder.json", "README.md")]
    assert not any(str(tmp_path) in text for text in texts)
    assert read_identity(tmp_path / "small" / "encoder.json").name == "encoder"
    forms = ["The", "parser", "needs", "nothing", "else", "=" * 50_000]
    trees = [
        pointree.load(tmp_path / name, precision="fp32").parse([forms], probabilities=True)[0]
        for name in ("model", "small")
    ]
    assert trees[0].heads == trees[1].heads
    config_of_encoder = tmp_path / "small" / "encoder" / "config.json"
    config_of_encoder.write_text(
        config_of_encoder.read_text().replace('"num_attention_heads":2', '"num_attention_heads":4')
    )
    with pytest.raises(ModelError, match=r"config\.json: damaged"):
        pointree.load(tmp_path / "small")

    script = (
        "import sys; sys.modules['transformers'] = None\n"
        "import pointree\n"
        f"parser = pointree.load({str(tmp_path / 'model')!r}, precision='fp32')\n"
        f"parser.save({str(tmp_path / 'again')!r})\n"
        f"again = pointree.load({str(tmp_path / 'again')!r}, precision='fp32')\n"
        "forms = ['The', 'parser', 'needs', 'nothing', 'else']\n"
        "print(parser.parse([forms]) == again.parse([forms]), parser.parse([forms])[0].heads)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    with_them = trainer.parser.parse([["The", "parser", "needs", "nothing", "else"]])
    assert found == f"True {with_them[0].heads}\n"


def test_pieces_of_other_scripts_can_be_left_out(folder: Path, tmp_path: Path) -> None:
    config = PretrainedConfig(model=str(folder), layers=(1,))
    whole = make_pretrained(tmp_path / "whole")
    tokenizer = json.loads((whole / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    first = next(iter(vocabulary))
    vocabulary |= {"я": len(vocabulary), "##я": len(vocabulary) + 1, "[unused1]": len(vocabulary) + 2}
    (whole / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    settings = json.loads((whole / "config.json").read_text(encoding="utf-8"))
    settings["vocab_size"] = len(vocabulary)
    (whole / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    rows = prune_pieces(whole, tmp_path / "latin")
    assert len(rows) == len(vocabulary) - 3
    assert vocabulary[first] in rows
    identity = open_pretrained(folder).identity
    before, after = (new_pretrained(place, config, identity).tokenizer for place in (whole, tmp_path / "latin"))
    for forms in sentences():
        assert [tuple(rows[number] for number in word) for word in after(forms)] == before(forms)
    assert [rows[number] for number in after(["1º", "Hawaiʻi"])[0]] == list(before(["1º"])[0])
    [unknown] = after(["яя"])
    assert rows[unknown[0]] == vocabulary["[UNK]"]
    assert (rows[after.opening[0]], rows[after.closing[0]]) == (before.opening[0], before.closing[0])


def test_the_architecture_is_saved_by_either(folder: Path, tmp_path: Path) -> None:
    config = PretrainedConfig(model=str(folder), layers=(1,), fine_tune=True)
    theirs = load_pretrained(config)
    save_architecture(theirs, tmp_path / "one")
    ours = new_pretrained(tmp_path / "one", config, theirs.identity)
    save_architecture(ours, tmp_path / "two")
    again = new_pretrained(tmp_path / "two", config, theirs.identity)
    assert again.tokenizer(sentences()[0]) == theirs.tokenizer(sentences()[0])
