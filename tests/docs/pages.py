"""The fenced blocks of the guide and the README, and which of them run.

Every `sh` and `python` block runs, unless a comment right before it says why not:

    <!-- not run: needs a GPU -->
    <!-- not run yet: --init comes with 0.2 -->

`<!-- file: run.toml -->` makes the block a file that later commands read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "read_blocks"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]

_BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
_REASON = re.compile(r"(?:not run|not run yet|test command): (.+)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    code: str
    mark: str

    @property
    def runs(self) -> bool:
        """Whether the block is an example that runs."""
        return self.language in ("sh", "python") and not _REASON.fullmatch(self.mark)

    @property
    def file(self) -> str | None:
        """The name of the file that the block is the content of."""
        return self.mark.removeprefix("file: ") if self.mark.startswith("file: ") else None

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, without their line continuations."""
        lines = self.code.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]


def read_blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, found.start("language")) + 1, found["language"], found["code"], found["mark"] or "")
        for found in _BLOCK.finditer(text)
    ]
