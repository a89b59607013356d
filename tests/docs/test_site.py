"""The site builds without a warning and without the network, and its reference has all that the code has."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer

import pointree
from pointree.cli.main import COMMANDS, app
from pointree.config import PRESETS, describe

from .pages import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The module that writes the reference."""
    spec = importlib.util.spec_from_file_location("_generate", DOCS / "_generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(module)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    result = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    for page in DOCS.rglob("*.md"):
        assert (tmp_path / page.relative_to(DOCS).with_suffix(".html")).exists()
    start = (tmp_path / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', start)
    assert loaded
    assert [address for address in loaded if "//" in address] == []


def test_all_settings_are_in_the_reference(generate: ModuleType) -> None:
    page = generate.settings_page()
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    for option in describe():
        section, _, field = option.name.rpartition(".")
        assert f"| `{field}` |" in sections[section]
    for preset in PRESETS:
        assert f"`{preset}`" in sections["Presets"]


def test_all_commands_and_options_are_in_the_reference(generate: ModuleType) -> None:
    page = generate.command_page()
    group = typer.main.get_command(app)
    context = group.make_context("pointree", [], resilient_parsing=True)
    for name in COMMANDS:
        section = re.search(rf"^## pointree {name}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert section is not None
        for param in group.get_command(context, name).params:  # type: ignore[attr-defined]
            if param.param_type_name == "option" and not param.hidden:
                assert all(option in section[1] for option in param.opts)
    assert "### pointree experiment run\n" in page
    assert "| 129, 130, 143 | SIGHUP, Ctrl-C (SIGINT), SIGTERM;" in page


def test_all_public_names_are_in_the_reference(generate: ModuleType) -> None:
    page = generate.python_page()
    for name in pointree.__all__:
        assert name.startswith("__") or re.search(rf"^\.\. auto\w+:: pointree\.{name}$", page, re.M)


def test_all_routes_are_in_the_reference(generate: ModuleType) -> None:
    page = generate.http_page()
    for route in (
        "POST /v1/parse",
        "POST /v1/draw",
        "POST /v1/trace",
        "GET /v1/models",
        "GET /process",
        "GET /healthz",
    ):
        assert f"\n## {route}\n" in page
    assert "| `beam` | integer" in page


def test_pages_that_have_not_changed_are_not_written_again(generate: ModuleType, tmp_path: Path) -> None:
    generate.write_reference(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    generate.write_reference(tmp_path)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == 4


def test_documents_that_the_code_names_exist() -> None:
    files = [ROOT / "CONTRIBUTING.md", *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.js")]
    named = {name for file in files for name in re.findall(r"docs/[\w/-]+\.md", file.read_text(encoding="utf-8"))}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
