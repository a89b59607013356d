"""A configuration from a preset, a TOML file and single settings."""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pointree.config.config import Config, build
from pointree.config.presets import PRESETS
from pointree.config.rules import as_toml, suggestion
from pointree.errors import ConfigError, InputError

__all__ = ["load_config", "read_toml"]

_MAX_BYTES, _MAX_LINE = 1 << 16, 1 << 12
"""Settings are a page or two of short lines. The time that a dotted name takes grows with the square of its length."""


def load_config(
    config: Path | Config | None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    preset: str | None = None,
    *,
    base: Config | None = None,
    on_notice: Callable[[str], None] | None = None,
    allow_removed: bool = False,
) -> Config:
    """Build a configuration from a preset, a TOML file and settings such as ``decoder.order=outside-in``.

    Later sources win: the defaults or ``base``, the preset, the file or a whole configuration, the settings. These may
    also be a mapping of dotted names to values, or of sections to mappings.

    ``on_notice`` is told, in one line each, of settings with an old name and of removed ones at their default. A
    removed setting with another value is a `ConfigError`, unless ``allow_removed``, as for the file of a trained model.
    """
    layers: list[tuple[str, Mapping[str, Any]]] = []
    faults: list[str] = []
    if base is not None:
        layers.append(("", base.to_dict()))
    if preset is not None:
        if preset in PRESETS:
            layers.append((f"preset {preset}: ", PRESETS[preset]))
        else:
            faults.append(f"preset {preset} is unknown{suggestion(preset, PRESETS)}")
    if isinstance(config, Config):
        layers.append(("", config.to_dict()))
    elif config is not None:
        try:
            layers.append((f"{config}: ", read_toml(config)))
        except ConfigError as error:
            faults.extend(error.faults)
    if isinstance(settings, Mapping):
        layers += [("settings: ", layer) for layer in _sections(settings)]
        settings = ()
    for override in settings:
        dotted, equals, text = override.partition("=")
        section, dot, key = dotted.strip().rpartition(".")
        if equals and dot and section and key:
            layers.append(("settings: ", {section: {key: _parse_value(text)}}))
        else:
            faults.append(f"settings: an override must be section.field=value, found {as_toml(override)}")
    built, more = build(layers, on_notice, allow_removed=allow_removed)
    if faults or more:
        raise ConfigError([*faults, *more])
    return built


def _sections(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Settings of a mapping as sections: a dotted name is that of a field, unless it has a table of fields."""
    for name, value in settings.items():
        section, dot, key = name.rpartition(".")
        yield {section: {key: value}} if dot and not isinstance(value, Mapping) else {name: value}


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


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; a `ConfigError` names the line at which it is malformed."""
    try:
        data = _read(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
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
