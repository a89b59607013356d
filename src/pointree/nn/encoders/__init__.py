"""The encoders, one file each. A kind is a network and its settings, chosen by `encoder.kind`.

To add one, write a subclass of `Encoder` and one of `pointree.config.EncoderConfig`, and register them. Loading a model
needs its encoder to be registered too.
"""

from pointree.config import EncoderConfig
from pointree.config.encoders import DEFAULT_ENCODER, register_encoder_settings
from pointree.nn.encoders.bilstm import BiLstm
from pointree.nn.encoders.encoder import Encoder

__all__ = ["ENCODERS", "BiLstm", "Encoder", "new_encoder", "register"]

ENCODERS: dict[str, type[Encoder]] = {DEFAULT_ENCODER: BiLstm}
"""The network of each kind of encoder; `pointree.config.encoders.ENCODER_SETTINGS` has its settings."""


def register(settings: type[EncoderConfig], encoder: type[Encoder]) -> None:
    """Add a kind of encoder, whose name is the default of the field `kind` of its settings."""
    ENCODERS[register_encoder_settings(settings)] = encoder


def new_encoder(settings: EncoderConfig, *, inputs: int) -> Encoder:
    """The encoder that the settings choose, with fresh weights, for rows of width ``inputs``."""
    return ENCODERS[settings.kind](settings, inputs=inputs)
