"""The fields of a configuration, described for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

from pointree.config.config import Config
from pointree.config.encoders import DEFAULT_ENCODER, ENCODER_SETTINGS
from pointree.config.section import section_rules
from pointree.config.sections import sections_with

__all__ = ["Setting", "defaults", "describe", "flat_settings"]

Value: TypeAlias = int | float | str | bool | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of the configuration, described for people; `value` is what a given configuration has."""

    name: str
    default: Value
    expectation: str
    help: str
    value: Value


def describe(config: Config | None = None) -> list[Setting]:
    """Every setting with its dotted name, default, accepted values and help, in the order of the sections.

    The section of the encoder is that of the configuration's kind.
    """
    config = config or Config()
    return [
        Setting(
            f"{name}.{key}", getattr(section(), key), rule.expectation, rule.help, attrgetter(f"{name}.{key}")(config)
        )
        for name, section in sections_with(config.encoder.kind).items()
        for key, rule in section_rules(section).items()
    ]


def defaults(encoder: str = DEFAULT_ENCODER) -> dict[str, Any]:
    """The default of every setting by its dotted name, as `Config.to_dict` has it."""
    return {
        setting.name: list(setting.default) if isinstance(setting.default, tuple) else setting.default
        for setting in describe(Config(encoder=ENCODER_SETTINGS[encoder]()))
    }


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of nested tables by their dotted names."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat_settings(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
