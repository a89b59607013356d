"""The arithmetic of the network: 32-bit floats, or bfloat16 where the machine multiplies it faster and safely.

Some virtual machines announce matrix units (AMX) that die with an illegal instruction when oneDNN uses them. So
bfloat16 is tried in a forked process before it is used here, and oneDNN is told to do without AMX where that fails.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from functools import cache

import torch

from pointree.errors import UsageError

__all__ = ["bf16_is_fast", "resolve_precision"]

_PRECISIONS = ("auto", "fp32", "bf16")

_PROBE_SECONDS = 20.0
_ONEDNN_LIMIT, _WITHOUT_AMX = "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16"


def resolve_precision(name: str, device: torch.device) -> torch.dtype:
    """The type to compute in; ``auto`` is bfloat16 only where it is both safe and faster than 32 bits."""
    if name not in _PRECISIONS:
        raise UsageError(f"precision must be one of {', '.join(_PRECISIONS)}, found {name}")
    if name == "fp32":
        return torch.float32
    if device.type == "cpu":
        if name == "auto":
            return torch.bfloat16 if bf16_is_fast() else torch.float32
        _make_bf16_safe()
        return torch.bfloat16
    supported = device.type == "cuda" and torch.cuda.is_bf16_supported()
    if name == "bf16" and not supported:
        raise UsageError(f"precision bf16: the device {device} has no bfloat16 arithmetic; use fp32")
    return torch.bfloat16 if supported else torch.float32


@cache
def bf16_is_fast() -> bool:
    """Whether this CPU has matrix units for bfloat16 and they really work."""
    if not torch.cpu._is_amx_tile_supported():
        return False
    return _survives_bf16()


@cache
def _make_bf16_safe() -> None:
    """Keep oneDNN from matrix units that do not work; oneDNN listens only before the first product of any type."""
    if torch.cpu._is_amx_tile_supported() and not _survives_bf16():
        os.environ[_ONEDNN_LIMIT] = _WITHOUT_AMX
        if not _survives_bf16():
            raise UsageError(
                "precision bf16: bfloat16 products fail in this process; use fp32, or start again with "
                f"{_ONEDNN_LIMIT}={_WITHOUT_AMX} in the environment"
            )


def _survives_bf16() -> bool:
    """Try a product in a forked process, which may die of it."""
    if not hasattr(os, "fork"):
        return False
    import resource  # where there is no fork, there is no such module

    child = os.fork()
    if child == 0:
        # The child shares nothing that it could harm; it must not run exit handlers of the parent, and should it die,
        # nobody needs to hear of it.
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        torch.set_num_threads(1)
        ones = torch.ones(64, 64, dtype=torch.bfloat16)
        os._exit(0 if float(torch.mm(ones, ones)[0, 0]) == 64.0 else 1)
    deadline = time.monotonic() + _PROBE_SECONDS
    while time.monotonic() < deadline:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
