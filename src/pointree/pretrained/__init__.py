"""Pretrained embeddings: vectors of words from a pretrained encoder such as BERT (paper §2.2, §5.2).

A sentence goes from words to sub-words (`subwords`), to windows that the encoder can read (`windows`), through the
encoder (`encoder`), and back to one vector a word and layer. A frozen encoder's vectors are constants that are computed
once and kept on disk (`cache`); an encoder that trains is a part of the network (`embedding`).
"""

from pointree.pretrained.cache_folder import CacheFolder, default_cache
from pointree.pretrained.identity import PretrainedIdentity, read_identity, write_identity
from pointree.pretrained.loading import (
    bundle_pretrained,
    load_pretrained,
    new_pretrained,
    save_architecture,
)
from pointree.pretrained.model import PretrainedModel

__all__ = [
    "CacheFolder",
    "PretrainedIdentity",
    "PretrainedModel",
    "bundle_pretrained",
    "default_cache",
    "load_pretrained",
    "new_pretrained",
    "read_identity",
    "save_architecture",
    "write_identity",
]
