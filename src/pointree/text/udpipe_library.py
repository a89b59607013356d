"""The library of UDPipe 1, imported only when something of it is needed: models of today do without."""

from __future__ import annotations

import importlib
from typing import Any

from pointree.errors import MissingExtraError

__all__ = ["ufal"]


class _Library:
    """Stands for the module `ufal.udpipe`."""

    def __getattr__(self, name: str) -> Any:
        try:
            module = importlib.import_module("ufal.udpipe")
        except ImportError:
            raise MissingExtraError("a model or format of UDPipe", "udpipe") from None
        return getattr(module, name)


ufal = _Library()
