"""The README's picture is ours, its figures are those of the model card, and its links lead somewhere.

`tests/docs` runs its commands.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointree.cli.main import main
from pointree.models.registry import resolve_model

from .docs.pages import read_blocks

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = [block for block in read_blocks(ROOT / "README.md") if block.language == "python"]
    exec(compile(block.code, "README.md", "exec"), {})
    first, second, *drawing = capsys.readouterr().out.splitlines()
    assert first.startswith("[('John', 4, 'nsubj'), ('and', 3, 'cc'), ('Mary', 1, 'conj'), ('play', 0, 'root'), ")
    assert second.startswith("[('It', 2, ")
    assert any("●" in line and " play " in line for line in drawing)


@pytest.mark.slow
def test_the_picture_is_what_we_draw(capfd: pytest.CaptureFixture[str]) -> None:
    sentence = "John and Mary play tennis together."
    assert f'`pointree parse "{sentence}" --to svg`' in README
    assert "](docs/tree.svg)" in README
    with pytest.raises(SystemExit):
        main(["parse", sentence, "--to", "svg", "--precision", "fp32"])
    picture = (ROOT / "docs" / "tree.svg").read_text(encoding="utf-8")
    assert capfd.readouterr().out == picture, f'renew it: pointree parse "{sentence}" --output docs/tree.svg'


def test_figures_are_those_of_the_model_cards() -> None:
    heading, line, *figures = table_after("## Results", README)
    for name in ("en", "en-fast"):
        card = (resolve_model(name) / "README.md").read_text(encoding="utf-8")
        assert table_after("## Scores", card) == [heading, line, *(row for row in figures if f"| `{name}` |" in row)]


def test_the_licences_are_those_of_the_files() -> None:
    licence = README.partition("## Licence\n")[2]
    assert "[MIT licence](LICENSE)" in licence
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert "CC BY-SA 4.0" in licence
    assert "Licence: CC BY-SA 4.0" in (resolve_model("en") / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https?:)([^)]+)", README))))
def test_links_lead_somewhere(target: str) -> None:
    path, _, anchor = target.partition("#")
    assert (ROOT / path).exists()
    if anchor:
        headings = re.findall(r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.M)
        assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def table_after(heading: str, text: str) -> list[str]:
    """The rows of the first table after a heading."""
    found = re.search(r"(?:^\|.*\n)+", text.partition(f"{heading}\n")[2], re.M)
    assert found is not None
    return found[0].splitlines()
