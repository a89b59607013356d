"""Every error that pointree raises on purpose.

    PointreeError
    ├── UsageError        an option, argument or value that cannot be used
    ├── ConfigError       a configuration with one or more faults, all listed
    ├── InputError        a file that cannot be opened, decoded or used at all
    │   └── FormatError   a place in a file that breaks its format: file, line, expected, found
    ├── OutputError       a place that cannot be written
    ├── ModelError        a model folder that is missing, damaged or of another version
    ├── TrainingError     a training run that cannot start, go on or be resumed
    └── MissingExtraError an optional dependency that is not installed

Each carries a message of one line that a user can act on; the command line prints it and exits with code 2.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ConfigError",
    "FormatError",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "OutputError",
    "PointreeError",
    "TrainingError",
    "UsageError",
]


class PointreeError(Exception):
    """Base of all errors that pointree raises on purpose."""


class UsageError(PointreeError):
    """An option, argument or value that cannot be used."""


class ConfigError(PointreeError):
    """A configuration with one or more faults, all listed at once."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class InputError(PointreeError):
    """A file that cannot be opened, decoded or used at all."""


class FormatError(InputError):
    """A place in a file that breaks its format."""

    def __init__(self, source: str, line: int, problem: str) -> None:
        self.source = source
        self.line = line
        self.problem = problem
        super().__init__(f"{source}:{line}: {problem}")


class OutputError(PointreeError):
    """A place that cannot be written."""


class ModelError(PointreeError):
    """A model folder that is missing, damaged or of another version."""


class TrainingError(PointreeError):
    """A training run that cannot start, go on or be resumed."""


class MissingExtraError(PointreeError):
    """An optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency: pip install 'pointree[{extra}]'")
