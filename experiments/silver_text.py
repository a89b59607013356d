"""Raw text as tokenised sentences, for a teacher to parse: `python experiments/silver_text.py --help`.

Paragraphs are drawn from each file in proportion to its share of the words, cut by the segmenter of a model, and
filtered. Sentences that the dev or test treebank has are left out, whatever their case and spaces.
"""

from __future__ import annotations

import argparse
import lzma
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pointree
from pointree.text.reading import segment_text
from pointree.treebank import read_all, write_conllu
from pointree.treebank.sentence import Sentence

SHORTEST, LONGEST = 3, 60
"""Words of a sentence that is kept."""
BLOCK = 200
"""Paragraphs that are segmented before the words are counted."""
CITATION = re.compile(r"\s*\[\d+\]")


def main() -> None:
    """Write the sentences in as many files as processes will parse them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+", metavar="FILE=WORDS", help="a file of paragraphs, and words to take of it")
    parser.add_argument("--model", required=True, help="the model whose segmenter cuts the text")
    parser.add_argument("--without", nargs="+", type=Path, required=True, help="treebanks whose sentences are left out")
    parser.add_argument("--output", type=Path, required=True, help="folder for part-1.conllu, part-2.conllu, …")
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    held_out = {_plain("".join(s.forms)) for path in given.without for s in read_all(path) if len(s) >= SHORTEST}
    model = pointree.load(given.model)
    draw = random.Random(given.seed)
    kept: list[Sentence] = []
    for text in given.texts:
        path, _, words = text.rpartition("=")
        found = list(_sentences(model, Path(path), int(words), draw, held_out))
        print(f"{path}: {len(found)} sentences, {sum(map(len, found))} words")
        kept += found
    draw.shuffle(kept)
    given.output.mkdir(parents=True, exist_ok=True)
    for part in range(given.parts):
        with (given.output / f"part-{part + 1}.conllu").open("w", encoding="utf-8") as stream:
            write_conllu(kept[part :: given.parts], stream)


def _sentences(
    model: pointree.Parser, path: Path, words: int, draw: random.Random, held_out: set[str]
) -> Iterator[Sentence]:
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        paragraphs = stream.read().splitlines()
    draw.shuffle(paragraphs)
    seen: set[str] = set()
    for start in range(0, len(paragraphs), BLOCK):
        if words <= 0:
            return
        text = CITATION.sub("", "\n\n".join(paragraphs[start : start + BLOCK]))
        for sentence in segment_text(text, model.require_segmenter()):
            plain = _plain("".join(sentence.forms))
            if _is_prose(sentence) and plain not in seen and plain not in held_out:
                seen.add(plain)
                words -= len(sentence)
                yield sentence


def _is_prose(sentence: Sentence) -> bool:
    characters = "".join(sentence.forms)
    letters = sum(character.isalpha() for character in characters)
    return SHORTEST <= len(sentence) <= LONGEST and letters >= 0.6 * len(characters)


def _plain(text: str) -> str:
    return re.sub(r"\s", "", text).casefold()


if __name__ == "__main__":
    main()
