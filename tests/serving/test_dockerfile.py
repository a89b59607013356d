"""The container installs what the README says, and starts what exists."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_install_command_is_the_readmes_with_the_extra() -> None:
    [line] = [line for line in README.splitlines() if line.startswith("python3 -m venv") and "pointree parse" in line]
    install = line.rpartition(" && ")[0]
    assert install.endswith(" .")
    [run] = re.findall(r"^RUN (python3 -m venv .*)$", DOCKERFILE, re.M)
    assert run == install.removesuffix(" .") + ' ".[serve]"'
    assert "serve" in PROJECT["optional-dependencies"]


def test_what_the_installation_reads_is_copied() -> None:
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.M) for name in line.split()}
    assert {"pyproject.toml", "constraints.txt", PROJECT["readme"], *PROJECT["license-files"], "src"} <= copied
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(ignored)


def test_python_is_a_supported_one() -> None:
    found = set(re.findall(r"^FROM python:(\d+\.\d+)-slim", DOCKERFILE, re.M))
    assert found == {PROJECT["requires-python"].removeprefix(">=")}


def test_the_command_exists_and_listens_where_the_health_check_asks() -> None:
    from pointree.cli.main import COMMANDS

    [entry] = re.findall(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.M)
    program, command, *options = json.loads(entry)
    assert Path(program).name in PROJECT["scripts"]
    assert command in COMMANDS
    port = options[options.index("--port") + 1]
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert f"http://127.0.0.1:{port}/healthz" in DOCKERFILE
    assert "USER pointree" in DOCKERFILE
