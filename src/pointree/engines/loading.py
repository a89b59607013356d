"""Which engine a model runs on, and how it is loaded."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path

from pointree.config import Config
from pointree.engines.engine import Engine
from pointree.errors import MissingExtraError, ModelError, UsageError
from pointree.models.folder import read_folder
from pointree.models.graphs import adding, has_graphs, reason_without
from pointree.options import ENGINES, PRECISIONS
from pointree.vocabulary import Vocabularies

__all__ = ["load_engine"]

logger = logging.getLogger("pointree.messages")


def load_engine(
    folder: Path, *, engine: str = "auto", precision: str | None = None, device: str = "cpu"
) -> tuple[Config, Vocabularies, Engine]:
    """Load the network of a model folder, with its settings and vocabularies.

    With ``engine`` ``auto``, a model that has graphs runs on onnxruntime on the CPU, and others run on torch. Without
    ``precision``, the engine onnx takes the one that the model names, and torch 32 bits.
    """
    if engine not in ENGINES:
        raise UsageError(f"engine must be one of {', '.join(ENGINES)}, found {engine}")
    if precision not in (None, *PRECISIONS):
        raise UsageError(f"precision must be one of {', '.join(PRECISIONS)}, found {precision}")
    if engine == "onnx" or (engine == "auto" and _runs_on_onnx(folder, precision, device)):
        return _load_onnx(folder, precision, device)
    if precision == "int8":
        found = f"the device {device}" if device != "cpu" else "the engine torch"
        raise UsageError(f"precision int8: expected the engine onnx on the device cpu, found {found}")
    if importlib.util.find_spec("torch") is None:
        raise _without_torch(folder, engine, precision, device)
    from pointree.engines.torch_engine import TorchEngine

    loaded = TorchEngine.load(folder, precision=precision or "fp32", device=device)
    if engine == "auto" and device == "cpu" and (reason := reason_without(folder, loaded.config)) is not None:
        logger.info(f"{folder}: runs on torch, because {reason}")
    return loaded.config, loaded.vocabularies, loaded


def _runs_on_onnx(folder: Path, precision: str | None, device: str) -> bool:
    return device == "cpu" and precision != "bf16" and (precision == "int8" or has_graphs(folder))


def _load_onnx(folder: Path, precision: str | None, device: str) -> tuple[Config, Vocabularies, Engine]:
    from pointree.engines.onnx_engine import OnnxEngine

    if device != "cpu":
        raise UsageError(f"engine onnx: expected the device cpu, found {device}; use the engine torch")
    if precision == "bf16":
        raise UsageError("engine onnx: expected the precision fp32 or int8, found bf16; use the engine torch")
    loaded = OnnxEngine.load(folder, None if precision == "auto" else precision)
    return loaded.config, loaded.vocabularies, loaded


def _without_torch(folder: Path, engine: str, precision: str | None, device: str) -> Exception:
    """Why a model needs torch, which is not there, and what to do."""
    if precision == "bf16":
        return MissingExtraError("the precision bf16", "train")
    if engine == "torch" or device != "cpu":
        return MissingExtraError("the engine torch", "train")
    if (reason := reason_without(folder, read_folder(folder).config)) is not None:
        return MissingExtraError(f"this model ({reason})", "train")
    return ModelError(
        f"{folder}: the model has no graphs for the engine onnx; {adding(folder)}, where torch is installed"
    )
