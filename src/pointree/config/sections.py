"""The sections of a configuration, with the paper's values as defaults.

Each field carries a rule: what it accepts, and a sentence of help. Checking and documentation follow from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pointree.config.encoders import DEFAULT_ENCODER, ENCODER_SETTINGS, BiLstmConfig, EncoderConfig
from pointree.config.rules import as_toml, choice, flag, number, share, text, whole, wholes
from pointree.config.section import Section, section_rules

__all__ = [
    "COMBINED_ORDER",
    "FUSIONS",
    "READ_TAGS",
    "SECTIONS",
    "Batching",
    "DecoderConfig",
    "DecoderOrder",
    "DevMetric",
    "EmbeddingsConfig",
    "FusionName",
    "GateName",
    "HeadsConfig",
    "Mix",
    "OrderName",
    "PretrainedConfig",
    "Schedule",
    "ScorersConfig",
    "SegmenterConfig",
    "SelectionConfig",
    "Subwords",
    "TagColumn",
    "TrainingConfig",
    "TrainingPrecision",
    "fusions_of",
    "option_names",
    "sections_with",
    "single_orders",
]

TagColumn = Literal["upos", "xpos", "none"]
OrderName = Literal["left-to-right", "right-to-left", "outside-in", "top-down"]
DecoderOrder = Literal[OrderName, "combined"]
FusionName = Literal["none", "simple", "adapted", "full", "parent", "parent-sibling"]
GateName = Literal["gate1", "gate2"]
Schedule = Literal["plateau", "linear", "cosine"]
Batching = Literal["words", "sentences"]
DevMetric = Literal["las", "las_subtypes", "uas", "no_punct.las", "no_punct.uas"]
TrainingPrecision = Literal["fp32", "bf16"]
Subwords = Literal["mean", "first", "last"]
Mix = Literal["mean", "learned"]

READ_TAGS: tuple[TagColumn, ...] = ("upos", "xpos")
"""The values of `embeddings.tag` that are columns of the input."""

FUSIONS: dict[OrderName, tuple[FusionName, ...]] = {
    "left-to-right": ("none", "simple", "adapted"),
    "right-to-left": ("none", "simple", "adapted"),
    "outside-in": ("none", "simple", "full"),
    "top-down": ("none", "parent", "parent-sibling"),
}
"""The fusions that each order can have (§2.3, §3.2 and §4 of the paper)."""

COMBINED_ORDER: Literal["combined"] = "combined"
"""The setting of a model that has several orders, each with its own decoder, and the option to parse by all of them."""

_COMBINED: tuple[OrderName, ...] = ("left-to-right", "right-to-left", "outside-in")
"""These orders."""


def single_orders(order: DecoderOrder) -> tuple[OrderName, ...]:
    """The single orders that a setting of the order stands for."""
    return _COMBINED if order == "combined" else (order,)


def fusions_of(order: DecoderOrder) -> tuple[FusionName, ...]:
    """The fusions that a setting of the order allows: those that all of its orders can have."""
    first, *others = (FUSIONS[each] for each in single_orders(order))
    return tuple(fusion for fusion in first if all(fusion in other for other in others))


@dataclass(frozen=True, slots=True)
class PretrainedConfig(Section):
    """A pretrained model, such as BERT, whose word vectors are added to the other embeddings (§2.2, §5.2)."""

    name: ClassVar[str] = "embeddings.pretrained"

    model: str = field(default="", metadata=text("Folder or Hugging Face Hub id of a pretrained model; empty = none."))
    layers: tuple[int, ...] = field(
        default=(-4, -3, -2, -1),
        metadata=wholes("Layers to use: 1 is the first, 0 its input, -1 the last."),
    )
    mix: Mix = field(
        default="mean", metadata=choice(Mix, "How the layers are averaged: with equal or with learned weights.")
    )
    subwords: Subwords = field(default="mean", metadata=choice(Subwords, "Sub-words whose vectors represent a word."))
    fine_tune: bool = field(default=False, metadata=flag("Fine-tune the pretrained model with the parser."))
    fine_tune_table: bool = field(default=True, metadata=flag("Fine-tune the sub-word embedding table as well."))
    learning_rate: float = field(
        default=5e-5, metadata=number("Highest learning rate of a fine-tuned model.", (">", 0))
    )
    warmup: int = field(
        default=0, metadata=whole("Optimiser steps in which the learning rate of a fine-tuned model rises.", (">=", 0))
    )


@dataclass(frozen=True, slots=True)
class EmbeddingsConfig(Section):
    """What the network knows of a word before it reads the sentence (§2.2)."""

    name: ClassVar[str] = "embeddings"
    jointly: ClassVar[frozenset[str]] = frozenset({"word_size", "char_filters", "tag", "pretrained"})

    word_size: int = field(default=100, metadata=whole("Width of word vectors; 0 = no words.", (">=", 0)))
    char_size: int = field(default=100, metadata=whole("Width of character vectors."))
    char_filters: int = field(default=50, metadata=whole("Filters of the character CNN; 0 = no characters.", (">=", 0)))
    char_window: int = field(default=3, metadata=whole("Characters that each filter sees.", (">=", 1), odd=True))
    char_parts: bool = field(
        default=False,
        metadata=flag("Add vectors of the parts of a character (Hangul letters, accents) to its own vector."),
    )
    tag: TagColumn = field(
        default="upos",
        metadata=choice(TagColumn, "Column of tags to read."),
    )
    tag_size: int = field(default=100, metadata=whole("Width of tag vectors."))
    dropout: float = field(default=0.33, metadata=share("Chance that a whole vector is dropped."))
    unk_replacement: float = field(
        default=0.5,
        metadata=number("Chance that a rare word is trained as unknown.", (">=", 0), ("<=", 1)),
    )
    min_count: int = field(default=2, metadata=whole("Minimum count of a word or character; rarer ones are unknown."))
    pretrained: PretrainedConfig = field(default_factory=PretrainedConfig)

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        others = values["word_size"] > 0 or values["char_filters"] > 0 or values["tag"] in READ_TAGS
        if not others and not values["pretrained"].model:
            yield (
                "embeddings must have at least one of words, characters and tags, or pretrained.model, "
                f"found word_size = 0, char_filters = 0, tag = {as_toml(values['tag'])}"
            )


@dataclass(frozen=True, slots=True)
class DecoderConfig(Section):
    """The LSTM that attaches word after word (§3 and §4)."""

    name: ClassVar[str] = "decoder"
    jointly: ClassVar[frozenset[str]] = frozenset({"order", "fusion"})

    order: DecoderOrder = field(
        default="left-to-right",
        metadata=choice(
            DecoderOrder, "Order in which words get their heads; combined = the first three, each with its own decoder."
        ),
    )
    fusion: FusionName = field(
        default="simple", metadata=choice(FusionName, "Words of the tree so far whose states are fused into each step.")
    )
    gate: GateName = field(default="gate1", metadata=choice(GateName, "Gate of the fusion."))
    fuse_cell: bool = field(
        default=True,
        metadata=flag("Fuse the cells of the LSTM as well as its hidden states."),
    )
    size: int = field(default=512, metadata=whole("Units."))
    dropout: float = field(default=0.33, metadata=share("Dropout of inputs, states and outputs."))

    @property
    def orders(self) -> tuple[OrderName, ...]:
        """The orders of the decoders, one for each."""
        return single_orders(self.order)

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        possible = fusions_of(values["order"])
        if values["fusion"] not in possible:
            yield (
                f"decoder.fusion must be one of {', '.join(possible)} for the order {values['order']}, "
                f"found {as_toml(values['fusion'])}"
            )


@dataclass(frozen=True, slots=True)
class ScorersConfig(Section):
    """The two biaffine classifiers: the pointer and the labeler (§2.2)."""

    name: ClassVar[str] = "scorers"

    arc_size: int = field(default=512, metadata=whole("Width of the vectors that score arcs."))
    label_size: int = field(default=128, metadata=whole("Width of the vectors that score labels."))
    dropout: float = field(default=0.33, metadata=share("Dropout of these vectors."))


@dataclass(frozen=True, slots=True)
class HeadsConfig(Section):
    """Columns that the network predicts together with the tree, if it reads no tags; not in the paper."""

    name: ClassVar[str] = "heads"

    upos: bool = field(default=False, metadata=flag("Predict UPOS."))
    xpos: bool = field(default=False, metadata=flag("Predict XPOS."))
    feats: bool = field(default=False, metadata=flag("Predict FEATS."))
    lemma: bool = field(default=False, metadata=flag("Predict LEMMA."))
    size: int = field(default=0, metadata=whole("Width of a hidden layer of each head; 0 = none.", (">=", 0)))
    weight: float = field(default=1.0, metadata=number("Weight of each column in the loss; an arc has 1.", (">", 0)))


@dataclass(frozen=True, slots=True)
class SegmenterConfig(Section):
    """The network over characters that cuts raw text into sentences and words; not in the paper."""

    name: ClassVar[str] = "segmenter"

    size: int = field(default=96, metadata=whole("Width of its layers."))
    layers: int = field(default=4, metadata=whole("Dilated convolutions; each sees twice as far as the one before."))
    dropout: float = field(default=0.15, metadata=share("Dropout of characters and layers."))
    epochs: int = field(default=12, metadata=whole("Passes over the text of the training data."))
    learning_rate: float = field(default=3e-3, metadata=number("Highest learning rate.", (">", 0)))
    min_count: int = field(default=3, metadata=whole("Minimum count of a character; rarer ones are unknown."))


@dataclass(frozen=True, slots=True)
class TrainingConfig(Section):
    """How the weights are found (§5.2)."""

    name: ClassVar[str] = "training"
    jointly: ClassVar[frozenset[str]] = frozenset({"epochs", "dropout_rise", "embedding_dropout_rise"})

    batch_size: int = field(default=32, metadata=whole("Sentences per optimiser step."))
    batching: Batching = field(
        default="words",
        metadata=choice(Batching, "Equal numbers of words in each batch (batch_size is an average) or of sentences."),
    )
    epochs: int = field(default=500, metadata=whole("Passes over the training data, at most."))
    schedule: Schedule = field(
        default="plateau",
        metadata=choice(
            Schedule,
            "Learning rate: lower it at a plateau and restart from the best weights, or let it fall.",
        ),
    )
    learning_rate: float = field(default=1e-3, metadata=number("Highest learning rate.", (">", 0)))
    warmup: int = field(default=0, metadata=whole("Optimiser steps in which the learning rate rises.", (">=", 0)))
    decay: float = field(
        default=0.75, metadata=number("Factor by which the learning rate falls at a plateau.", (">", 0), ("<=", 1))
    )
    patience: int = field(default=20, metadata=whole("Evaluations without a gain before the learning rate falls."))
    beta1: float = field(default=0.9, metadata=share("Adam: decay of the mean."))
    beta2: float = field(default=0.9, metadata=share("Adam: decay of the variance."))
    epsilon: float = field(default=1e-4, metadata=number("Adam: floor of the denominator.", (">", 0)))
    clip: float = field(default=5.0, metadata=number("Largest gradient norm; 0 = no limit.", (">=", 0)))
    average: float = field(
        default=0.0,
        metadata=share("Decay of a moving average of the weights; 0 = off."),
    )
    dropout_rise: int = field(
        default=0,
        metadata=whole("Epochs in which the dropout of encoder, decoder and scorers rises to its value.", (">=", 0)),
    )
    embedding_dropout_rise: int = field(
        default=0,
        metadata=whole("Epochs in which the dropout of embeddings rises to its value.", (">=", 0)),
    )
    exploration: float = field(
        default=0.0,
        metadata=number(
            "Share of words whose last predicted head, not the gold head, is shown to later steps; not for top-down.",
            (">=", 0),
            ("<=", 1),
        ),
    )
    teacher_weight: float = field(
        default=0.5,
        metadata=number("Share of the loss that comes from the teachers, if there are any.", (">", 0), ("<=", 1)),
    )
    seed: int = field(default=1, metadata=whole("Seed of everything that is random.", (">=", 0), ("<", 2**32)))
    precision: TrainingPrecision = field(default="fp32", metadata=choice(TrainingPrecision, "Arithmetic of training."))

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        epochs = values["epochs"]
        for rise in ("dropout_rise", "embedding_dropout_rise"):
            if values[rise] and values[rise] >= epochs:
                yield f"training.{rise} must be less than training.epochs = {epochs}, found {values[rise]}"


@dataclass(frozen=True, slots=True)
class SelectionConfig(Section):
    """How dev is parsed and scored after each epoch, to choose the best one."""

    name: ClassVar[str] = "selection"

    metric: DevMetric = field(
        default="las",
        metadata=choice(DevMetric, "Dev score that selects the best epoch; las ignores subtypes of labels."),
    )
    beam: int = field(default=1, metadata=whole("Hypotheses to keep; 1 is greedy search."))
    projective: bool = field(default=False, metadata=flag("Allow no crossing arcs."))
    single_root: bool = field(default=True, metadata=flag("Let exactly one word depend on ROOT."))


SECTIONS: dict[str, type[Section]] = {
    section.name: section
    for section in (
        EmbeddingsConfig,
        PretrainedConfig,
        BiLstmConfig,
        DecoderConfig,
        ScorersConfig,
        HeadsConfig,
        SegmenterConfig,
        TrainingConfig,
        SelectionConfig,
    )
}
"""All sections by their dotted names; one within another comes after it."""


def sections_with(encoder: str = DEFAULT_ENCODER) -> dict[str, type[Section]]:
    """All sections, with the settings of this kind of encoder."""
    return {**SECTIONS, EncoderConfig.name: ENCODER_SETTINGS[encoder]}


def option_names(sections: Mapping[str, type[Section]] = SECTIONS) -> list[str]:
    """The sections and the dotted fields."""
    return [*sections, *(f"{name}.{key}" for name, section in sections.items() for key in section_rules(section))]
