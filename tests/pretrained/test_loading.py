"""Opening pretrained models: checksums, places, and what is refused, each in one line."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pointree.config import PretrainedConfig
from pointree.errors import MissingExtraError, ModelError
from pointree.pretrained.loading import (
    _drop_unused_layers,
    bundle_pretrained,
    load_pretrained,
    new_pretrained,
    save_architecture,
)

from .small_models import make_pretrained, open_pretrained, transformers, word_piece_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good model."""
    return make_pretrained(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """One that may be damaged."""
    return shutil.copytree(folder, tmp_path / "copy")


def fault(model: Path | str, **choices: Any) -> str:
    with pytest.raises(ModelError) as caught:
        load_pretrained(PretrainedConfig(model=str(model), layers=(1,)), **choices)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_identity_is_that_of_the_weights_and_not_of_the_folder(folder: Path, copy: Path, tmp_path: Path) -> None:
    identity = open_pretrained(folder).identity
    assert (identity.name, identity.width, identity.n_layers) == (str(folder), 12, 3)
    assert open_pretrained(copy).identity.sha256 == identity.sha256
    assert open_pretrained(make_pretrained(tmp_path / "other", seed=1)).identity.sha256 != identity.sha256


def test_the_identity_is_also_that_of_the_tokeniser(folder: Path, copy: Path) -> None:
    word_piece_tokenizer(copy).__class__(
        vocab=word_piece_tokenizer(copy).get_vocab(), do_lower_case=False
    ).save_pretrained(copy)
    assert open_pretrained(copy).identity.sha256 != open_pretrained(folder).identity.sha256


def test_a_head_that_was_never_trained_does_not_count(folder: Path, copy: Path) -> None:
    weights = load_file(copy / "model.safetensors")
    bare = {name: tensor for name, tensor in weights.items() if not name.startswith("pooler")}
    assert len(bare) < len(weights)
    save_file(bare, copy / "model.safetensors", metadata={"format": "pt"})
    assert open_pretrained(copy).identity.sha256 == open_pretrained(folder).identity.sha256


def test_another_model_than_expected(folder: Path, tmp_path: Path) -> None:
    expected = open_pretrained(folder).identity
    assert load_pretrained(PretrainedConfig(model=str(folder), layers=(1,)), expected=expected)
    message = fault(make_pretrained(tmp_path / "other", seed=1), expected=expected)
    assert "expected the one that the parser was trained with (sha256 " in message
    assert "found another (sha256 " in message


@pytest.mark.parametrize("variable", ["POINTREE_PRETRAINED", "POINTREE_ENCODERS"])
def test_a_model_that_moved_is_found_by_its_last_name(
    variable: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone" / folder.name
    assert "no such folder" in fault(gone)
    monkeypatch.setenv(variable, f"/nowhere:{folder.parent}")
    assert load_pretrained(PretrainedConfig(model=str(gone), layers=(1,))).identity.width == 12


def test_a_name_that_is_nowhere() -> None:
    message = fault("nobody/has-such-a-model")
    assert message.startswith("pretrained model nobody/has-such-a-model: ")


def test_a_folder_without_a_tokeniser(copy: Path) -> None:
    for path in copy.iterdir():
        if "token" in path.name or "vocab" in path.name:
            path.unlink()
    assert f"pretrained model {copy}: expected a tokeniser" in fault(copy)


def test_a_tokeniser_of_another_model(copy: Path) -> None:
    tokenizer = word_piece_tokenizer(copy)
    tokenizer.add_tokens([f"new{number}" for number in range(50)])
    tokenizer.save_pretrained(copy)
    assert "sub-words, found one of" in fault(copy)


def test_a_decoder(tmp_path: Path) -> None:
    tokenizer = word_piece_tokenizer(tmp_path)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=8, n_layer=2, n_head=2, n_positions=32, bos_token_id=2, eos_token_id=3
    )
    transformers.GPT2Model(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    message = fault(tmp_path)
    assert "expected one that reads a text in both directions, found a decoder (GPT2Model)" in message


def test_the_encoder_of_an_encoder_decoder(tmp_path: Path) -> None:
    tokenizer = word_piece_tokenizer(tmp_path)
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=8, d_kv=4, d_ff=8, num_layers=2, num_heads=2, decoder_start_token_id=0
    )
    transformers.T5Model(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    pretrained = open_pretrained(tmp_path, layers=(1, 2))
    assert (pretrained.identity.width, pretrained.identity.n_layers, pretrained.limit) == (8, 2, 512)
    assert not any("decoder" in name for name in pretrained.state_dict())
    bundle_pretrained(pretrained, tmp_path / "bundle")
    assert open_pretrained(tmp_path / "bundle", layers=(1,)).identity.sha256 == pretrained.identity.sha256


@pytest.mark.parametrize("damage", ["truncated", "missing layer", "no weights", "no config", "not json", "empty"])
def test_damaged_folders(damage: str, copy: Path) -> None:
    weights = copy / "model.safetensors"
    if damage == "truncated":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif damage == "missing layer":
        kept = {name: tensor for name, tensor in load_file(weights).items() if "layer.1." not in name}
        save_file(kept, weights, metadata={"format": "pt"})
    elif damage == "no weights":
        weights.unlink()
    elif damage == "no config":
        (copy / "config.json").unlink()
    elif damage == "not json":
        (copy / "config.json").write_text("{")
    else:
        shutil.rmtree(copy)
        copy.mkdir()
    message = fault(copy)
    assert message.startswith(f"pretrained model {copy}: ")
    if damage == "missing layer":
        assert "the weights lack encoder.layer.1." in message


def test_without_transformers_the_line_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pointree\[bert\]'$"):
        load_pretrained(PretrainedConfig(model=str(folder)))


def test_a_bundle_is_the_same_model(folder: Path, tmp_path: Path) -> None:
    pretrained = open_pretrained(folder)
    bundle_pretrained(pretrained, tmp_path / "bundle")
    again = load_pretrained(
        PretrainedConfig(model="gone", layers=(1,)), place=tmp_path / "bundle", expected=pretrained.identity
    )
    assert again.tokenizer(["Unbelievable"]) == pretrained.tokenizer(["Unbelievable"])


def test_an_architecture_has_all_but_the_weights(folder: Path, tmp_path: Path) -> None:
    pretrained = open_pretrained(folder)
    save_architecture(pretrained, tmp_path / "shape")
    assert not list((tmp_path / "shape").glob("*.safetensors"))
    config = PretrainedConfig(model=str(folder), layers=(1,))
    again = new_pretrained(tmp_path / "shape", config, pretrained.identity)
    again.load_state_dict(pretrained.state_dict(), assign=True)
    assert all(torch.equal(a, b) for a, b in zip(pretrained.parameters(), again.parameters(), strict=True))


@pytest.mark.parametrize("kind", ["word pieces", "sentence pieces", "bytes"])
def test_layers_that_nobody_reads_are_not_computed(kind: str, tmp_path: Path) -> None:
    folder = make_pretrained(tmp_path / "whole", kind)
    whole, cut = open_pretrained(folder, layers=(2, 3)), open_pretrained(folder, layers=(2,))
    assert len(cut.state_dict()) < len(whole.state_dict())
    assert cut.identity == whole.identity
    with torch.no_grad():
        rows = [np.arange(3)]
        batch = cut.lay_out([["a", "b"]], rows)
        whole.layers = (2,)
        assert torch.equal(cut(batch), whole(batch))
    bundle_pretrained(cut, tmp_path / "bundle")
    assert open_pretrained(tmp_path / "bundle").identity.sha256 == whole.identity.sha256


def test_layers_stay_where_the_last_one_is_special(tmp_path: Path) -> None:
    """As in models that normalise the states once more at their end."""
    folder = make_pretrained(tmp_path)
    pretrained = open_pretrained(folder, layers=(2,), fine_tune=True)
    stack = pretrained.model.encoder.layer  # type: ignore[union-attr]
    assert len(stack) == 3, "a fine-tuned model keeps its shape"  # type: ignore[arg-type]
    forward = pretrained.model.forward

    def normalised(**inputs: Any) -> Any:
        output = forward(**inputs)
        output.hidden_states = (*output.hidden_states[:-1], torch.tanh(output.hidden_states[-1]))
        return output

    pretrained.model.forward = normalised  # type: ignore[method-assign, assignment]
    _drop_unused_layers(pretrained)
    assert len(stack) == 3  # type: ignore[arg-type]
    pretrained.model.forward = forward  # type: ignore[method-assign]
    _drop_unused_layers(pretrained)
    assert len(stack) == 2  # type: ignore[arg-type]


def test_loading_and_saving_are_quiet_and_leave_the_settings_of_transformers_alone(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logging = transformers.utils.logging
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    pretrained = open_pretrained(folder)
    bundle_pretrained(pretrained, tmp_path)
    save_architecture(pretrained, tmp_path)
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
    assert capfd.readouterr() == ("", "")
