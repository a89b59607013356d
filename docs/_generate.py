"""Pages of the reference that follow from the code: settings, commands, the Python interface and HTTP.

`conf.py` calls `write_reference` at the start of every build. The pages go into a folder that git ignores.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["command_page", "http_page", "python_page", "settings_page", "write_reference"]

MODULES = {
    "pointree.rendering": "Write sentences in an output format.",
    "pointree.treebank": "Read and write treebanks.",
    "pointree.errors": "All errors that pointree raises on purpose.",
}
"""The modules that the page about Python shows beside the names of `pointree` itself."""

EXIT_CODES = [
    ("0", "success"),
    ("1", "`parse --cluster`: some documents failed, and the others were parsed"),
    ("1", "`experiment run`: a cell failed, and the others were trained"),
    ("1", "the reader of the output, such as `head`, has closed it"),
    ("1", "a traceback, which is a defect of pointree"),
    ("2", "an error that you can correct"),
    ("129, 130, 143", "SIGHUP, Ctrl-C (SIGINT), SIGTERM; temporary files are removed first"),
]
"""The exit codes of all commands, and what they mean."""


def write_reference(folder: Path) -> None:
    """Write all generated pages; a page that has not changed keeps its time, so that Sphinx does not read it again."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "settings.md": settings_page(),
        "commands.md": command_page(),
        "python.rst": python_page(),
        "http.md": http_page(),
    }
    for name, text in pages.items():
        place = folder / name
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")


# Settings


def settings_page() -> str:
    """All settings of training by section, and what the presets change."""
    from pointree.config import PRESETS, describe
    from pointree.config.rules import as_toml
    from pointree.config.sections import SECTIONS

    lines = [
        "# Settings",
        "",
        "All settings of `pointree train`, with the paper's values as defaults. Give one with",
        "`--set SECTION.FIELD=VALUE`, or several in a TOML file with `--config FILE`.",
        "`pointree train --list-settings` prints this list. See [how to train](../../guide/train.md).",
        "",
    ]
    all_settings = describe()
    for name, section in SECTIONS.items():
        lines += [f"## {name}", "", _first_paragraph(section.__doc__), ""]
        rows = []
        for setting in all_settings:
            prefix, _, field = setting.name.rpartition(".")
            if prefix == name:
                meaning = f"{_cleaned(setting.help)} Accepts {setting.expectation}."
                rows.append((f"`{field}`", f"`{as_toml(setting.default)}`", meaning))
        lines += _table(("setting", "default", "meaning"), rows, "settings")
    lines += ["## Presets", "", "`--preset NAME` starts from these values; all other settings keep their defaults.", ""]
    changed = {
        f"{section}.{field}": None for preset in PRESETS.values() for section in preset for field in preset[section]
    }
    defaults = {setting.name: setting.default for setting in all_settings}
    rows = []
    for setting in changed:
        section, _, field = setting.rpartition(".")
        values = (preset.get(section, {}).get(field, defaults[setting]) for preset in PRESETS.values())
        rows.append((f"`{setting}`", *(f"`{as_toml(value)}`" for value in values)))
    lines += _table(("setting", *(f"`{preset}`" for preset in PRESETS)), rows, "settings")
    return _page(lines)


# Commands


def command_page() -> str:
    """Every command with its arguments, options and examples."""
    import typer

    from pointree.cli.main import app

    group = typer.main.get_command(app)
    lines = [
        "# Commands",
        "",
        _cleaned(group.help),
        "",
        "Errors are one line on standard error. The exit code is",
        "",
    ]
    lines += _table(("exit code", "after"), EXIT_CODES)
    lines += _commands(group, "pointree", 2)
    return _page(lines)


def _commands(group: Any, path: str, level: int) -> Iterator[str]:
    context = group.make_context(path.split()[-1], [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield from _command(command, f"{path} {name}", level)
        if hasattr(command, "list_commands"):
            yield from _commands(command, f"{path} {name}", level + 1)


def _command(command: Any, path: str, level: int) -> Iterator[str]:
    options = [param for param in command.params if param.param_type_name == "option" and not param.hidden]
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    usage = [path, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)]
    if hasattr(command, "list_commands"):
        usage.append("COMMAND")
    yield from (f"{'#' * level} {path}", "", "```text", " ".join(usage), "```", "")
    yield from (_cleaned(command.help), "")
    if arguments:
        rows = [(f"`{argument.metavar}`".replace("|", "\\|"), argument.help or "") for argument in arguments]
        yield from _table(("argument", "meaning"), rows)
    yield from ("```{program} " + path, "```", "")
    for option in options:
        yield from _option(option)
    if command.epilog:
        examples = re.sub(r"^\s*(\x08|\\b)?\s*Examples:\n", "", inspect.cleandoc(command.epilog))
        yield from ("```sh", inspect.cleandoc("\n" + examples), "```", "")


def _usage(argument: Any) -> str:
    name = argument.metavar + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> Iterator[str]:
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    names = ", ".join(f"{name}{value}" for name in (*option.opts, *option.secondary_opts))
    text = _cleaned(option.help)
    notes = []
    if option.required:
        notes.append("Required.")
    if getattr(option, "multiple", False) and "several" not in text and "repeated" not in text:
        notes.append("May be given several times.")
    default = option.default
    if not (default is None or default is False or callable(default) or "default:" in text or default in ((), [])):
        notes.append(f"Default: `{'this folder' if str(default) == '.' else default}`.")
    yield from ("```{option} " + names, " ".join([text, *notes]), "```", "")


# Python


def python_page() -> str:
    """The public names, described by their docstrings."""
    import pointree

    lines = ["Python API", "==========", "", "Import these names from ``pointree``.", ""]
    lines += _names("pointree", [name for name in pointree.__all__ if not name.startswith("__")])
    top = {id(getattr(pointree, name)) for name in pointree.__all__}
    for module, purpose in MODULES.items():
        home = importlib.import_module(module)
        new = [name for name in home.__all__ if id(getattr(home, name)) not in top or module == "pointree.errors"]
        lines += [module, "-" * len(module), "", purpose, "", *_names(module, new)]
    return _page(lines)


def _names(module: str, names: Iterable[str]) -> Iterator[str]:
    """Functions first, then classes, then constants."""
    home = importlib.import_module(module)
    for name in sorted(names, key=lambda name: _rank(getattr(home, name))):
        value = getattr(home, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            yield from (f".. autoexception:: {module}.{name}", "   :show-inheritance:", *_again(module, name), "")
        elif inspect.isclass(value):
            yield from (f".. autoclass:: {module}.{name}", "   :members:", "")
        elif callable(value):
            yield from (f".. autofunction:: {module}.{name}", "")
        else:
            yield from (f".. autodata:: {module}.{name}", "   :no-value:", "")


def _rank(value: object) -> int:
    return 1 if inspect.isclass(value) else 0 if callable(value) else 2


def _again(module: str, name: str) -> list[str]:
    """A name of `pointree` that is described a second time at its home is not indexed twice."""
    import pointree

    return ["   :no-index:"] if module != "pointree" and name in pointree.__all__ else []


# HTTP


def http_page() -> str:
    """Every route of the service with its fields and replies, from its OpenAPI description."""
    description = _openapi()
    lines = [
        "# HTTP API",
        "",
        "The routes of `pointree serve`. A running service has the same description at `/docs`, and for programs at",
        "`/openapi.json`. See [how to serve](../../guide/serve.md).",
        "",
    ]
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            lines += _operation(f"{method.upper()} {path}", operation, description)
    return _page(lines)


def _openapi() -> dict[str, Any]:
    """The description of a service; it does not depend on the models, so none is loaded."""
    from unittest.mock import Mock

    from pointree.serving.app import create_app
    from pointree.serving.registry import Registry, ServedModel
    from pointree.serving.service import Service

    return create_app(Service(Registry([ServedModel("en", Mock())]))).openapi()


def _operation(title: str, operation: Mapping[str, Any], description: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## {title}", "", _cleaned(operation.get("description") or operation.get("summary")), "")
    if parameters := operation.get("parameters"):
        rows = [_field(each["name"], each["schema"], each.get("required", False), description) for each in parameters]
        yield from _table(("parameter", "type", "default", "meaning"), rows)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(content["schema"], description)
        required = schema.get("required", ())
        rows = [
            _field(name, each, name in required, description) for name, each in schema.get("properties", {}).items()
        ]
        if rows:
            yield from (f"Body: `{kind}`", "")
            yield from _table(("field", "type", "default", "meaning"), rows)
        for example in schema.get("examples", ()):
            yield from ("```json", json.dumps(example, ensure_ascii=False, indent=2), "```", "")
    replies = operation["responses"]
    good = [f"`{status}`: {reply['description'].rstrip('.')}." for status, reply in replies.items() if status < "400"]
    errors = [f"`{status}`" for status in replies if status >= "400"]
    yield from (" ".join(["Replies:", *good, *([f"Errors: {', '.join(errors)}."] if errors else [])]), "")


def _field(name: str, schema: Mapping[str, Any], required: bool, description: Mapping[str, Any]) -> tuple[str, ...]:
    default = schema.get("default")
    shown = "required" if required else "" if default is None else f"`{json.dumps(default, ensure_ascii=False)}`"
    return f"`{name}`", _type(schema, description), shown, _cleaned(schema.get("description"))


def _type(schema: Mapping[str, Any], description: Mapping[str, Any]) -> str:
    schema = _resolved(schema, description)
    if "anyOf" in schema:
        kinds = (_type(each, description) for each in schema["anyOf"])
        return " or ".join(dict.fromkeys(kind for kind in kinds if kind != "null"))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema.get("enum", [schema.get("const")]))
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"array of {_type(schema.get('items', {}), description)}"
    bounds = [f"{sign} {schema[key]:g}" for key, sign in (("minimum", "≥"), ("maximum", "≤")) if key in schema]
    return " ".join([kind, *bounds])


def _resolved(schema: Mapping[str, Any], description: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        found: Any = description
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


# Text


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> Iterator[str]:
    """A Markdown table, with a class for the style sheet if one is given."""
    if kind:
        yield "{." + kind + "}"
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\|", " ".join(text.split()))


def _cleaned(text: str | None) -> str:
    """A docstring or a help text as Markdown, with options in running text marked as code."""
    parts = inspect.cleandoc(text or "").replace("\x08", "").strip().split("`")
    parts[::2] = [re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)


def _first_paragraph(text: str | None) -> str:
    return " ".join(_cleaned(text).partition("\n\n")[0].split())


def _page(lines: Iterable[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
