from __future__ import annotations

import pytest

from pointree.evaluation.alignment import align
from pointree.evaluation.layout import Layout
from pointree.treebank.sentence import Sentence, Token


def laid_out(text: str) -> Layout:
    """Lay out a sentence written as tokens, a multiword token as `form=word+word`."""
    rows: list[Token] = []
    n_words = 0
    for token in text.split():
        form, _, words = token.partition("=")
        parts = words.split("+") if words else [form]
        if words:
            rows.append(Token(f"{n_words + 1}-{n_words + len(parts)}", form))
        rows += [Token(str(number), part, head=0) for number, part in enumerate(parts, start=n_words + 1)]
        n_words += len(parts)
    return Layout.of([Sentence(rows)])


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("a b c", "a b c", [(0, 0), (1, 1), (2, 2)]),
        ("ab c", "a b c", [(1, 2)]),
        ("a bc d", "ab c d", [(2, 2)]),
        ("a bc=b+c d", "a b c d", [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("a b c d", "a bc=b+c d", [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("abc=a+B+c", "abc=A+x+C", [(0, 0), (2, 2)]),
        ("abcd=a+b+c+d", "ab=a+b cd=c+d", [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("abc=a+b+c de=d+e", "a bcd=b+c+d e", [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]),
        ("ab=a+b c", "abc", []),
        ("ab=x+y c", "ab c", [(2, 1)]),
        ("ab=x+y c", "ab=y+x c", [(1, 0), (2, 2)]),
    ],
)
def test_aligned_words(gold: str, system: str, expected: list[tuple[int, int]]) -> None:
    assert align(laid_out(gold), laid_out(system)) == expected
