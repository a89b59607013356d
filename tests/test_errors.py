"""The errors form one tree, and each says what happened on one line."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from pointree import errors

SRC = Path(errors.__file__).parent


def test_all_errors_form_one_tree() -> None:
    classes = [value for _, value in inspect.getmembers(errors, inspect.isclass) if value.__module__ == errors.__name__]
    assert sorted(cls.__name__ for cls in classes) == errors.__all__
    assert all(issubclass(cls, errors.PointreeError) for cls in classes)
    assert all(cls.__doc__ for cls in classes)


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    drawn = [line.split("─")[-1].split()[0] for line in (errors.__doc__ or "").splitlines() if "──" in line]
    assert sorted(["PointreeError", *drawn]) == errors.__all__


def test_no_other_module_defines_an_exception() -> None:
    """An error outside the tree would reach users as a traceback."""
    builtin = {"Exception", "BaseException", "ValueError", "RuntimeError", "TypeError", "KeyError", "OSError"}
    strays = [
        f"{path.relative_to(SRC)}: {node.name}"
        for path in sorted(SRC.rglob("*.py"))
        if path.name != "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id in builtin for base in node.bases)
    ]
    assert strays == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (errors.ConfigError(["one", "two"]), "one; two"),
        (
            errors.FormatError("train.conllu", 41, "HEAD 9 is outside a sentence of 7 words"),
            "train.conllu:41: HEAD 9 is outside a sentence of 7 words",
        ),
        (
            errors.MissingExtraError("reading BERT", "bert"),
            "reading BERT needs an optional dependency: pip install 'pointree[bert]'",
        ),
    ],
)
def test_messages(error: errors.PointreeError, message: str) -> None:
    assert str(error) == message
