"""A whole configuration: one that exists is valid, one that cannot exist raises an error with all of its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pointree.config.encoders import DEFAULT_ENCODER, ENCODER_SETTINGS, BiLstmConfig, EncoderConfig
from pointree.config.old_settings import upgrade
from pointree.config.rules import as_toml, suggestion
from pointree.config.section import fault_of, section_rules
from pointree.config.sections import (
    READ_TAGS,
    SECTIONS,
    DecoderConfig,
    EmbeddingsConfig,
    HeadsConfig,
    PretrainedConfig,
    ScorersConfig,
    SegmenterConfig,
    SelectionConfig,
    TrainingConfig,
    option_names,
    sections_with,
)
from pointree.errors import ConfigError

__all__ = ["Config", "build"]


@dataclass(frozen=True, slots=True)
class Config:
    """All choices of a model and its training."""

    embeddings: EmbeddingsConfig = field(default_factory=EmbeddingsConfig)
    encoder: EncoderConfig = field(default_factory=BiLstmConfig)
    decoder: DecoderConfig = field(default_factory=DecoderConfig)
    scorers: ScorersConfig = field(default_factory=ScorersConfig)
    heads: HeadsConfig = field(default_factory=HeadsConfig)
    segmenter: SegmenterConfig = field(default_factory=SegmenterConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    selection: SelectionConfig = field(default_factory=SelectionConfig)

    @property
    def predicted_columns(self) -> tuple[str, ...]:
        """The columns to predict besides the tree, where the data has them; none in a network that reads tags."""
        if self.embeddings.tag in READ_TAGS:
            return ()
        return tuple(column for column in ("upos", "xpos", "feats", "lemma") if getattr(self.heads, column))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Config:
        """Build a configuration from sections of fields; what is not given keeps its default."""
        config, faults = build([("", mapping)])
        if faults:
            raise ConfigError(faults)
        return config

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The sections as plain dictionaries, every field included, but for pretrained embeddings that are off."""
        sections = asdict(self)
        pretrained = sections["embeddings"]["pretrained"]
        pretrained["layers"] = list(pretrained["layers"])
        if self.embeddings.pretrained == PretrainedConfig():
            del sections["embeddings"]["pretrained"]  # as in files from before there were any
        return sections

    def to_toml(self) -> str:
        """The text of a TOML file that `load_config` reads back as the same configuration."""
        return "\n".join(_tables(self.to_dict()))


def build(
    layers: Sequence[tuple[str, Mapping[str, Any]]],
    on_notice: Callable[[str], None] | None = None,
    *,
    allow_removed: bool = False,
) -> tuple[Config, list[str]]:
    """Lay the layers over the defaults; a faulty value is reported with its place and its default kept.

    ``on_notice`` is told of old settings that need no attention. A removed setting with another value than its default
    is a fault, unless ``allow_removed`` says that it does not matter.
    """
    encoder = _chosen_encoder(layers)
    sections = sections_with(encoder if encoder in ENCODER_SETTINGS else DEFAULT_ENCODER)
    values = {
        name: {key: getattr(section(), key) for key in section_rules(section)} for name, section in sections.items()
    }
    faults: list[str] = []
    faulty: set[tuple[str, str]] = set()
    places: dict[str, str] = {}
    for place, layer in layers:
        upgraded = upgrade(layer)
        if on_notice is not None:
            for notice in upgraded.notices:
                on_notice(place + notice)
        if not allow_removed:
            faults += [place + fault for fault in upgraded.faults]
        for name, table in _unnested(upgraded.settings):
            if name not in sections:
                faults.append(f"{place}section {name} is unknown{suggestion(name, option_names(sections))}")
            elif not isinstance(table, Mapping):
                faults.append(f"{place}{name} must be a section of fields, found {as_toml(table)}")
            else:
                if name == EncoderConfig.name:
                    table = _of_encoder(table, encoder)
                for key, value in table.items():
                    if fault := fault_of(sections[name], key, value, option_names(sections)):
                        faults.append(place + fault)
                        faulty.add((name, key))
                    else:
                        values[name][key] = section_rules(sections[name])[key].kind(value)
                        places[name] = place
    for name in sorted(sections, key=lambda name: -name.count(".")):  # what is within another comes before it
        section = sections[name]
        if faulty.isdisjoint((name, key) for key in section.jointly):
            faults.extend(places.get(name, "") + conflict for conflict in section.conflicts(values[name]))
        outer, inside, key = name.rpartition(".")
        if inside and any(place == name for place, _ in faulty):
            faulty.add((outer, key))
        elif inside:
            values[outer][key] = section(**values[name])
    if faults:
        return Config(), faults
    made = {name: section(**values[name]) for name, section in sections.items() if "." not in name}
    return Config(**made), []  # type: ignore[arg-type]


def _chosen_encoder(layers: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The kind of encoder that the last layer to name one names, be it known or not."""
    tables = [layer.get(EncoderConfig.name) for _place, layer in reversed(layers)]
    return next(
        (str(table["kind"]) for table in tables if isinstance(table, Mapping) and "kind" in table), DEFAULT_ENCODER
    )


def _of_encoder(table: Mapping[str, Any], encoder: str) -> Mapping[str, Any]:
    """What a layer says about the chosen encoder; of an unknown one, only its kind is a fault."""
    if "kind" in table and str(table["kind"]) != encoder:
        return {}
    return table if encoder in ENCODER_SETTINGS else {key: value for key, value in table.items() if key == "kind"}


def _unnested(layer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The sections of a layer by their dotted names, those within others after these."""
    for name, table in layer.items():
        inner = {}
        if isinstance(table, Mapping):
            inner = {key: value for key, value in table.items() if f"{name}.{key}" in SECTIONS}
            table = {key: value for key, value in table.items() if key not in inner}
        yield name, table
        yield from _unnested({f"{name}.{key}": value for key, value in inner.items()})


def _tables(sections: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The sections as tables of TOML."""
    for name, values in sections.items():
        inner = {f"{name}.{key}": value for key, value in values.items() if isinstance(value, Mapping)}
        lines = [f"{key} = {as_toml(value)}" for key, value in values.items() if not isinstance(value, Mapping)]
        yield "\n".join([f"[{name}]", *lines, ""])
        yield from _tables(inner)
