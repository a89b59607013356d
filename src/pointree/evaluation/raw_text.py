"""The raw text of a treebank, put together from its comments as releases of Universal Dependencies do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pointree.errors import InputError
from pointree.treebank.sentence import Sentence, Token, get_misc

__all__ = ["raw_text"]

_PARAGRAPH = re.compile(r"#\s*(newpar|newdoc)\b")


def raw_text(sentences: Iterable[Sentence], name: str = "gold") -> str:
    """Return the text of sentences that follow each other, from their comments `# text = …`.

    A blank line stands before `# newpar` and `# newdoc`. Other sentences are joined by a space, or by nothing after a
    token with `SpaceAfter=No`. A sentence without text is an `InputError` that calls the file by its `name`.
    """
    parts: list[str] = []
    space = ""
    for number, sentence in enumerate(sentences, 1):
        text = sentence.meta("text")
        if not text:
            place = f"{name}: sentence {number}" + (f" ({sentence.sent_id})" if sentence.sent_id else "")
            raise InputError(f"{place}: expected a comment `# text = …` with the raw text, found none")
        if parts and any(_PARAGRAPH.match(comment) for comment in sentence.comments):
            space = "\n\n"
        parts += (space, text)
        space = "" if get_misc(_last_token(sentence), "SpaceAfter") == "No" else " "
    return "".join(parts)


def _last_token(sentence: Sentence) -> Token:
    """Return the last surface token: a word, or the multiword token that ends with it."""
    last = sentence.words[-1]
    for token in sentence.tokens:
        if token.is_range and token.id.partition("-")[2] == last.id:
            return token
    return last
