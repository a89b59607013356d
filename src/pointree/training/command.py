"""The command that repeats a training run, for its model card."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pointree.config import Config, describe, flat_settings
from pointree.config.rules import as_toml
from pointree.models.card import pretrained_folder

__all__ = ["training_command"]


def training_command(
    train: Sequence[Path],
    dev: Sequence[Path],
    output: Path,
    *,
    config: Config | Path | None = None,
    preset: str | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    vectors: str | os.PathLike[str] | None = None,
    init: str | os.PathLike[str] | None = None,
    other_language: bool = False,
    teacher: Sequence[str] = (),
    strict: bool = False,
    text_model: bool | None = None,
    predicted_tags: bool = False,
    bundle_pretrained: bool = False,
) -> str:
    """The command line of a run, without folders of this machine; a `Config` becomes the settings that it changes."""
    words = ["pointree", "train"]
    for option, paths in (("--train", train), ("--dev", dev), ("--output", [output])):
        words += [word for path in paths for word in (option, _name(path))]
    if init is not None:
        words += ["--init", _name(init)]
    for model in teacher:
        words += ["--teacher", _name(model)]
    if preset is not None:
        words += ["--preset", preset]
    if isinstance(config, Path):
        words += ["--config", _name(config)]
    if vectors is not None:
        words += ["--vectors", _name(vectors)]
    for setting in _settings(config, settings):
        words += ["--set", setting]
    if text_model is not None:
        words.append("--text-model" if text_model else "--no-text-model")
    flags = {
        "--other-language": other_language,
        "--strict": strict,
        "--predicted-tags": predicted_tags,
        "--bundle-pretrained": bundle_pretrained,
    }
    return shlex.join([*words, *(flag for flag, given in flags.items() if given)])


def _name(path: str | os.PathLike[str]) -> str:
    return Path(os.path.abspath(path)).name


def _settings(config: Config | Path | None, settings: Sequence[str] | Mapping[str, Any]) -> Iterator[str]:
    """Settings as ``section.field=value``; of the folder of a pretrained model, the name only."""
    if isinstance(config, Config):
        yield from (
            f"{setting.name}={_shown(setting.value)}"
            for setting in describe(config)
            if setting.value != setting.default
        )
    if isinstance(settings, Mapping):
        yield from (f"{name}={_shown(value)}" for name, value in flat_settings(settings))
    else:
        for setting in settings:
            name, equals, text = setting.partition("=")
            value = text.strip().strip("\"'")
            yield f"{name.strip()}{equals}{_shown(value)}" if pretrained_folder(value) else setting


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return as_toml(value)
    folder = pretrained_folder(value)
    return value if folder is None else folder.name
