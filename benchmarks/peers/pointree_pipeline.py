"""pointree: a model on its default engine and in its default precision, in a process without torch; or on torch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from run_peer import Parse


def load(folder: Path, settings: dict[str, Any]) -> tuple[Parse, str]:
    """A function that parses a text file into a CoNLL-U file, and what it computes with."""
    engine = settings.get("engine", "auto")
    if engine != "torch":
        sys.modules["torch"] = None  # type: ignore[assignment]  # whatever wants it fails

    from pointree.parser import Parser
    from pointree.pipeline.inputs import find_inputs, read_inputs
    from pointree.running.threads import prepare_process
    from pointree.treebank import write_conllu

    prepare_process(1)
    parser = Parser.load(folder, engine=engine)

    def parse(source: Path, target: Path) -> None:
        found = enumerate(find_inputs([source]), 1)
        sentences = read_inputs(found, "text", parser.require_segmenter, several=False)
        with open(target, "w", encoding="utf-8", newline="") as stream:
            write_conllu(parser.stream(sentences, copy=False), stream)

    return parse, f"{parser.engine.name}, {parser.precision}"
