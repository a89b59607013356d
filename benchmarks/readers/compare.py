"""Compare CoNLL-U readers: speed of reading, of using and of writing again, and whether anything is lost.

    python benchmarks/readers/compare.py FILE.conllu [--repeat 5]

Needs `pip install conllu pyconll ufal.udpipe` beside pointree; a reader that is not installed is left out.
Times are processor time, the best of the repetitions.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROW = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t_"
SPACING = {
    "blank lines": f"\n{ROW.format(1, 'a', 0)}\n\n\n{ROW.format(1, 'b', 0)}\n\n",
    "no final newline": ROW.format(1, "a", 0),
    "CRLF": f"# c\r\n{ROW.format(1, 'a', 0)}\r\n\r\n",
    "byte-order mark": f"\ufeff# c\n{ROW.format(1, 'a', 0)}\n\n",
    "comments": f"#c\n#  key=value \n{ROW.format(1, 'a', 0)}\n\n",
    "spaces in a word": f"{ROW.format(1, 'a b ', 0)}\n\n",
    "U+2028 in a word": ROW.format(1, "a\u2028b", 0) + "\n\n",
    "some heads missing": f"{ROW.format(1, 'a', 0)}\n{ROW.format(2, 'b', '_')}\n\n",
}
"""Files that are valid or usual, and that a reader may normalise or refuse."""


class Reader(NamedTuple):
    """Three ways through a file, each as long as its name says."""

    read: Callable[[Path], Iterator[Any]]
    use: Callable[[Any], list[tuple[str, str, Any, str]]]
    write: Callable[[Any], str]


def pointree_reader() -> Reader:
    from pointree.treebank import format_sentence, read_conllu

    def use(sentence: Any) -> list[tuple[str, str, Any, str]]:
        return [(word.form, word.upos, word.head, word.deprel) for word in sentence.words]

    return Reader(read_conllu, use, format_sentence)


def udpipe_reader() -> Reader:
    from ufal.udpipe import InputFormat, OutputFormat, ProcessingError, Sentence

    output = OutputFormat.newConlluOutputFormat()

    def read(path: Path) -> Iterator[Any]:
        source = InputFormat.newConlluInputFormat()
        source.setText(path.read_bytes().decode())
        error = ProcessingError()
        sentence = Sentence()
        while source.nextSentence(sentence, error):
            yield sentence
        if error.occurred():
            raise ValueError(error.message)

    def use(sentence: Any) -> list[tuple[str, str, Any, str]]:
        words = sentence.words
        return [(w.form, w.upostag, w.head, w.deprel) for w in (words[i] for i in range(1, len(words)))]

    return Reader(read, use, output.writeSentence)


def conllu_reader() -> Reader:
    import conllu

    def read(path: Path) -> Iterator[Any]:
        with open(path, encoding="utf-8", newline="\n") as stream:
            yield from conllu.parse_incr(stream)

    def use(sentence: Any) -> list[tuple[str, str, Any, str]]:
        return [(t["form"], t["upos"], t["head"], t["deprel"]) for t in sentence if isinstance(t["id"], int)]

    return Reader(read, use, lambda sentence: sentence.serialize())


def pyconll_reader() -> Reader:
    import pyconll

    def use(sentence: Any) -> list[tuple[str, str, Any, str]]:
        return [(t.form, t.upos, t.head, t.deprel) for t in sentence if not t.is_multiword() and not t.is_empty_node()]

    # Sentences are joined with the blank line that the library's own `Conll.conll` puts between them.
    return Reader(lambda path: pyconll.iter_from_file(str(path)), use, lambda sentence: sentence.conll() + "\n\n")


READERS = {
    "pointree": pointree_reader,
    "ufal.udpipe": udpipe_reader,
    "conllu": conllu_reader,
    "pyconll": pyconll_reader,
}


def written(reader: Reader, path: Path) -> str:
    """The file as the reader writes what it read."""
    stream = io.StringIO(newline="")
    for sentence in reader.read(path):
        stream.write(reader.write(sentence))
    return stream.getvalue()


def seconds(action: Callable[[], object], repeat: int) -> float:
    """Processor time of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def losses(reader: Reader) -> list[str]:
    """The small files that come back changed, or not at all."""
    lost = []
    with tempfile.TemporaryDirectory() as folder:
        for what, text in SPACING.items():
            path = Path(folder) / "x.conllu"
            path.write_bytes(text.encode())
            try:
                same = written(reader, path) == text
            except Exception:  # whatever a reader raises, the file did not come back
                same = False
            if not same:
                lost.append(what)
    return lost


def main() -> None:
    """Print one row a reader."""
    options = argparse.ArgumentParser(description="Compare CoNLL-U readers.")
    options.add_argument("file", type=Path)
    options.add_argument("--repeat", type=int, default=5)
    arguments = options.parse_args()
    path: Path = arguments.file
    original = path.read_bytes()

    print("| reader | read | read, use | read, write | file identical | also lost or refused |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    for name, make in READERS.items():
        try:
            reader = make()
        except ImportError:
            continue
        n_words = sum(len(reader.use(sentence)) for sentence in reader.read(path))
        speeds = [
            n_words / seconds(lambda: sum(1 for _ in reader.read(path)), arguments.repeat),  # noqa: B023
            n_words / seconds(lambda: sum(len(reader.use(s)) for s in reader.read(path)), arguments.repeat),  # noqa: B023
            n_words / seconds(lambda: written(reader, path), arguments.repeat),  # noqa: B023
        ]
        same = "yes" if written(reader, path).encode() == original else "no"
        cells = [
            name,
            *(f"{speed / 1000:,.0f}k" for speed in speeds),
            same,
            ", ".join(losses(reader)) or "nothing",
        ]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
