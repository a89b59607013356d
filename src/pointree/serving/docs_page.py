"""The OpenAPI description as one plain page: no script, no font, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

__all__ = ["draw_docs"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; border-top: 1px solid GrayText; padding-top: 1rem; }
h2 b { font-family: ui-monospace, monospace; }
code, pre { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid GrayText; }
"""


def draw_docs(openapi: Mapping[str, Any]) -> str:
    """The page for a description."""
    info = openapi["info"]
    sections = "".join(
        _operation(path, method, operation, openapi)
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
    )
    title = escape(f"{info['title']} {info['version']}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{title}</h1><p>{escape(info.get('description', ''))}</p>"
        f'<p>For programs: <a href="openapi.json">openapi.json</a></p>{sections}</main></body></html>'
    )


def _operation(path: str, method: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    parts = [f"<h2><b>{escape(method.upper())} {escape(path)}</b></h2>"]
    parts.append(f"<p>{escape(operation.get('description', operation.get('summary', '')))}</p>")
    if parameters := operation.get("parameters"):
        rows = ((each["name"], each["schema"], each.get("required", False)) for each in parameters)
        parts.append(_table("Parameters", rows, openapi))
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolve(content["schema"], openapi)
        required = schema.get("required", ())
        rows = ((name, field, name in required) for name, field in schema.get("properties", {}).items())
        parts.append(_table(f"Body: {kind}", rows, openapi))
        examples = (json.dumps(example, ensure_ascii=False) for example in schema.get("examples", ()))
        parts.extend(f"<pre>{escape(example)}</pre>" for example in examples)
    answers = ", ".join(f"{status} {reply.get('description', '')}" for status, reply in operation["responses"].items())
    parts.append(f"<p>Answers: {escape(answers)}</p>")
    return "".join(parts)


def _table(title: str, rows: Iterator[tuple[str, Mapping[str, Any], bool]], openapi: Mapping[str, Any]) -> str:
    lines = [f"<h3>{escape(title)}</h3><table><tr><th>name<th>type<th>default<th>meaning"]
    for name, schema, required in rows:
        default = "required" if required else json.dumps(schema["default"]) if "default" in schema else ""
        cells = (f"<code>{escape(name)}</code>", escape(_kind(schema, openapi)), escape(default))
        meaning = escape(schema.get("description", ""))
        lines.append("<tr>" + "".join(f"<td>{cell}" for cell in (*cells, meaning)))
    return "".join([*lines, "</table>"])


def _kind(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    """The type of a field in a few words."""
    schema = _resolve(schema, openapi)
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_kind(option, openapi) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), openapi)}"
    return str(schema.get("type", "any"))


def _resolve(schema: Mapping[str, Any], openapi: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    found: Mapping[str, Any] = openapi
    for key in schema["$ref"].removeprefix("#/").split("/"):
        found = found[key]
    return found
