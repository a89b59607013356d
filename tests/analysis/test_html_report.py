"""The page of an analysis."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from pointree.analysis.attachments import read_attachments
from pointree.analysis.compare import analyse_attachments
from pointree.analysis.html_report import html_report
from pointree.treebank.sentence import Sentence

from ..helpers import random_sentences


class Balance(HTMLParser):
    """Checks that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(names: list[str]) -> str:
    gold = random_sentences([3, 8, 15, 45], seed=1)
    other = random_sentences([3, 8, 15, 45], seed=2)
    for right, wrong in zip(gold, other, strict=True):
        for word, guess in zip(right.words, wrong.words, strict=True):
            guess.form = word.form
    return html_report(
        analyse_attachments(read_attachments(gold, [gold, other][: len(names)], names), "g<1>", resamples=50)
    )


def test_groups_that_only_a_system_has_are_in_the_table_and_not_in_the_chart() -> None:
    gold = Sentence.from_words(["a", "b", "c"], upos=["X"] * 3, head=[0, 1, 2], deprel=["root", "dep", "dep"])
    system = Sentence.from_words(["a", "b", "c"], upos=["X"] * 3, head=[0, 1, 1], deprel=["root", "dep", "new"])
    text = html_report(analyse_attachments(read_attachments([gold], [[system]], ["system"]), "gold", resamples=50))
    assert "<tr><td>new</td><td>0</td><td>–</td><td>–</td><td>0.00</td></tr>" in text
    assert "<tr><td>2</td><td>0</td><td>–</td><td>–</td><td>0.00</td></tr>" in text
    assert "None" not in text
    assert "nan" not in text


def test_it_is_balanced_and_escaped() -> None:
    text = page(["a&b", "<c>"])
    parser = Balance()
    parser.feed(text)
    assert not parser.open
    assert "g&lt;1&gt;" in text
    assert "a&amp;b" in text
    assert "<c>" not in text


def test_it_needs_nothing_else() -> None:
    text = page(["a", "b"])
    assert not re.search(r"""(src|href)=|url\(|@import|<script|https?://""", text)
    assert "prefers-color-scheme: dark" in text
    assert text.count('<svg class="chart"') == 6


def test_a_single_system_has_no_differences() -> None:
    text = page(["only"])
    assert "Differences" not in text
    assert 'class="best"' not in text
