"""What Windows and macOS need: no POSIX-only module at the top, no fork, and UTF-8 wherever text is read."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pointree

SRC = Path(pointree.__file__).parent
FILES = sorted(SRC.rglob("*.py"))
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}

WITHOUT_POSIX = f"""
import importlib, multiprocessing, multiprocessing.util, os, pkgutil, signal, sys
import torch, numpy  # they need what is taken away here; pointree must not
for name in {sorted(POSIX_ONLY)!r}:
    sys.modules[name] = None
for name in ("fork", "forkpty", "waitpid", "WNOHANG", "killpg", "getuid", "geteuid", "setsid", "nice"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM"):
    if hasattr(signal, name):
        delattr(signal, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
"""
"""What a program starts with to look like one on Windows."""


def top_imports(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported with the file itself, not in a function, in a `try` or under a condition."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SRC).as_posix())
def test_no_file_needs_posix_or_the_encoding_of_the_system(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not POSIX_ONLY & set(top_imports(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not any(keyword.arg in ("encoding", None) for keyword in node.keywords):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            modes = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            modes += [k.value.value for k in node.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
            text = not any("b" in mode for mode in modes if isinstance(mode, str))
            opens = name == "open" and isinstance(node.func, ast.Name) and text
            assert not opens, f"line {node.lineno}: expected an encoding, found none"
            assert name not in ("read_text", "write_text") or len(node.args) > (name == "write_text"), node.lineno


@pytest.mark.slow
def test_everything_works_without_fork_and_fcntl(ewt: Path, tmp_path: Path) -> None:
    code = f"""{WITHOUT_POSIX}
import pointree
from pointree.errors import MissingExtraError
for module in pkgutil.walk_packages(pointree.__path__, "pointree."):
    if module.name != "pointree.__main__":
        try:
            importlib.import_module(module.name)
        except MissingExtraError:
            pass
parser = pointree.load("en", precision="auto")
print(parser.parse_text("It rains.")[0].heads)
from pathlib import Path
from pointree.bench.measure import peak_memory_mb
from pointree.locks import is_locked, lock_folder
from pointree.pretrained.cache import lock_file
held = lock_folder(Path("cell"))
assert held is not None and not is_locked(Path("cell"))
lock_file(Path("file")).close()
print(peak_memory_mb())
"""
    env = os.environ | {"PYTHONPATH": str(SRC.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[2, 0, 2]\n0.0\n", done.stderr


def find_python(version: str) -> Path | None:
    """A Python of this version: of the path, if it starts, or of pyenv."""
    found = shutil.which(f"python{version}")
    if found and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
        return Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return next(iter(sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))), None)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_versions_of_python_read_the_source(version: str, tmp_path: Path) -> None:
    """Every Python that is installed here compiles all files, and runs what needs no other package."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    code = """
import ast, sys, warnings
from pathlib import Path
warnings.simplefilter("error")
for path in Path(sys.argv[1]).rglob("*.py"):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")
import pointree, pointree.treebank, pointree.transitions, pointree.rendering, pointree.options, pointree.config
from pointree.treebank import read_conllu
sentence = next(iter(read_conllu(sys.argv[2])))
print(sentence)
"""
    env = os.environ | {
        "PYTHONPATH": str(SRC.parent),
        "PYTHONPYCACHEPREFIX": str(tmp_path),
        "PYTHONIOENCODING": "utf-8",
    }
    fixture = SRC.parents[1] / "tests" / "fixtures" / "ewt.conllu"
    done = subprocess.run([python, "-c", code, SRC, fixture], env=env, capture_output=True, check=False)
    assert "root" in done.stdout.decode(), done.stderr.decode()
