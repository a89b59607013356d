"""How to parse: one set of options for Python, the command line, the service and every integration.

Each field carries its help and its bounds. The command line, the service and the documentation take them from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args

from pointree.errors import UsageError

__all__ = [
    "ENGINES",
    "OLD_KEYWORDS",
    "PRECISIONS",
    "SENTENCE_BREAKS",
    "ParseOptions",
    "Precision",
    "SentenceBreaks",
    "option_help",
]

Precision = Literal["auto", "fp32", "bf16", "int8"]
PRECISIONS: tuple[str, ...] = get_args(Precision)

ENGINES = ("auto", "onnx", "torch")
"""What computes a parse, for whoever loads a model."""

_MOST_TREES = 10_000
"""More hypotheses of a sentence than anybody has memory for."""

SentenceBreaks = Literal["auto", "line", "presegmented"]
SENTENCE_BREAKS: tuple[str, ...] = get_args(SentenceBreaks)

OLD_KEYWORDS = {
    "beam_width": "beam",
    "multi_root": "single_root (multi_root=True is now single_root=False)",
    "presegmented": 'sentences (presegmented=True is now sentences="presegmented")',
}
"""Keywords of earlier versions, and what to write instead."""


def _option(text: str, *, least: int | None = None, most: int | None = None) -> dict[str, Any]:
    return {"help": text, "least": least, "most": most}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How to parse sentences. Options that exist are valid; others raise a `UsageError`.

    Attributes:
        beam: Hypotheses to keep for each sentence; 1 is greedy search.
        n_best: Trees to return for each sentence, best first. The beam is at least this wide.
        single_root: Exactly one word depends on ROOT.
        projective: No two arcs cross.
        probabilities: Write `HeadProb`, `DeprelProb` and those of predicted columns (`UposProb`, …) into MISC.
        min_confidence: Mark what is less probable than this by `LowConfidence` in MISC; 0 marks nothing.
        retag: Replace given tags with those of the model.
        sentences: What a line break in raw text means: ``auto``, nothing certain; ``line``, no sentence crosses it;
            ``presegmented``, a line is a sentence. A blank line always ends a sentence.
        order: For a model that has several orders, the one in which words get their heads; ``combined``, which is also
            its default, parses in all of them and combines what they find.
        precision: The arithmetic that the model must have been loaded with; None accepts any.
        batch_words: Words that are parsed together.
    """

    beam: int = field(default=1, metadata=_option("Hypotheses to keep; 1 is greedy search.", least=1, most=_MOST_TREES))
    n_best: int = field(
        default=1, metadata=_option("Trees to return for each sentence, best first.", least=1, most=_MOST_TREES)
    )
    single_root: bool = field(default=True, metadata=_option("Let exactly one word depend on ROOT."))
    projective: bool = field(default=False, metadata=_option("Allow no crossing arcs."))
    probabilities: bool = field(
        default=False, metadata=_option("Write HeadProb=, DeprelProb=, UposProb=, … into MISC.")
    )
    min_confidence: float = field(
        default=0.0,
        metadata=_option("Mark what is less probable than this by LowConfidence= in MISC.", least=0, most=1),
    )
    retag: bool = field(default=False, metadata=_option("Replace given tags with those of the model."))
    sentences: SentenceBreaks = field(
        default="auto",
        metadata=_option("Line breaks in raw text: auto, line (they end sentences) or presegmented (one a line)."),
    )
    order: str | None = field(
        default=None,
        metadata=_option("Order in which words get their heads, or combined, for a model that has several."),
    )
    precision: Precision | None = field(
        default=None,
        metadata=_option("Arithmetic: auto, fp32, bf16 or int8 (default: what the model names, else fp32)."),
    )
    batch_words: int = field(default=2_500, metadata=_option("Words to parse together.", least=1))

    def __new__(cls, **given: Any) -> Self:
        names = [item.name for item in fields(cls)]
        for name in given:
            if name in OLD_KEYWORDS:
                raise UsageError(f"the option {name} is now called {OLD_KEYWORDS[name]}")
            if name not in names:
                close = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
                raise UsageError(f"the option {name} is unknown; {hint}")
        return object.__new__(cls)

    def __post_init__(self) -> None:
        for item in fields(self):
            value, default, least = getattr(self, item.name), item.default, item.metadata["least"]
            if isinstance(default, bool):
                if not isinstance(value, bool):
                    raise UsageError(f"{item.name} must be true or false, found {value!r}")
            elif isinstance(default, int):
                if not isinstance(value, int) or isinstance(value, bool):
                    raise UsageError(f"{item.name} must be a whole number, found {value!r}")
                if least is not None and value < least:
                    raise UsageError(f"{item.name} must be at least {least}, found {value}")
                if (most := item.metadata["most"]) is not None and value > most:
                    raise UsageError(f"{item.name} must be at most {most}, found {value}")
            elif isinstance(default, float):
                if not isinstance(value, int | float) or isinstance(value, bool):
                    raise UsageError(f"{item.name} must be a number, found {value!r}")
                if not least <= value <= item.metadata["most"]:
                    raise UsageError(f"{item.name} must be from {least} to {item.metadata['most']}, found {value}")
            elif value is not None and not isinstance(value, str):
                raise UsageError(f"{item.name} must be a name, found {value!r}")
        if self.precision is not None and self.precision not in PRECISIONS:
            raise UsageError(f"precision must be one of {', '.join(PRECISIONS)}, found {self.precision}")
        if self.sentences not in SENTENCE_BREAKS:
            raise UsageError(f"sentences must be one of {', '.join(SENTENCE_BREAKS)}, found {self.sentences}")

    @classmethod
    def of(cls, options: ParseOptions | None, changes: Mapping[str, Any]) -> ParseOptions:
        """The options, or the defaults, with some fields changed; an unknown field is a `UsageError`."""
        if options is not None and not isinstance(options, cls):
            raise UsageError(f"options: expected a ParseOptions or its fields as keywords, found {options!r}")
        return replace(options or cls(), **changes) if changes else options or cls()

    @property
    def needs_probabilities(self) -> bool:
        """Whether the probabilities of words are asked for, or what follows from them."""
        return self.probabilities or self.min_confidence > 0

    @property
    def width(self) -> int:
        """The hypotheses that the search keeps: enough for all trees that are asked for."""
        return max(self.beam, self.n_best)


def option_help(name: str) -> str:
    """The help of a field, for the command line, the service and the documentation."""
    [text] = [item.metadata["help"] for item in fields(ParseOptions) if item.name == name]
    return str(text)
