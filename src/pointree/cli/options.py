"""Option and argument types that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from pointree.options import ParseOptions, option_help

__all__ = [
    "DeviceOption",
    "EngineOption",
    "GoldArgument",
    "JsonOption",
    "PrecisionOption",
    "QuietOption",
    "ThreadsOption",
    "new_app",
    "with_parse_options",
]

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to standard output instead of tables.")]
DeviceOption = Annotated[str, typer.Option("--device", metavar="NAME", help="Where to compute: cpu, cuda, …")]
EngineOption = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="What computes: auto, onnx (onnxruntime) or torch.")
]
PrecisionOption = Annotated[str | None, typer.Option("--precision", metavar="NAME", help=option_help("precision"))]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="CPU threads (default: all cores).")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show neither notices nor warnings.")]
GoldArgument = Annotated[Path, typer.Argument(metavar="GOLD", help="CoNLL-U file with the right trees.")]


def new_app() -> typer.Typer:
    """An application for one command, with plain help (rich would double the time to show it)."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


_FLAGS = {"single_root": "--single-root/--multi-root"}
"""Fields whose option is spelt otherwise than their name."""


def with_parse_options(*, without: Sequence[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of `ParseOptions` as options; it gets them as one argument ``options``."""
    types = get_type_hints(ParseOptions)
    offered = [item for item in fields(ParseOptions) if item.name not in without]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        parameters = [
            parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "options"
        ]
        parameters += [_parameter(item, types[item.name]) for item in offered]

        @functools.wraps(command)
        def wrapper(**arguments: Any) -> None:
            chosen = {item.name: arguments.pop(item.name) for item in offered}
            command(**arguments, options=ParseOptions(**chosen))

        wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return wrapper

    return decorate


def _parameter(item: Field[Any], kind: Any) -> inspect.Parameter:
    """A field as the option that Typer reads."""
    option = typer.Option(
        _FLAGS.get(item.name, f"--{item.name.replace('_', '-')}"),
        metavar={int: "N", float: "P", bool: None}.get(kind, "NAME"),
        min=item.metadata["least"],
        max=item.metadata["most"],
        help=item.metadata["help"],
    )
    annotation: Any = Annotated[kind if kind in (int, float, bool) else str | None, option]
    return inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=annotation)
