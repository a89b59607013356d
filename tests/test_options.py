"""Options of parsing: checked once, spelt the same everywhere."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields

import pytest
import typer

from pointree.ensemble import Ensemble
from pointree.errors import UsageError
from pointree.options import OLD_KEYWORDS, PRECISIONS, ParseOptions, option_help
from pointree.parser import Parser, SentenceParser

NAMES = [item.name for item in fields(ParseOptions)]


def test_the_defaults_are_those_of_universal_dependencies_and_the_paper() -> None:
    options = ParseOptions()
    assert (options.beam, options.n_best, options.width) == (1, 1, 1)
    assert options.single_root
    assert not options.projective
    assert (options.order, options.precision) == (None, None)


def test_options_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        ParseOptions().beam = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("beam", 0, "beam must be at least 1, found 0"),
        ("n_best", -1, "n_best must be at least 1, found -1"),
        ("beam", 10**30, f"beam must be at most 10000, found {10**30}"),
        ("n_best", 10_001, "n_best must be at most 10000, found 10001"),
        ("batch_words", 0, "batch_words must be at least 1, found 0"),
        ("min_confidence", 1.5, "min_confidence must be from 0 to 1, found 1.5"),
        ("min_confidence", float("nan"), "min_confidence must be from 0 to 1, found nan"),
        ("min_confidence", "high", "min_confidence must be a number, found 'high'"),
        ("min_confidence", True, "min_confidence must be a number, found True"),
        ("beam", 2.5, "beam must be a whole number, found 2.5"),
        ("beam", True, "beam must be a whole number, found True"),
        ("beam", "4", "beam must be a whole number, found '4'"),
        ("projective", 1, "projective must be true or false, found 1"),
        ("order", 3, "order must be a name, found 3"),
        ("precision", "fp64", f"precision must be one of {', '.join(PRECISIONS)}, found fp64"),
    ],
)
def test_what_cannot_be_used_is_one_clear_line(name: str, value: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ParseOptions(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_keywords_change_given_options() -> None:
    given = ParseOptions(beam=4, projective=True)
    assert ParseOptions.of(given, {}) is given
    assert ParseOptions.of(given, {"beam": 2}) == ParseOptions(beam=2, projective=True)
    assert ParseOptions.of(None, {"n_best": 3}).width == 3
    with pytest.raises(
        UsageError, match=r"^options: expected a ParseOptions or its fields as keywords, found \{'beam'"
    ):
        ParseOptions.of({"beam": 4}, {})  # type: ignore[arg-type]


def test_old_and_unknown_keywords_are_told() -> None:
    for old in OLD_KEYWORDS:
        with pytest.raises(UsageError, match=f"^the option {old} is now called "):
            ParseOptions.of(None, {old: 1})
        with pytest.raises(UsageError, match=f"^the option {old} is now called "):
            ParseOptions(**{old: 1})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^the option colour is unknown; known are beam, n_best"):
        ParseOptions.of(None, {"colour": 1})


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_help_and_a_line_of_documentation(name: str) -> None:
    assert option_help(name).endswith(".")
    assert f"\n        {name}: " in (ParseOptions.__doc__ or "")


@pytest.mark.parametrize("kind", [Parser, Ensemble])
def test_parsers_answer_one_protocol_and_respell_no_option(kind: type) -> None:
    for method in ("parse", "stream", "parse_text", "trace"):
        parameters = inspect.signature(getattr(kind, method)).parameters
        assert "options" in parameters
        # The option is about raw text; what `parse` and `stream` are given is called the same.
        assert not set(parameters) & set(NAMES) - ({"sentences"} if method in ("parse", "stream") else set())
    public = [
        name for name in vars(SentenceParser) if not name.startswith("_") and callable(getattr(SentenceParser, name))
    ]
    assert all(callable(getattr(kind, name)) for name in public)


def test_the_command_line_has_every_option_under_its_name() -> None:
    from pointree.cli.parse import app

    command = typer.main.get_command(app)
    assert set(NAMES) <= {parameter.name for parameter in command.params}
