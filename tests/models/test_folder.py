"""A model on disk: nothing is lost, and every kind of damage is one line that names the file."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from pointree.engines.torch_folder import as_arrays, load_folder, new_network
from pointree.errors import ModelError, OutputError
from pointree.models.folder import FORMAT, replace_config, save_folder, write_card
from pointree.models.layout import WEIGHTS
from pointree.models.weights import write_weights
from pointree.parser import Parser
from pointree.vocabulary import LabelVocabulary, Vocabularies, Vocabulary

from ..helpers import COMBINATIONS, HEADS, Combination, describe, tiny_config, tiny_parser, tiny_vocabularies

NEEDED = [
    "pointree.json",
    "config.toml",
    "words.json",
    "chars.json",
    "tags.json",
    "deprels.json",
    "weights.safetensors",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model."""
    tiny_parser().save(tmp_path / "model", "A card.\n")
    return tmp_path / "model"


def fault_of(folder: Path) -> str:
    """The message with which the folder is refused."""
    with pytest.raises(ModelError) as caught:
        load_folder(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("layers", [[], [HEADS]], ids=["tree", "heads"])
@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_what_is_saved_is_loaded(
    combination: Combination, layers: list[dict[str, dict[str, Any]]], tmp_path: Path
) -> None:
    parser = tiny_parser(tiny_config(combination, *layers))
    parser.save(tmp_path)
    assert (tmp_path / "heads.json").exists() == bool(layers)
    config, vocabularies, network = load_folder(tmp_path)
    assert config == parser.config
    assert vocabularies == parser.vocabularies
    expected = parser.network.state_dict()
    found = network.state_dict()
    assert list(found) == list(expected)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert not network.training
    assert not any(parameter.requires_grad for parameter in network.parameters())
    assert network.embeddings.singletons.tolist() == vocabularies.words.singletons.tolist()


def test_nothing_in_the_folder_is_a_pickle(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted([*NEEDED, "README.md"])
    for path in folder.iterdir():
        assert not path.read_bytes().startswith((b"\x80", b"PK")), path.name
    assert json.loads((folder / "pointree.json").read_text())["format"] == FORMAT
    assert (folder / "README.md").read_text() == "A card.\n"
    with safe_open(folder / "weights.safetensors", framework="pt") as stream:
        assert set(stream.keys()) == set(tiny_parser().network.state_dict())


def test_bfloat16_weights_are_loaded_in_32_bits(tmp_path: Path) -> None:
    parser = tiny_parser()
    weights = {name: tensor.bfloat16() for name, tensor in parser.network.state_dict().items()}
    parser.save(tmp_path)
    digest = hashlib.sha256(b"".join(weights[name].view(torch.int16).numpy().tobytes() for name in sorted(weights)))
    save_file(weights, tmp_path / WEIGHTS, metadata={"sha256": digest.hexdigest()})
    network = load_folder(tmp_path)[2]
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, weights[name].float())


def test_weights_and_card_are_replaced_alone(folder: Path) -> None:
    before = {name: (folder / name).read_bytes() for name in NEEDED}
    other = tiny_parser(seed=1).network.state_dict()
    write_weights(folder / WEIGHTS, as_arrays(other))
    write_card(folder, "Another card.\n")
    changed = {name for name in NEEDED if (folder / name).read_bytes() != before[name]}
    assert changed == {"weights.safetensors"}
    assert all(torch.equal(tensor, other[name]) for name, tensor in load_folder(folder)[2].state_dict().items())


def test_settings_are_replaced_alone(folder: Path) -> None:
    before = {name: (folder / name).read_bytes() for name in NEEDED}
    longer = tiny_config(COMBINATIONS[1], {"training": {"epochs": 77}})
    replace_config(folder, load_folder(folder)[0])
    assert {name: (folder / name).read_bytes() for name in NEEDED} == before
    replace_config(folder, longer)
    assert {name for name in NEEDED if (folder / name).read_bytes() != before[name]} == {"config.toml", "pointree.json"}
    assert load_folder(folder)[0] == longer
    path = folder / "config.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("epochs = 77", "epochs = 78"), encoding="utf-8")
    assert "config.toml: damaged" in fault_of(folder)


def test_new_settings_do_not_hide_damage(folder: Path) -> None:
    path = folder / "deprels.json"
    path.write_text(path.read_text(encoding="utf-8").replace("nsubj", "csubj"), encoding="utf-8")
    replace_config(folder, tiny_config(COMBINATIONS[1], {"training": {"epochs": 77}}))
    assert "deprels.json: damaged" in fault_of(folder)


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_model_can_be_read_while_its_settings_are_replaced(
    folder: Path, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system refuses what comes after so many files."""
    replace, left = os.replace, iter(range(writes))

    def replace_some(source: str, target: str) -> None:
        if next(left, None) is None:
            raise OSError("no more")
        replace(source, target)

    monkeypatch.setattr(os, "replace", replace_some)
    longer = tiny_config(COMBINATIONS[1], {"training": {"epochs": 77}})
    with pytest.raises(OutputError):
        replace_config(folder, longer)
    assert (load_folder(folder)[0] == longer) == (writes == 2)
    monkeypatch.undo()
    replace_config(folder, longer)
    assert load_folder(folder)[0] == longer


def test_no_folder(tmp_path: Path) -> None:
    assert fault_of(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'}: no such model folder"
    assert "pointree.json is missing" in fault_of(tmp_path)


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert name in fault_of(folder)


@pytest.mark.parametrize("name", NEEDED)
def test_a_folder_in_the_place_of_a_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()
    assert name in fault_of(folder)


@pytest.mark.parametrize("name", NEEDED)
def test_a_file_cut_anywhere(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    line_ends = [place + 1 for place, byte in enumerate(whole[:-2]) if byte == ord("\n")]
    random = Random(0)
    for size in {0, 1, len(whole) // 2, len(whole) - 2, *random.sample(line_ends, min(5, len(line_ends)))}:
        (folder / name).write_bytes(whole[:size])
        assert name in fault_of(folder), f"cut after {size} of {len(whole)} bytes"


@pytest.mark.parametrize("name", NEEDED[1:])
def test_a_changed_byte(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    random = Random(1)
    places = [random.randrange(len(whole)) for _ in range(12)]
    if name == "weights.safetensors":
        places += [random.randrange(8, 8 + int.from_bytes(whole[:8], "little")) for _ in range(12)]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << random.randrange(8)
        (folder / name).write_bytes(changed)
        assert name in fault_of(folder), f"byte {place} changed"


def test_settings_that_are_cut_at_the_end_of_a_line_do_not_fall_back_to_defaults(folder: Path) -> None:
    """Without its last sections, config.toml is still a configuration: that of a left-to-right parser."""
    text = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text(text[: text.index("[training]")])
    assert "config.toml: damaged" in fault_of(folder)


def test_a_changed_label_is_noticed(folder: Path) -> None:
    path = folder / "deprels.json"
    path.write_text(path.read_text().replace("nsubj", "csubj"))
    assert "deprels.json: damaged: the content differs from its checksum in pointree.json" in fault_of(folder)


def test_a_folder_from_before_checksums_is_loaded(folder: Path) -> None:
    (folder / "pointree.json").write_text(json.dumps({"format": FORMAT, "pointree": "0"}))
    load_folder(folder)


@pytest.mark.parametrize("manifest", [{"format": 99, "pointree": "7.1"}, {}, [], 3, {"format": "1"}], ids=str)
def test_another_format(folder: Path, manifest: object) -> None:
    (folder / "pointree.json").write_text(json.dumps(manifest))
    message = fault_of(folder)
    assert f"pointree.json: expected format {FORMAT}, found" in message
    if isinstance(manifest, dict) and "format" in manifest and manifest["format"] == 99:
        assert "found 99 (made by pointree 7.1;" in message
        assert message.endswith("; install a newer pointree)")


@pytest.mark.parametrize("checksums", [[], "x", 1], ids=str)
def test_checksums_of_the_wrong_kind(folder: Path, checksums: object) -> None:
    (folder / "pointree.json").write_text(json.dumps({"format": FORMAT, "sha256": checksums}))
    assert "pointree.json: expected checksums" in fault_of(folder)


def test_bytes_that_are_no_text(folder: Path) -> None:
    for name in NEEDED:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(b"\xff\xfe" + whole)
        assert name in fault_of(folder)
        (folder / name).write_bytes(whole)


def test_a_vocabulary_of_another_size(tmp_path: Path) -> None:
    parser = tiny_parser()
    given = tiny_vocabularies()
    larger = Vocabularies(given.words, given.chars, given.tags, LabelVocabulary([*given.deprels.symbols, "iobj"]))
    save_folder(tmp_path, parser.config, larger, as_arrays(parser.network.state_dict()), "")
    message = fault_of(tmp_path)
    assert "weights.safetensors: the weights do not fit the settings: " in message
    assert "labels.bilinear has shape (7, 28), expected (7, 35)" in message


def test_settings_of_another_network(tmp_path: Path) -> None:
    parser = tiny_parser(tiny_config(("left-to-right", "simple", "gate1")))
    other = tiny_config(("left-to-right", "none", "gate1"))
    save_folder(tmp_path, other, parser.vocabularies, as_arrays(parser.network.state_dict()), "")
    assert "decoder.fusion.joint is unknown" in fault_of(tmp_path)
    save_folder(
        tmp_path,
        parser.config,
        parser.vocabularies,
        as_arrays(new_network(other, parser.vocabularies).state_dict()),
        "",
    )
    assert "decoder.fusion.joint is missing" in fault_of(tmp_path)


def test_weights_without_a_checksum(folder: Path) -> None:
    """Another program may have written them: they are refused as well."""
    save_file(load_file(folder / "weights.safetensors"), folder / "weights.safetensors")
    assert "weights.safetensors: damaged" in fault_of(folder)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"file.*cannot be written") as caught:
        tiny_parser().save(tmp_path / "file" / "model")
    assert "\n" not in str(caught.value)


def test_the_tagger_of_an_earlier_version_is_a_head(tmp_path: Path) -> None:
    only_upos = {"embeddings": {"tag": "none"}, "heads": {"upos": True}}
    parser = tiny_parser(tiny_config(COMBINATIONS[1], only_upos))
    parser.save(tmp_path)
    classes, specials = parser.vocabularies.columns.classes["upos"].symbols, Vocabulary.specials
    Vocabulary(classes).save(tmp_path / "tags.json")
    (tmp_path / "heads.json").unlink()
    text = (tmp_path / "config.toml").read_text(encoding="utf-8")
    old = text.replace('tag = "none"', 'tag = "joint"').partition("[heads]")
    (tmp_path / "config.toml").write_text(old[0] + "[training]" + old[2].partition("[training]")[2], encoding="utf-8")
    weights = load_file(tmp_path / "weights.safetensors")
    weight, bias = (weights.pop(f"heads.upos.projection.{name}") for name in ("weight", "bias"))
    # Classes that were never chosen have the highest scores here, so that it shows if they are.
    weights["tagger.projection.weight"] = torch.cat([weight.new_zeros(len(weight), len(specials)), weight], dim=1)
    weights["tagger.projection.bias"] = torch.cat([bias.new_full((len(specials),), 100.0), bias])
    write_weights(tmp_path / WEIGHTS, as_arrays(weights))
    (tmp_path / "pointree.json").write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    sentences = [["ta", "tok", "rosa"], ["a"]]
    expected = [[word.upos for word in sentence.words] for sentence in parser.parse(sentences)]
    loaded = Parser.load(tmp_path)
    assert [[word.upos for word in sentence.words] for sentence in loaded.parse(sentences)] == expected
    loaded.save(tmp_path / "again")
    again = Parser.load(tmp_path / "again").parse(sentences)
    assert [[word.upos for word in sentence.words] for sentence in again] == expected


def test_damaged_heads(tmp_path: Path) -> None:
    tiny_parser(tiny_config(COMBINATIONS[1], HEADS)).save(tmp_path)
    content = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))
    content["classes"]["upos"].append("NEW")
    (tmp_path / "heads.json").write_text(json.dumps(content), encoding="utf-8")
    assert "heads.json: damaged: the content differs" in fault_of(tmp_path)
    (tmp_path / "pointree.json").write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    assert "heads.upos.projection.weight has shape" in fault_of(tmp_path)
    (tmp_path / "heads.json").unlink()
    assert "is unknown" in fault_of(tmp_path)
