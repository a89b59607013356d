"""Probabilities that mean what they say: of the words that are said to be 90 % sure, 90 % are right.

A network is too sure of itself. A scale, fitted on a dev treebank after training, makes up for it. It changes reported
probabilities alone, never a tree or a tag. Two numbers make a scale:

- the temperature divides the logarithm of the odds p / (1 - p), so that 1 changes nothing and 2 makes 0.99 to 0.91;
- the ceiling is what a probability of 1 becomes: a share of the surest words is wrong too, or wrong in the treebank.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pointree.errors import ModelError
from pointree.files import atomic_write
from pointree.vocabulary import COLUMNS
from pointree.vocabulary.symbols import load_json

__all__ = ["QUANTITIES", "Calibration", "Scale"]

QUANTITIES = ("head", "deprel", *COLUMNS)
"""What has a probability."""

_TEMPERATURES = 0.01, 100.0
_MOST = 700.0
"""A number whose exponential a float can hold."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How the probabilities of one quantity are changed."""

    temperature: float = 1.0
    ceiling: float = 1.0

    def __call__(self, probability: float) -> float:
        """The probability to report."""
        if not 0.0 < probability < 1.0:
            return self.ceiling * min(max(probability, 0.0), 1.0)
        log_odds = (math.log(probability) - math.log1p(-probability)) / self.temperature
        return self.ceiling / (1.0 + math.exp(min(-log_odds, _MOST)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scales of a model; what has none is reported as it is."""

    scales: Mapping[str, Scale] = field(default_factory=dict)

    def __call__(self, quantity: str, probability: float) -> float:
        """The probability to report."""
        scale = self.scales.get(quantity)
        return probability if scale is None else scale(probability)

    def save(self, path: Path) -> None:
        """Write the scales as JSON."""
        with atomic_write(path) as stream:
            json.dump({name: asdict(scale) for name, scale in self.scales.items()}, stream, indent=2)
            stream.write("\n")

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read what `save` wrote; whatever is wrong with it is a `ModelError`. Without the file, nothing is changed."""
        if not path.exists():
            return cls()
        scales = {}
        for name, values in load_json(path).items():
            if name not in QUANTITIES or not isinstance(values, dict) or values.keys() != {"temperature", "ceiling"}:
                raise ModelError(f"{path}: expected a temperature and a ceiling of {', '.join(QUANTITIES)}")
            temperature, ceiling = values["temperature"], values["ceiling"]
            least, most = _TEMPERATURES
            if not _is_number(temperature) or not least <= temperature <= most:
                raise ModelError(
                    f"{path}: {name}: expected a temperature from {least} to {most}, found {temperature!r:.40}"
                )
            if not _is_number(ceiling) or not 0.0 < ceiling <= 1.0:
                raise ModelError(f"{path}: {name}: expected a ceiling above 0 and up to 1, found {ceiling!r:.40}")
            scales[name] = Scale(float(temperature), float(ceiling))
        return cls(scales)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
