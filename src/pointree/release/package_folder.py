"""A model folder that pip installs: the files of the model, and a pyproject.toml beside them.

The folder is both a model, which `--model models/sv` takes as it is, and the source of a package: `pip install
./models/sv` puts its files into `pointree_model_sv`, under the entry point by which pointree finds models.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from pointree.files import atomic_write
from pointree.models.layout import CARD
from pointree.models.registry import ENTRY_POINTS
from pointree.models.summary import model_files
from pointree.models.wheel import check_name, check_version, distribution_name
from pointree.version import __version__

__all__ = ["PROJECT", "packaged_size", "write_project"]

PROJECT = "pyproject.toml"


def write_project(folder: Path, *, name: str, version: str, language: str, licence: str) -> None:
    """Write the pyproject.toml of a model folder; call it last, because it lists the files of the model."""
    distribution = distribution_name(check_name(name))
    package = distribution.replace("-", "_")
    files = [path.relative_to(folder).as_posix() for path in model_files(folder)]
    licences = [file for file in files if re.fullmatch(r"LICEN[CS]E[^/]*", file)]
    lines = [
        "[build-system]",
        'requires = ["hatchling>=1.24"]',
        'build-backend = "hatchling.build"',
        "",
        "[project]",
        f'name = "{distribution}"',
        f'version = "{check_version(version)}"',
        f'description = "The {language} model of the dependency parser pointree"',
        f'readme = "{CARD}"',
        f'license = "{_spdx(licence)}"',
        f"license-files = {json.dumps(licences)}",
        'requires-python = ">=3.11"',
        f'dependencies = ["pointree>={__version__}"]',
        "",
        f'[project.entry-points."{ENTRY_POINTS}"]',
        f'"{name}" = "{package}"',
        "",
        "[tool.hatch.build.targets.wheel]",
        "only-include = [",
        *(f'  "{file}",' for file in files),
        "]",
        "",
        "[tool.hatch.build.targets.wheel.sources]",
        f'"" = "{package}"',
    ]
    with atomic_write(folder / PROJECT) as stream:
        stream.write("\n".join(lines) + "\n")


def packaged_size(folder: Path) -> int:
    """The bytes of the files that are installed."""
    return sum(path.stat().st_size for path in model_files(folder))


def _spdx(licence: str) -> str:
    """A licence as packages name it: CC BY-SA 4.0 is CC-BY-SA-4.0."""
    return re.sub(r"\s+", "-", licence.strip())
