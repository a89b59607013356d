"""Which engine a model runs on, and how it is loaded."""

from __future__ import annotations

from pathlib import Path

from pointree.config import Config
from pointree.engines.engine import Engine
from pointree.vocabulary import Vocabularies

__all__ = ["load_engine"]


def load_engine(folder: Path, *, precision: str = "fp32", device: str = "cpu") -> tuple[Config, Vocabularies, Engine]:
    """Load the network of a model folder, with its settings and vocabularies."""
    from pointree.engines.torch_engine import TorchEngine

    engine = TorchEngine.load(folder, precision=precision, device=device)
    return engine.config, engine.vocabularies, engine
