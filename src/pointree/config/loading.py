"""A configuration from a preset, a TOML file and overrides on the command line."""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pointree.config.config import Config, build
from pointree.config.presets import PRESETS
from pointree.config.rules import as_toml, suggestion
from pointree.errors import ConfigError, InputError

__all__ = ["load_config"]

_MAX_BYTES, _MAX_LINE = 1 << 16, 1 << 12
"""Settings are a page or two of short lines. The time that a dotted name takes grows with the square of its length."""


def load_config(path: Path | None, overrides: Sequence[str] = (), preset: str | None = None) -> Config:
    """Build a configuration from a preset, a TOML file and overrides such as `decoder.order=outside-in`."""
    layers: list[tuple[str, Mapping[str, Any]]] = []
    faults: list[str] = []
    if preset is not None:
        if preset in PRESETS:
            layers.append((f"preset {preset}: ", PRESETS[preset]))
        else:
            faults.append(f"preset {preset} is unknown{suggestion(preset, PRESETS)}")
    if path is not None:
        try:
            layers.append((f"{path}: ", _read_toml(path)))
        except ConfigError as error:
            faults.extend(error.faults)
    for override in overrides:
        dotted, equals, text = override.partition("=")
        section, dot, key = dotted.strip().rpartition(".")
        if equals and dot and section and key:
            layers.append(("--set: ", {section: {key: _parse_value(text)}}))
        else:
            faults.append(f"--set: an override must be section.field=value, found {as_toml(override)}")
    config, more = build(layers)
    if faults or more:
        raise ConfigError([*faults, *more])
    return config


def _parse_value(text: str) -> object:
    """The value of an override: TOML where it is TOML, else the bare text, so that names need no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text.strip()
    return parsed["value"] if len(parsed) == 1 else text.strip()


def _read(path: Path) -> bytes:
    """The content of a file; anything else is given as a path by mistake, or to do harm."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "expected a file, found a device or a pipe")
    with path.open("rb") as stream:
        data = stream.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, f"expected at most {_MAX_BYTES} bytes, found more")
    if max(map(len, data.splitlines()), default=0) > _MAX_LINE:
        raise OSError(errno.EFBIG, f"expected lines of at most {_MAX_LINE} bytes, found a longer one")
    return data


def _read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; a `ConfigError` names the line at which it is malformed."""
    try:
        data = _read(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise ConfigError([f"{path}: malformed TOML: lists are nested too deeply"]) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{path}:{line}: expected UTF-8, found byte 0x{data[error.start]:02x}"]) from error
    except tomllib.TOMLDecodeError as error:
        # tomllib has the place in its message only: "… (at line 3, column 7)" or "… (at end of document)".
        problem, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        line = int(found[1]) if found else len(data.splitlines())
        raise ConfigError([f"{path}:{line}: malformed TOML: {problem}"]) from error
