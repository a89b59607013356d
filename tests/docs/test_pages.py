"""The examples of the guide and the README run, in a folder with short files under the names that they use.

Training is made small by more `--set` options. It does without a tokeniser of its own, since that takes longer than all
else here, and gets the English one.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from pointree.cli.main import main
from pointree.models.registry import resolve_model
from pointree.treebank import read_conllu

from ..cli.conftest import SMALL
from .pages import PAGES, ROOT, Block, read_blocks

EXAMPLES = [page for page in PAGES if any(block.runs for block in read_blocks(page))]
OUTPUT = re.compile(r"--output (\S+)")
LIBRARIES = {"notebooks": ("networkx", "nltk", "pandas"), "spacy": ("spacy",)}
"""Optional libraries that the examples of a page use."""

NAMES = re.compile(r"[\w./-]+\.(?:conllu(?:\.gz)?|txt|vec)\b")


@pytest.mark.slow
@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_examples_run(
    page: Path, tmp_path: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for library in LIBRARIES.get(page.stem, ()):
        pytest.importorskip(library)
    blocks = read_blocks(page)
    monkeypatch.chdir(tmp_path)
    make_files(blocks, ewt)
    namespace: dict[str, Any] = {}
    for block in blocks:
        if block.runs and block.language == "python":
            code = "\n" * block.line + block.code  # so that a traceback has the line of the page
            exec(compile(code, str(page.relative_to(ROOT)), "exec"), namespace)
        elif block.runs:
            for line in block.commands:
                run(line, f"{page.relative_to(ROOT)}:{block.line}: {line}", monkeypatch, capfd)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_marks_are_known(page: Path) -> None:
    for block in read_blocks(page):
        if block.mark and block.file is None:
            assert not block.runs, f"{page.name}:{block.line}: expected a reason or a file, found {block.mark}"


def make_files(blocks: list[Block], ewt: Path) -> None:
    """Write every file that the examples name, and the folder `model` if no example trains it."""
    import gzip

    some = list(read_conllu(ewt))[:6]
    treebank = "\n\n".join(ewt.read_text(encoding="utf-8").split("\n\n")[:6]) + "\n\n"
    vector = " ".join(["0.1"] * 16)
    contents = {
        "conllu": treebank,
        "txt": "\n\n".join(sentence.text for sentence in some) + "\n",
        "vec": "".join(f"{form} {vector}\n" for form in sorted({form for sentence in some for form in sentence.forms})),
    }
    code = "".join(block.code for block in blocks if block.runs)
    for name in set(NAMES.findall(code)):
        content = contents[name.removesuffix(".gz").rpartition(".")[2]].encode()
        Path(name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    for block in blocks:
        if block.file is not None:
            Path(block.file).write_text(block.code, encoding="utf-8")
    if "--output model" not in code:
        Path("model").symlink_to(resolve_model("en"))


def run(line: str, where: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Run a line in this process; what a pipe would bring comes from the file that it reads."""
    line = line.rpartition(" && ")[2].removeprefix(".venv/bin/")
    if piped := re.fullmatch(r"cat (\S+) \| (.*)", line):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(piped[1]).read_bytes())))
        line = piped[2]
    program, *arguments = shlex.split(line, comments=True)
    assert program == "pointree", f"{where}: expected pointree, or a comment <!-- not run: … --> before the block"
    output = Path(found[1]) if (found := OUTPUT.search(line)) else None
    trains = arguments[0] == "train" and output is not None
    if trains:
        sizes = [] if "--init" in arguments else SMALL  # a model that is fine-tuned keeps its sizes
        arguments += [*sizes, "--set", "training.epochs=1", "--set", "segmenter.epochs=1"]
    elif output is not None:
        output.unlink(missing_ok=True)
    capfd.readouterr()
    with pytest.raises(SystemExit) as left:
        main(arguments)
    out, err = capfd.readouterr()
    assert not left.value.code, f"{where}\n{err}"
    if output is None:
        assert out, where
    elif not trains:
        assert output.stat().st_size > 0, where
        if output.suffix == ".conllu":
            assert all(head is not None for sentence in read_conllu(output) for head in sentence.heads), where


def test_blocks_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n```sh\npointree a \\\n    b\n\n# c\n```\n\n<!-- not run: why -->\n```python\n1\n```\n"
        "<!-- file: run.toml -->\n```toml\nx = 1\n```\n```{note}\nno\n```\n",
        encoding="utf-8",
    )
    first, second, third = read_blocks(page)
    assert (first.line, first.runs, first.commands) == (3, True, ["pointree a      b"])
    assert (second.line, second.runs) == (11, False)
    assert (third.runs, third.file, third.code) == (False, "run.toml", "x = 1\n")
