"""The settings of encoders; tests/nn/encoders/test_custom_encoder.py adds a kind of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pointree.config import BiLstmConfig, Config, EncoderConfig, load_config
from pointree.config.encoders import ENCODER_KIND, ENCODER_SETTINGS, register_encoder_settings
from pointree.errors import ConfigError


def test_the_default_is_the_bilstm_of_the_paper() -> None:
    assert Config().encoder == BiLstmConfig(kind="bilstm", size=512, layers=3, dropout=0.33)
    assert load_config(None, ["encoder.kind=bilstm"]) == Config()
    assert Config.from_dict({"encoder": {"size": 8}}).encoder == BiLstmConfig(
        size=8
    )  # a file from before there were kinds
    assert BiLstmConfig(size=8, layers=2).describe() == "2 × 8"


@pytest.mark.parametrize(("kind", "found"), [("lstm", '"lstm"'), ("3", "3"), ("[1]", "[1]")])
def test_an_unknown_kind_lists_the_known_ones(kind: str, found: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(None, [f"encoder.kind={kind}", "encoder.heads=3"])
    assert list(error.value.faults) == [f"settings: encoder.kind must be one of bilstm, found {found}"]


def test_settings_to_register_need_a_kind_and_a_dropout() -> None:
    @dataclass(frozen=True, slots=True)
    class Lacking(EncoderConfig):
        kind: str = field(default="lacking", metadata=ENCODER_KIND)

    with pytest.raises(ValueError, match="Lacking: expected the fields kind and dropout with rules, found no dropout"):
        register_encoder_settings(Lacking)
    assert list(ENCODER_SETTINGS) == ["bilstm"]
