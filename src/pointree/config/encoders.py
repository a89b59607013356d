"""The settings of each kind of encoder: `encoder.kind` says which class checks the section `encoder`.

`pointree.nn.encoders.register` adds a kind to this table together with its network.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pointree.config.rules import FieldRule, as_toml, share, whole
from pointree.config.section import Section, section_rules
from pointree.errors import ConfigError

__all__ = [
    "DEFAULT_ENCODER",
    "ENCODER_KIND",
    "ENCODER_SETTINGS",
    "BiLstmConfig",
    "EncoderConfig",
    "register_encoder_settings",
]

DEFAULT_ENCODER = "bilstm"


class EncoderConfig(Section):
    """Base of the settings of an encoder; a subclass is a frozen dataclass with these fields and its own.

    Attributes:
        kind: The name of the encoder, which is the default of the field; its metadata is `ENCODER_KIND`.
        dropout: The dropout within the encoder, and of the rows that it returns.
    """

    __slots__ = ()
    name: ClassVar[str] = "encoder"

    kind: str
    dropout: float

    def describe(self) -> str:
        """The encoder in a few words, for the model card."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.__dataclass_fields__["kind"].default  # type: ignore[attr-defined]
        if self.kind != own:
            raise ConfigError(
                [f"encoder.kind must be {as_toml(own)} for {type(self).__name__}, found {as_toml(self.kind)}"]
            )


ENCODER_SETTINGS: dict[str, type[EncoderConfig]] = {}
"""The settings of each kind of encoder."""

ENCODER_KIND = {"rule": FieldRule(str, "Kind of encoder.", choices=ENCODER_SETTINGS.keys())}
"""Metadata of the field `kind`, which accepts every kind that is registered."""


def register_encoder_settings(settings: type[EncoderConfig]) -> str:
    """Add the settings of a kind of encoder, which is the default of their field `kind`; returns the kind."""
    rules = section_rules(settings)
    if missing := [name for name in ("kind", "dropout") if name not in rules]:
        raise ValueError(f"{settings.__name__}: expected the fields kind and dropout with rules, found no {missing[0]}")
    kind = str(settings.__dataclass_fields__["kind"].default)  # type: ignore[attr-defined]
    if kind in ENCODER_SETTINGS:
        raise ValueError(f"{settings.__name__}: expected a new kind of encoder, found {kind}, which exists")
    ENCODER_SETTINGS[kind] = settings
    return kind


@dataclass(frozen=True, slots=True)
class BiLstmConfig(EncoderConfig):
    """The bidirectional LSTM that reads the sentence (§2.2)."""

    kind: str = field(default=DEFAULT_ENCODER, metadata=ENCODER_KIND)
    size: int = field(default=512, metadata=whole("Units per direction."))
    layers: int = field(default=3, metadata=whole("Layers."))
    dropout: float = field(default=0.33, metadata=share("Dropout between and inside the layers."))

    def describe(self) -> str:
        return f"{self.layers} × {self.size}"


register_encoder_settings(BiLstmConfig)
