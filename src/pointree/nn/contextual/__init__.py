"""Contextual embeddings: vectors of words from a pretrained encoder such as BERT (paper §2.2, §5.2).

A sentence goes from words to sub-words (`subwords`), to windows that the encoder can read (`windows`), through the
encoder (`encoder`), and back to one vector a word and layer. A frozen encoder's vectors are constants that are computed
once and kept on disk (`cache`); an encoder that trains is a part of the network (`embedding`).
"""

from pointree.nn.contextual.cache_folder import CacheFolder, default_cache
from pointree.nn.contextual.encoder import ContextualEncoder
from pointree.nn.contextual.features import ContextualSource, FrozenFeatures, TrainedFeatures
from pointree.nn.contextual.identity import EncoderIdentity, read_identity, write_identity
from pointree.nn.contextual.pretrained import (
    bundle_encoder,
    compact_encoder,
    load_encoder,
    new_encoder,
    save_architecture,
)

__all__ = [
    "CacheFolder",
    "ContextualEncoder",
    "ContextualSource",
    "EncoderIdentity",
    "FrozenFeatures",
    "TrainedFeatures",
    "bundle_encoder",
    "compact_encoder",
    "default_cache",
    "load_encoder",
    "new_encoder",
    "read_identity",
    "save_architecture",
    "write_identity",
]
