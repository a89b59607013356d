"""Every choice that makes a model or a training run, with the paper's values as defaults.

A configuration is a few frozen sections, one of them within another. Each field carries a rule (what it accepts, and
a sentence of help), and the rest follows from the rules: checking, error messages, and the list that the documentation
shows. A `Config` that exists is valid; one that cannot exist raises a `ConfigError` that lists all of its faults.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from pointree.errors import ConfigError, InputError
from pointree.rules import Rule, as_toml, choice, flag, number, share, suggestion, text, whole, wholes

__all__ = [
    "FUSIONS",
    "PRESETS",
    "READ_TAGS",
    "Config",
    "ContextualConfig",
    "DecoderConfig",
    "EmbeddingsConfig",
    "EncoderConfig",
    "Fusion",
    "Gate",
    "Mix",
    "Option",
    "Order",
    "Precision",
    "Schedule",
    "ScorersConfig",
    "Subwords",
    "TagColumn",
    "TrainingConfig",
    "describe",
    "load_config",
]

TagColumn = Literal["upos", "xpos", "none", "joint"]
Order = Literal["left-to-right", "right-to-left", "outside-in"]
Fusion = Literal["none", "simple", "adapted", "full"]
Gate = Literal["gate1", "gate2"]
Schedule = Literal["plateau", "linear", "cosine"]
Precision = Literal["fp32", "bf16"]
Subwords = Literal["mean", "first", "last"]
Mix = Literal["mean", "learned"]

READ_TAGS: tuple[TagColumn, ...] = ("upos", "xpos")
"""The values of `embeddings.tag` that are columns of the input; with the others the network reads no tags."""

FUSIONS: dict[Order, tuple[Fusion, ...]] = {
    "left-to-right": ("none", "simple", "adapted"),
    "right-to-left": ("none", "simple", "adapted"),
    "outside-in": ("none", "simple", "full"),
}
"""The fusions that each order can have (§3.2 and §4 of the paper)."""

_SHORT_SCHEDULE: dict[str, Any] = {
    "schedule": "linear",
    "warmup": 100,
    "learning_rate": 4e-3,
    "clip": 0.5,
    "average": 0.996,
    "exploration": 1.0,
}
"""A schedule for few epochs; experiments/README.md has the measurements behind it."""

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {},
    "cpu": {"training": {**_SHORT_SCHEDULE, "epochs": 36}},
    "quick": {
        "encoder": {"size": 256},
        "decoder": {"size": 256},
        "scorers": {"arc_size": 256, "label_size": 64},
        "training": {**_SHORT_SCHEDULE, "epochs": 20},
    },
}
"""Named starting points: the fields in which each differs from the defaults."""


class _Section:
    """Base of the sections: checks every field, then what the fields mean together."""

    __slots__ = ()
    name: ClassVar[str]
    jointly: ClassVar[frozenset[str]] = frozenset()
    """The fields that `conflicts` looks at."""

    def __post_init__(self) -> None:
        values = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        faults = [_fault(self.name, key, values[key], type(self)) for key in _rules(type(self))]
        found = [fault for fault in faults if fault] or list(self.conflicts(values))
        if found:
            raise ConfigError(found)

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        """Faults of values that are fine one by one but not together."""
        yield from ()


@dataclass(frozen=True, slots=True)
class ContextualConfig(_Section):
    """A pretrained encoder, such as BERT, whose vectors of words join the other embeddings (§2.2, §5.2)."""

    name: ClassVar[str] = "embeddings.contextual"

    model: str = field(default="", metadata=text("Folder or Hugging Face Hub id of the encoder; empty = none."))
    layers: tuple[int, ...] = field(
        default=(-4, -3, -2, -1),
        metadata=wholes("Layers to use: 1 is the first, 0 the input of it, -1 the last."),
    )
    mix: Mix = field(default="mean", metadata=choice(Mix, "How the layers become one vector."))
    subwords: Subwords = field(default="mean", metadata=choice(Subwords, "Which sub-words stand for a word."))
    fine_tune: bool = field(default=False, metadata=flag("Whether the encoder is trained too."))
    fine_tune_table: bool = field(default=True, metadata=flag("Whether its table of sub-words is, if it is trained."))
    learning_rate: float = field(default=5e-5, metadata=number("Highest learning rate of a trained encoder.", (">", 0)))
    warmup: int = field(default=0, metadata=whole("Optimiser steps in which that learning rate rises.", (">=", 0)))


@dataclass(frozen=True, slots=True)
class EmbeddingsConfig(_Section):
    """What the network knows of a word before it reads the sentence (§2.2)."""

    name: ClassVar[str] = "embeddings"
    jointly: ClassVar[frozenset[str]] = frozenset({"word_size", "char_filters", "tag", "contextual"})

    word_size: int = field(default=100, metadata=whole("Width of word vectors; 0 = no words.", (">=", 0)))
    char_size: int = field(default=100, metadata=whole("Width of character vectors."))
    char_filters: int = field(default=50, metadata=whole("Filters of the character CNN; 0 = no characters.", (">=", 0)))
    char_window: int = field(default=3, metadata=whole("Characters that each filter sees.", (">=", 1), odd=True))
    tag: TagColumn = field(
        default="upos",
        metadata=choice(TagColumn, "Column of tags to read; joint = none, and UPOS is predicted instead."),
    )
    tag_size: int = field(default=100, metadata=whole("Width of tag vectors."))
    dropout: float = field(default=0.33, metadata=share("Chance that a whole vector is dropped."))
    unk_replacement: float = field(
        default=0.5,
        metadata=number("Chance that a rare word is trained as unknown.", (">=", 0), ("<=", 1)),
    )
    min_count: int = field(default=2, metadata=whole("Times a word or character must be seen to be known."))
    contextual: ContextualConfig = field(default_factory=ContextualConfig)

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        others = values["word_size"] > 0 or values["char_filters"] > 0 or values["tag"] in READ_TAGS
        if not others and not values["contextual"].model:
            yield (
                "embeddings must have at least one of words, characters and tags, or contextual.model, "
                f"found word_size = 0, char_filters = 0, tag = {as_toml(values['tag'])}"
            )


@dataclass(frozen=True, slots=True)
class EncoderConfig(_Section):
    """The bidirectional LSTM that reads the sentence (§2.2)."""

    name: ClassVar[str] = "encoder"

    size: int = field(default=512, metadata=whole("Units per direction."))
    layers: int = field(default=3, metadata=whole("Layers."))
    dropout: float = field(default=0.33, metadata=share("Dropout between and inside the layers."))


@dataclass(frozen=True, slots=True)
class DecoderConfig(_Section):
    """The LSTM that attaches word after word (§3 and §4)."""

    name: ClassVar[str] = "decoder"
    jointly: ClassVar[frozenset[str]] = frozenset({"order", "fusion"})

    order: Order = field(default="left-to-right", metadata=choice(Order, "Order in which words get their heads."))
    fusion: Fusion = field(
        default="simple", metadata=choice(Fusion, "Attached dependents that are fused into each step.")
    )
    gate: Gate = field(default="gate1", metadata=choice(Gate, "Gate through which they are fused."))
    size: int = field(default=512, metadata=whole("Units."))
    dropout: float = field(default=0.33, metadata=share("Dropout of inputs, states and outputs."))

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        possible = FUSIONS[values["order"]]
        if values["fusion"] not in possible:
            yield (
                f"decoder.fusion must be one of {', '.join(possible)} for the order {values['order']}, "
                f"found {as_toml(values['fusion'])}"
            )


@dataclass(frozen=True, slots=True)
class ScorersConfig(_Section):
    """The two biaffine classifiers: the pointer and the labeler (§2.2)."""

    name: ClassVar[str] = "scorers"

    arc_size: int = field(default=512, metadata=whole("Width in which heads are pointed at."))
    label_size: int = field(default=128, metadata=whole("Width in which labels are chosen."))
    dropout: float = field(default=0.33, metadata=share("Dropout of both spaces."))


@dataclass(frozen=True, slots=True)
class TrainingConfig(_Section):
    """How the weights are found (§5.2)."""

    name: ClassVar[str] = "training"

    batch_size: int = field(default=32, metadata=whole("Sentences per optimiser step, on average."))
    epochs: int = field(default=500, metadata=whole("Passes over the training data, at most."))
    schedule: Schedule = field(
        default="plateau",
        metadata=choice(Schedule, "Learning rate: the paper's decay and restart from the best, or a fall to zero."),
    )
    learning_rate: float = field(default=1e-3, metadata=number("Highest learning rate.", (">", 0)))
    warmup: int = field(default=0, metadata=whole("Optimiser steps of rising learning rate.", (">=", 0)))
    decay: float = field(
        default=0.75, metadata=number("Factor of the learning rate at a plateau.", (">", 0), ("<=", 1))
    )
    patience: int = field(default=20, metadata=whole("Evaluations without a gain that make a plateau."))
    beta1: float = field(default=0.9, metadata=share("Adam: decay of the mean."))
    beta2: float = field(default=0.9, metadata=share("Adam: decay of the variance."))
    epsilon: float = field(default=1e-4, metadata=number("Adam: floor of the denominator.", (">", 0)))
    tag_weight: float = field(
        default=1.0, metadata=number('Weight of the tags in the loss where embeddings.tag = "joint".', (">=", 0))
    )
    clip: float = field(default=5.0, metadata=number("Largest gradient norm; 0 = no limit.", (">=", 0)))
    average: float = field(
        default=0.0,
        metadata=share("Decay of a moving average of the weights; 0 = off."),
    )
    exploration: float = field(
        default=0.0,
        metadata=number("Share of words that later steps see as last predicted, not as gold.", (">=", 0), ("<=", 1)),
    )
    seed: int = field(default=1, metadata=whole("Seed of everything that is random.", (">=", 0), ("<", 2**32)))
    precision: Precision = field(default="fp32", metadata=choice(Precision, "Arithmetic of training."))


@dataclass(frozen=True, slots=True)
class Config:
    """All choices of a model and its training."""

    embeddings: EmbeddingsConfig = field(default_factory=EmbeddingsConfig)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    decoder: DecoderConfig = field(default_factory=DecoderConfig)
    scorers: ScorersConfig = field(default_factory=ScorersConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Config:
        """Build a configuration from sections of fields; what is not given keeps its default."""
        config, faults = _build([("", mapping)])
        if faults:
            raise ConfigError(faults)
        return config

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The sections as plain dictionaries, every field included, but for contextual embeddings that are off."""
        sections = asdict(self)
        contextual = sections["embeddings"]["contextual"]
        contextual["layers"] = list(contextual["layers"])
        if self.embeddings.contextual == ContextualConfig():
            del sections["embeddings"]["contextual"]  # as in files from before there were any
        return sections

    def to_toml(self) -> str:
        """The text of a TOML file that `load_config` reads back as the same configuration."""
        return "\n".join(_tables(self.to_dict()))


_SECTIONS: dict[str, type[_Section]] = {
    section.name: section
    for section in (EmbeddingsConfig, ContextualConfig, EncoderConfig, DecoderConfig, ScorersConfig, TrainingConfig)
}
"""All sections by their dotted names; one within another comes after it."""


@dataclass(frozen=True, slots=True)
class Option:
    """One field of the configuration, described for people."""

    name: str
    default: int | float | str | bool | tuple[int, ...]
    expectation: str
    help: str


def describe() -> list[Option]:
    """Every option with its dotted name, default, accepted values and help, in the order of the sections."""
    return [
        Option(f"{name}.{key}", getattr(section(), key), rule.expectation, rule.help)
        for name, section in _SECTIONS.items()
        for key, rule in _rules(section).items()
    ]


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
    config, more = _build(layers)
    if faults or more:
        raise ConfigError([*faults, *more])
    return config


def _build(layers: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[Config, list[str]]:
    """Lay the layers over the defaults; a faulty value is reported with its place and its default kept."""
    values = {name: {key: getattr(section(), key) for key in _rules(section)} for name, section in _SECTIONS.items()}
    faults: list[str] = []
    faulty: set[tuple[str, str]] = set()
    places: dict[str, str] = {}
    for place, layer in layers:
        for name, table in _unnested(layer):
            if name not in _SECTIONS:
                faults.append(f"{place}section {name} is unknown{suggestion(name, _names())}")
            elif not isinstance(table, Mapping):
                faults.append(f"{place}{name} must be a section of fields, found {as_toml(table)}")
            else:
                for key, value in table.items():
                    if fault := _fault(name, key, value, _SECTIONS[name]):
                        faults.append(place + fault)
                        faulty.add((name, key))
                    else:
                        values[name][key] = _rules(_SECTIONS[name])[key].kind(value)
                        places[name] = place
    for name in sorted(_SECTIONS, key=lambda name: -name.count(".")):  # what is within another comes before it
        section = _SECTIONS[name]
        if faulty.isdisjoint((name, key) for key in section.jointly):
            faults.extend(places.get(name, "") + conflict for conflict in section.conflicts(values[name]))
        outer, inside, key = name.rpartition(".")
        if inside and any(place == name for place, _ in faulty):
            faulty.add((outer, key))
        elif inside:
            values[outer][key] = section(**values[name])
    if faults:
        return Config(), faults
    sections = {name: section(**values[name]) for name, section in _SECTIONS.items() if "." not in name}
    return Config(**sections), []  # type: ignore[arg-type]


def _unnested(layer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The sections of a layer by their dotted names, those within others after these."""
    for name, table in layer.items():
        inner = {}
        if isinstance(table, Mapping):
            inner = {key: value for key, value in table.items() if f"{name}.{key}" in _SECTIONS}
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


def _rules(section: type[_Section]) -> dict[str, Rule]:
    """The rules of all fields but those that are sections themselves."""
    return {item.name: item.metadata["rule"] for item in fields(section) if item.metadata}  # type: ignore[arg-type]


def _fault(name: str, key: str, value: object, section: type[_Section]) -> str | None:
    """What is wrong with one value, or None."""
    rule = _rules(section).get(key)
    if rule is None:
        return f"{name}.{key} is unknown{suggestion(f'{name}.{key}', _names())}"
    return None if rule.accepts(value) else f"{name}.{key} must be {rule.expectation}, found {as_toml(value)}"


def _names() -> list[str]:
    """The sections and the dotted fields."""
    return [*_SECTIONS, *(f"{name}.{key}" for name, section in _SECTIONS.items() for key in _rules(section))]


def _parse_value(text: str) -> object:
    """The value of an override: TOML where it is TOML, else the bare text, so that names need no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text.strip()
    return parsed["value"] if len(parsed) == 1 else text.strip()


def _read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; a `ConfigError` names the line at which it is malformed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{path}:{line}: expected UTF-8, found byte 0x{data[error.start]:02x}"]) from error
    except tomllib.TOMLDecodeError as error:
        # tomllib has the place in its message only: "… (at line 3, column 7)" or "… (at end of document)".
        problem, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        line = int(found[1]) if found else len(data.splitlines())
        raise ConfigError([f"{path}:{line}: malformed TOML: {problem}"]) from error
