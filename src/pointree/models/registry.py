"""Models by name: a folder, a subfolder of $POINTREE_MODELS, a bundled model, an installed wheel, or a Hub id.

Nothing heavy is imported to find a model, so that `pointree models` need not wait for torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pointree.errors import ModelError
from pointree.models.catalogue import catalogue, install_command
from pointree.models.hub import download_model, parse_hub_id
from pointree.models.layout import MANIFEST

__all__ = ["AUTO", "ENTRY_POINTS", "MODELS_VARIABLE", "AvailableModel", "Origin", "available_models", "resolve_model"]

Origin = Literal["folder", "bundled", "installed"]

AUTO = "auto"
"""The name that asks for the model that fits each text; see `pointree.models.language`."""

MODELS_VARIABLE = "POINTREE_MODELS"
"""The environment variable with a list of folders, separated as in PATH, whose subfolders are models."""

ENTRY_POINTS = "pointree.models"
"""The entry points of installed wheels: the name of a model, and the package that has its files."""

_BUNDLED = Path(__file__).with_name("bundled")


@dataclass(frozen=True, slots=True)
class AvailableModel:
    """A model on this machine that has a name."""

    name: str
    origin: Origin
    source: str
    """Where it comes from, for people: a folder of $POINTREE_MODELS, or a wheel and its version."""
    folder: Path


def resolve_model(model: str | os.PathLike[str]) -> Path:
    """The folder of a model, which is downloaded if it is on the Hugging Face Hub only.

    A string is the path of a folder, a name that `available_models` knows, or a Hub id such as ``org/name``, with
    ``@`` and a revision if need be; what comes first in this list is taken. A `Path` is always that of a folder.
    """
    text = os.fspath(model)
    if not text:
        raise ModelError("expected the name, the folder or the Hub id of a model, found an empty string")
    folder = Path(text)
    is_path = not isinstance(model, str) or any(mark in text for mark in (os.sep, "/")) or text.startswith((".", "~"))
    # A folder that only happens to have the name of a model, such as one of texts in the language `en`, hides no model.
    if _is_model(folder) or (is_path and os.path.isdir(folder)):
        return folder
    if isinstance(model, str):
        if found := [known for known in available_models() if known.name == text]:
            return _first(found)
        if hub_id := parse_hub_id(text):
            return download_model(hub_id)
    if is_path:
        raise ModelError(f"{text}: no such model folder")
    if os.path.isdir(folder):
        raise ModelError(f"{text}: not a model folder, {MANIFEST} is missing, and no model has this name")
    raise ModelError(_unknown(text))


def _first(found: Sequence[AvailableModel]) -> Path:
    """The first of several models of one name; of two packages, none is first."""
    first, *others = found
    if first.origin == "installed" and others:
        packages = " and ".join(sorted(model.source for model in found))
        raise ModelError(
            f"model {first.name}: expected one package with this model, found {packages}; pip uninstall all but one, "
            "or give the folder of a model"
        )
    return first.folder


def available_models() -> Iterator[AvailableModel]:
    """All models with a name, in the order in which a name is looked for; of two with one name the first is taken."""
    for root in os.environ.get(MODELS_VARIABLE, "").split(os.pathsep):
        if root:
            for folder in _models_in(Path(root).expanduser()):
                yield AvailableModel(folder.name, "folder", root, folder)
    for folder in _models_in(_BUNDLED):
        yield AvailableModel(folder.name, "bundled", "pointree", folder)
    yield from _installed()


def _models_in(root: Path) -> list[Path]:
    try:
        return sorted(folder for folder in root.iterdir() if _is_model(folder))
    except OSError:
        return []  # as in PATH, a folder that is not there or may not be read has nothing to offer


def _is_model(folder: Path) -> bool:
    return os.path.isfile(folder / MANIFEST)


def _installed() -> Iterator[AvailableModel]:
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        folder = _package_folder(point.module)
        if folder is not None and _is_model(folder):
            source = f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.module
            yield AvailableModel(point.name, "installed", source, folder)


def _package_folder(package: str) -> Path | None:
    """The folder of an installed package, which is looked up but not imported.

    To find ``a.b``, Python would import ``a``: only ``a`` is looked up, and ``b`` is a folder in it.
    """
    from importlib.util import find_spec

    top, *inner = package.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(locations[0], *inner) if locations and all(map(str.isidentifier, inner)) else None


def _unknown(text: str) -> str:
    names = dict.fromkeys(model.name for model in available_models())
    if text == AUTO:
        return (
            f"model {AUTO}: only `pointree parse` and `parse_files` choose a model for each text; here, name one of: "
            f"{', '.join(names) or 'none'}"
        )
    if text in catalogue():
        return (
            f"model {text} ({catalogue()[text].language}) is not installed; in a copy of pointree's repository, "
            f"`{install_command(text)}` installs it; available: {', '.join(names) or 'none'}"
        )
    return (
        f"model {text} is unknown; available: {', '.join(names) or 'none'}; for others give the folder that `pointree "
        f"train` made or a Hugging Face Hub id such as org/name, pip install a model, or set ${MODELS_VARIABLE}"
    )
