"""Sentences for other libraries: data frames of pandas, graphs of networkx and NLTK. Each library is optional."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pointree.errors import MissingExtraError, UsageError
from pointree.treebank.sentence import Sentence, Token

if TYPE_CHECKING:
    import networkx
    import nltk
    import pandas

__all__ = ["to_networkx", "to_nltk", "to_pandas"]

_INTEGERS = ("sentence", "id", "head", "start", "end")
_FLOATS = ("head_prob", "deprel_prob")
_COLUMNS = (
    *("sentence", "sent_id", "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"),
    *("start", "end", *_FLOATS),
)


def to_pandas(sentences: Sentence | Iterable[Sentence]) -> pandas.DataFrame:
    """Make a data frame with a row for each word.

        >>> frame = pointree.to_pandas(parser.parse_text("It rains. They play."))
        >>> frame.groupby("deprel").size()

    The columns are those of CoNLL-U, with ``sentence`` (from 0), ``sent_id``, the offsets ``start`` and ``end`` in the
    text, ``head_prob`` and ``deprel_prob``. What a word does not have is missing. Multiword tokens and empty nodes have
    no row. ``pyarrow.Table.from_pandas`` and ``polars.from_pandas`` take the frame.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("a data frame", "notebook") from None
    given = [sentences] if isinstance(sentences, Sentence) else sentences
    rows = [_row(place, sentence, word) for place, sentence in enumerate(_checked(given)) for word in sentence.words]
    frame = pandas.DataFrame(rows, columns=list(_COLUMNS))
    types = dict.fromkeys(_COLUMNS, "string") | dict.fromkeys(_INTEGERS, "Int64") | dict.fromkeys(_FLOATS, "Float64")
    return frame.astype(types)


def to_networkx(sentence: Sentence) -> networkx.DiGraph:
    """Make a directed graph: an edge from each head to its dependent, with ``deprel``; node 0 is ROOT."""
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("a graph", "notebook") from None
    graph = networkx.DiGraph(sent_id=sentence.sent_id, text=sentence.text)
    graph.add_node(0, form="ROOT")
    for word in sentence.words:
        columns = {name: _value(word, name) for name in ("form", "lemma", "upos", "xpos")}
        graph.add_node(int(word.id), **columns, features=dict(word.features))
    for word in sentence.words:
        if word.head is not None:
            graph.add_edge(word.head, int(word.id), deprel=word.deprel)
    return graph


def to_nltk(sentence: Sentence) -> nltk.DependencyGraph:
    """Make NLTK's dependency graph, which has ``tree()`` and ``triples()``; every word needs a head."""
    try:
        from nltk import DependencyGraph
    except ImportError:
        raise MissingExtraError("a graph of NLTK", "notebook") from None
    graph = DependencyGraph()
    for word in sentence.words:
        if word.head is None:
            raise UsageError(f"word {word.id}: expected a head, found none; parse the sentence first")
        number = int(word.id)
        graph.nodes[number].update(
            address=number,
            word=word.form,
            lemma=word.lemma,
            ctag=word.upos,
            tag=word.upos if word.xpos == "_" else word.xpos,
            feats=word.feats,
            head=word.head,
            rel=word.deprel,
        )
        graph.nodes[word.head]["deps"][word.deprel].append(number)
        if word.head == 0 and graph.root is None:
            graph.root = graph.nodes[number]
    return graph


def _checked(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise UsageError(f"expected sentences, found {sentence!r:.60}; parse them first")
        yield sentence


def _row(place: int, sentence: Sentence, word: Token) -> dict[str, Any]:
    row = {name: _value(word, name) for name in _COLUMNS[2:]}
    return row | {"sentence": place, "sent_id": sentence.sent_id, "id": int(word.id)}


def _value(word: Token, name: str) -> Any:
    """A column of a word; an underscore stands for nothing, but for the word that is one."""
    value = getattr(word, name, None)
    return None if value == "_" and not (word.form == "_" and name in ("form", "lemma")) else value
