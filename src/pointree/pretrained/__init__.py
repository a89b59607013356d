"""Pretrained embeddings: vectors of words from a pretrained model such as BERT (paper §2.2, §5.2).

Words are split into sub-words (`subwords`), which are laid out in windows that the model can read (`windows`). The
model returns one vector for each word and layer (`model`). The vectors of a frozen model are computed once and kept on
disk (`cache`); a fine-tuned model is a part of the network (`embedding`).
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
