"""The project's own files: the commands of the README, and the script that runs them."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALLS = [
    (path.name, line.strip())
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / ".ci" / "run"]
    for line in path.read_text(encoding="utf-8").splitlines()
    if re.search(r"bin/pip install", line)
]


def test_readme_has_the_test_command_where_ci_looks_for_it() -> None:
    found = re.findall(r"^<!-- test command.*-->\n```sh\n(.*)\n```$", README, re.M)
    assert found == [
        "python3 -m venv .venv"
        ' && .venv/bin/pip install -c constraints.txt -e ".[dev]"'
        " && .venv/bin/python -m pytest -n 2"
    ]


def test_readme_parses_a_sentence_from_a_bare_python() -> None:
    [line] = [line for line in README.splitlines() if "pointree parse" in line and "venv" in line]
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install -c constraints.txt . && ")


@pytest.mark.parametrize(("file", "line"), INSTALLS)
def test_every_install_command_pins_torch(file: str, line: str) -> None:
    assert "-c constraints.txt" in line, f"{file}: expected -c constraints.txt in: {line}"


def test_constraints_pin_torch_within_the_bounds_of_the_project() -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [pinned] = [line for line in constraints if line.startswith("torch==")]
    assert not [line for line in project["dependencies"] if line.startswith("torch")], "parsing needs no torch"
    [bound] = [line for line in project["optional-dependencies"]["train"] if line.startswith("torch>=")]
    assert version(pinned.removeprefix("torch==")) >= version(bound.removeprefix("torch>="))


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_ci_script_can_be_executed() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_changelog_has_a_place_for_what_comes_next() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
