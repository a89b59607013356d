"""The fields of a configuration, described for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pointree.config.encoders import DEFAULT_ENCODER
from pointree.config.section import section_rules
from pointree.config.sections import sections_with

__all__ = ["Option", "defaults", "describe"]


@dataclass(frozen=True, slots=True)
class Option:
    """One field of the configuration, described for people."""

    name: str
    default: int | float | str | bool | tuple[int, ...]
    expectation: str
    help: str


def describe(encoder: str = DEFAULT_ENCODER) -> list[Option]:
    """Every option with its dotted name, default, accepted values and help, in the order of the sections.

    The section of the encoder is that of the given kind.
    """
    return [
        Option(f"{name}.{key}", getattr(section(), key), rule.expectation, rule.help)
        for name, section in sections_with(encoder).items()
        for key, rule in section_rules(section).items()
    ]


def defaults(encoder: str = DEFAULT_ENCODER) -> dict[str, Any]:
    """The default of every option by its dotted name, as `Config.to_dict` has it."""
    return {
        option.name: list(option.default) if isinstance(option.default, tuple) else option.default
        for option in describe(encoder)
    }
