"""A model as a wheel: a zip file that `pip install` understands, written without a build tool.

pointree_model_NAME/                     the files of the model, and an empty package around them
pointree_model_NAME-VERSION.dist-info/   METADATA with the card, and the entry point under which pointree finds it

The distribution has a prefix, so that a model called `numpy` never takes the place of something else. Equal folders
make equal bytes: entries are sorted and have no time of their own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

from pointree.errors import UsageError
from pointree.files import atomic_write, make_folder
from pointree.models.card import read_card
from pointree.models.layout import CARD, MANIFEST
from pointree.models.registry import ENTRY_POINTS
from pointree.models.summary import model_files
from pointree.version import __version__

__all__ = ["check_name", "check_version", "distribution_name", "write_wheel"]

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?", re.ASCII)
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip file can hold."""


def check_name(name: str) -> str:
    """The name of a model, if a wheel can have it."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"name must be letters and digits with . _ - between them, found {name!r}")
    return name


def distribution_name(name: str) -> str:
    """The name by which pip knows the package of a model."""
    return f"pointree-model-{re.sub(r'[-_.]+', '-', name).lower()}"


def check_version(version: str) -> str:
    """The version of a model, if a wheel can have it."""
    if not _VERSION.fullmatch(version):
        raise UsageError(f"version must be a version such as 1.0.0 or 2.1rc1, found {version!r}")
    return version


def write_wheel(folder: Path, output: Path, *, name: str, version: str) -> Path:
    """Write the wheel of a valid model folder into the folder ``output`` and return its path."""
    distribution = distribution_name(check_name(name))
    package = distribution.replace("-", "_")
    info = f"{package}-{check_version(version)}.dist-info"
    files = model_files(folder)
    licences = [path for path in files if path.match("LICEN[CS]E*") and path.parent == folder]
    content = {f"{package}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}
    content[f"{package}/__init__.py"] = f'"""A model of pointree: `pointree.load("{name}")`."""\n'.encode()
    content |= {f"{info}/licenses/{path.name}": path.read_bytes() for path in licences}
    content[f"{info}/METADATA"] = _metadata(folder, name, distribution, version, licences).encode()
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pointree {__version__}\n".encode() + (
        b"Root-Is-Purelib: true\nTag: py3-none-any\n"
    )
    content[f"{info}/entry_points.txt"] = f"[{ENTRY_POINTS}]\n{name} = {package}\n".encode()
    content[f"{info}/RECORD"] = _record(content, f"{info}/RECORD").encode()
    path = output / f"{package}-{version}-py3-none-any.whl"
    make_folder(output)
    with atomic_write(path, "b") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        # The specification wants the metadata at the end, where it is found fast; RECORD is the last of it.
        for entry in sorted(content, key=lambda entry: (entry.startswith(info), entry.endswith("/RECORD"), entry)):
            member = zipfile.ZipInfo(entry, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3  # Unix, also where this runs on something else
            member.external_attr = 0o100644 << 16
            archive.writestr(member, content[entry])
    return path


def _metadata(folder: Path, name: str, distribution: str, version: str, licences: list[Path]) -> str:
    """The fields that package indexes show, and the model card as the description."""
    made_by = str(json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get("pointree"))
    card_path = folder / CARD
    card = card_path.read_text(encoding="utf-8", errors="replace") if card_path.is_file() else ""
    facts = read_card(folder)
    las = f" (LAS {facts.las:.2f})" if facts.las is not None else ""
    fields = [
        "Metadata-Version: 2.4",
        f"Name: {distribution}",
        f"Version: {version}",
        f"Summary: The dependency parsing model {name} for pointree{las}",
        *([f"License: {facts.licence}"] if facts.licence else []),
        *(f"License-File: {path.name}" for path in licences),
        f"Requires-Dist: pointree>={made_by if _VERSION.fullmatch(made_by) else __version__}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(fields) + f"\n\n{card}"


def _record(content: Mapping[str, bytes], own_name: str) -> str:
    """The checksums that pip installs by; the file that has them cannot have its own."""
    lines = []
    for entry, data in sorted(content.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{entry},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{own_name},,", ""])
