"""A sentence as a treebank file holds it: comments, words, multiword ranges and empty nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pointree.errors import UsageError
from pointree.treebank.features import Features
from pointree.views import view

if TYPE_CHECKING:
    import networkx
    import nltk

__all__ = ["Sentence", "Token", "get_misc", "set_misc"]


PROBABILITIES = {
    "head": "HeadProb",
    "deprel": "DeprelProb",
    "upos": "UposProb",
    "xpos": "XposProb",
    "feats": "FeatsProb",
    "lemma": "LemmaProb",
}
"""What has a probability, and the attribute of MISC that holds it."""


@dataclass(slots=True)
class Token:
    """One row of a CoNLL-U file: a word ("3"), a multiword range ("3-4") or an empty node ("3.1").

    `start` and `end` say where it stands in the document that it was read from, in code points: `document[start:end]`
    is what was written there. Words of a multiword token have the range of the token. They are None where there is no
    such document, and do not count when rows are compared.
    """

    id: str
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int | None = None
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"
    start: int | None = field(default=None, compare=False)
    end: int | None = field(default=None, compare=False)

    @property
    def is_word(self) -> bool:
        """Whether the row is a syntactic word, which is what gets a head."""
        return self.id.isdecimal()

    @property
    def is_range(self) -> bool:
        """Whether the row is a multiword token that spans several words."""
        return "-" in self.id

    @property
    def is_empty(self) -> bool:
        """Whether the row is an empty node of the enhanced graph."""
        return "." in self.id

    @property
    def features(self) -> Features:
        """The column FEATS as a mapping, which can be changed: ``token.features["Number"]``."""
        return Features(self)

    @property
    def head_prob(self) -> float | None:
        """The probability of the head, of a sentence that was parsed with ``probabilities=True``."""
        return self.probability("head")

    @property
    def deprel_prob(self) -> float | None:
        """The probability of the relation, given the head; see `head_prob`."""
        return self.probability("deprel")

    def probability(self, quantity: str) -> float | None:
        """A probability that the parser wrote into MISC: that of head, deprel, upos, xpos, feats or lemma.

        None if it did not, and for anything else that somebody may have written there.
        """
        try:
            probability = float(get_misc(self, PROBABILITIES[quantity]) or "nan")
        except ValueError:
            return None
        return probability if 0 <= probability <= 1 else None

    def copy(self) -> Token:
        """A row of its own with the same values."""
        return Token(
            self.id,
            self.form,
            self.lemma,
            self.upos,
            self.xpos,
            self.feats,
            self.head,
            self.deprel,
            self.deps,
            self.misc,
            self.start,
            self.end,
        )


@dataclass(slots=True)
class Sentence:
    r"""The rows of a sentence in file order, its comments, and the white space around it in a file.

    `leader` is what precedes the sentence (a byte-order mark, blank lines at the start of a file) and
    `trailer` what follows the text of its last row: the end of that line and the blank lines, so normally
    ``"\n\n"``. With `newline`, the line ending inside the sentence, they make writing what was read
    byte-identical. `start` and `end` are those of a `Token`: from its first token to its last.

    `words` is computed once: rows may be changed in place, but are not added or removed after the first use.
    """

    tokens: list[Token]
    comments: list[str] = field(default_factory=list)
    leader: str = ""
    trailer: str = "\n\n"
    newline: str = "\n"
    start: int | None = field(default=None, compare=False)
    end: int | None = field(default=None, compare=False)
    _words: list[Token] | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def from_words(
        cls,
        forms: Sequence[str],
        *,
        lemma: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        head: Sequence[int | None] | None = None,
        deprel: Sequence[str] | None = None,
    ) -> Sentence:
        """A sentence of these word forms and, column by column, what else is known of them."""
        tokens = [Token(str(number), form) for number, form in enumerate(forms, 1)]
        for token in tokens:
            _check_text(f"word {token.id}", token.form)
        columns = {"lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats, "head": head, "deprel": deprel}
        for name, values in columns.items():
            if values is None:
                continue
            if len(values) != len(tokens):
                raise UsageError(f"{name}: expected {len(tokens)} values, one a word, found {len(values)}")
            for token, value in zip(tokens, values, strict=True):
                if isinstance(value, str):
                    _check_text(f"{name} of word {token.id}", value)
                setattr(token, name, value)
        return cls(tokens)

    @property
    def words(self) -> list[Token]:
        """The syntactic words: the rows that are neither multiword ranges nor empty nodes."""
        if self._words is None:
            self._words = [token for token in self.tokens if token.id.isdecimal()]
        return self._words

    def __len__(self) -> int:
        """The number of syntactic words."""
        return len(self.words)

    @property
    def forms(self) -> list[str]:
        """The form of each word."""
        return [word.form for word in self.words]

    @property
    def heads(self) -> list[int | None]:
        """The head of each word: 0 for ROOT, None where the file has none."""
        return [word.head for word in self.words]

    @property
    def deprels(self) -> list[str]:
        """The relation of each word to its head."""
        return [word.deprel for word in self.words]

    @property
    def sent_id(self) -> str | None:
        """The value of the comment `# sent_id = …`."""
        return self.meta("sent_id")

    @property
    def text(self) -> str:
        """The comment `# text = …` or, without it, the surface tokens joined as their SpaceAfter says."""
        text = self.meta("text")
        if text is not None:
            return text
        parts: list[str] = []
        covered = 0
        for token in self.tokens:
            id_, misc = token.id, token.misc
            if "-" in id_:
                covered = int(id_.partition("-")[2])
            elif "." in id_ or (covered and int(id_) <= covered):
                continue
            joined = misc != "_" and (misc == "SpaceAfter=No" or get_misc(token, "SpaceAfter") == "No")
            parts += (token.form, "" if joined else " ")
        return "".join(parts[:-1])

    def meta(self, key: str) -> str | None:
        """The value of the first comment `# key = value`, "" for a bare `# key`, None if there is neither."""
        for comment in self.comments:
            name, equals, value = comment[1:].partition("=")
            if name.strip() == key:
                return value.strip() if equals else ""
        return None

    def set_meta(self, key: str, value: str) -> None:
        """Give the comment `# key` this value, in its place or after all others."""
        if "\n" in value or "\r" in value:
            raise UsageError(f"{key}: a comment is one line, found {value!r}")
        line = f"# {key} = {value}"
        for position, comment in enumerate(self.comments):
            if comment[1:].partition("=")[0].strip() == key:
                self.comments[position] = line
                return
        self.comments.append(line)

    def copy(self) -> Sentence:
        """A sentence of its own: changing its rows or comments leaves this one as it is."""
        tokens = [token.copy() for token in self.tokens]
        return Sentence(tokens, self.comments.copy(), self.leader, self.trailer, self.newline, self.start, self.end)

    def to_dict(self) -> dict[str, Any]:
        """The sentence as JSON values, as the output format `json` has it."""
        values: dict[str, Any] = view("dict", self)
        return values

    def to_networkx(self) -> networkx.DiGraph:
        """A directed graph of networkx with an edge from each head to its dependent; node 0 is ROOT."""
        from pointree.treebank.export import to_networkx

        return to_networkx(self)

    def to_nltk(self) -> nltk.DependencyGraph:
        """A dependency graph of NLTK."""
        from pointree.treebank.export import to_nltk

        return to_nltk(self)

    def __str__(self) -> str:
        drawing: str = view("tree", self)
        return drawing

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        picture: str = view("svg", self)
        return picture

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython prints in a terminal."""
        printer.text(str(self))


def get_misc(token: Token, key: str) -> str | None:
    """The value of the attribute `key=value` in MISC, "" for a bare `key`, None if there is neither."""
    if token.misc == "_":
        return None
    for attribute in token.misc.split("|"):
        name, _, value = attribute.partition("=")
        if name == key:
            return value
    return None


def set_misc(token: Token, key: str, value: str | None) -> None:
    """Give the MISC attribute `key` this value, in its place or after all others; None removes it."""
    if value is not None and ("|" in value or not _fits_column(value)):
        raise UsageError(f"{key}: MISC cannot hold the value {value!r}")
    new = [] if value is None else [f"{key}={value}"]
    attributes = [] if token.misc == "_" else token.misc.split("|")
    for position, attribute in enumerate(attributes):
        if attribute.partition("=")[0] == key:
            attributes[position : position + 1] = new
            break
    else:
        attributes += new
    token.misc = "|".join(attributes) or "_"


def _fits_column(value: str) -> bool:
    return value != "" and "\t" not in value and "\n" not in value and "\r" not in value


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise UsageError(f"{what}: expected text, found {value!r}")
    if not _fits_column(value):
        raise UsageError(f"{what}: expected text without tabs and line ends, found {value!r}")
    if lone := [char for char in value if "\ud800" <= char <= "\udfff"]:
        raise UsageError(f"{what}: expected text, found U+{ord(lone[0]):04X} in {value!r}")
