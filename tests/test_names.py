"""One name, one meaning: no two modules offer different things under one public name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pointree

SRC = Path(pointree.__file__).parent

SHARED = {
    "app": "every command is one",
    "write": "every output format has one",
    "load": "that of spaCy pipelines is `pointree.integrations.spacy.load`",
    "main": "modules that run as programs",
    "PAD": "0 is padding, of words as of characters",
}
"""Names that several modules have on purpose."""


def offered(path: Path) -> set[str]:
    """The names of `__all__` that a module makes itself."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    public: set[str] = set()
    made: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            made.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
            if names == {"__all__"} and statement.value is not None:
                public = set(ast.literal_eval(statement.value))
            made |= names
    return public & made


def test_a_public_name_means_one_thing() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for name in offered(path):
            homes[name].append(path.relative_to(SRC).as_posix())
    shared = {name: files for name, files in homes.items() if len(files) > 1}
    assert {name: files for name, files in shared.items() if name not in SHARED} == {}
    assert shared.keys() == SHARED.keys()
