"""The models of a service by name. Requests name models, never files: all are loaded before the first request."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.parser import Parser, load
from pointree.serving.failures import RequestError

__all__ = ["Registry", "ServedModel", "load_registry"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A loaded model under the name by which requests ask for it."""

    name: str
    parser: Parser


class Registry:
    """Loaded models by name; the first is the default."""

    def __init__(self, models: Sequence[ServedModel]) -> None:
        self._models: dict[str, ServedModel] = {}
        for model in models:
            if not _NAME.fullmatch(model.name):
                raise UsageError(f"model name: expected letters, digits, '.', '_' and '-', found {model.name!r}")
            if model.name in self._models:
                raise UsageError(f"model {model.name} is given twice; name one of them otherwise: NAME=FOLDER")
            self._models[model.name] = model
        if not self._models:
            raise UsageError("serve: expected at least one model, found none")

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._models.values())

    @property
    def default(self) -> ServedModel:
        """The model of requests that name none."""
        return next(iter(self))

    def get(self, name: str | None = None) -> ServedModel:
        """The model with exactly this name, or the default; another name is a `RequestError` with status 404."""
        if name is None:
            return self.default
        if name not in self._models:
            known = ", ".join(self._models)
            raise RequestError(404, "unknown_model", f"model: expected one of {known}, found {name[:80]!r}")
        return self._models[name]

    def match(self, name: str | None) -> ServedModel:
        """As UDPipe looks up models: `get`, or the first whose name goes on after this one with a hyphen."""
        if not name:
            return self.default
        if name not in self._models:
            for model in self:
                if model.name.startswith(f"{name}-"):
                    return model
        return self.get(name)


def load_registry(
    models: Sequence[str], *, precision: str | None = None, device: str = "cpu", engine: str = "auto"
) -> Registry:
    """Load models given as `NAME=MODEL` or `MODEL`, a name or folder, whose last part is then the name."""
    parsers: dict[str, Parser] = {}
    served = []
    for argument in models:
        name, equals, model = argument.partition("=")
        if not equals:
            name, model = os.path.basename(os.path.normpath(argument)), argument
        if model not in parsers:
            parsers[model] = load(model, precision=precision, device=device, engine=engine)
        served.append(ServedModel(name, parsers[model]))
    return Registry(served)
