"""Every choice that makes a model or a training run, with the paper's values as defaults.

A configuration is a few frozen sections, one of them within another. Each field carries a rule (what it accepts, and
a sentence of help), and the rest follows from the rules: checking, error messages, and the list that the documentation
shows.
"""

from pointree.config.config import Config
from pointree.config.encoders import BiLstmConfig, EncoderConfig
from pointree.config.loading import load_config, read_toml
from pointree.config.presets import PRESETS
from pointree.config.sections import (
    COMBINED_ORDER,
    FUSIONS,
    READ_TAGS,
    DecoderConfig,
    DecoderOrder,
    EmbeddingsConfig,
    FusionName,
    GateName,
    HeadsConfig,
    OrderName,
    PretrainedConfig,
    ScorersConfig,
    SegmenterConfig,
    SelectionConfig,
    Subwords,
    TagColumn,
    TrainingConfig,
    fusions_of,
    single_orders,
)
from pointree.config.settings import defaults, describe, flat_settings

__all__ = [
    "COMBINED_ORDER",
    "FUSIONS",
    "PRESETS",
    "READ_TAGS",
    "BiLstmConfig",
    "Config",
    "DecoderConfig",
    "DecoderOrder",
    "EmbeddingsConfig",
    "EncoderConfig",
    "FusionName",
    "GateName",
    "HeadsConfig",
    "OrderName",
    "PretrainedConfig",
    "ScorersConfig",
    "SegmenterConfig",
    "SelectionConfig",
    "Subwords",
    "TagColumn",
    "TrainingConfig",
    "defaults",
    "describe",
    "flat_settings",
    "fusions_of",
    "load_config",
    "read_toml",
    "single_orders",
]
