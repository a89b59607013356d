from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from pointree.evaluation.alignment import align
from pointree.evaluation.placed_text import PlacedText
from pointree.treebank.sentence import Sentence, Token


def laid_out(text: str) -> PlacedText:
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
    return PlacedText.of([Sentence(rows)])


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
        ("ab=x+x", "ab=y+x", [(1, 1)]),
        ("ab c=bc+c", "a bc", [(1, 1)]),
        ("b c ab=a+b", "bc ab", []),
    ],
)
def test_aligned_words(gold: str, system: str, expected: list[tuple[int, int]]) -> None:
    assert align(laid_out(gold), laid_out(system)) == expected


def test_no_common_subsequence_is_longer() -> None:
    rng = Random(1)
    for _ in range(200):
        gold, system = (rng.choices("abcA", k=rng.randint(1, 9)) for _ in range(2))
        pairs = align(laid_out("token=" + "+".join(gold)), laid_out("token=" + "+".join(system)))
        assert all(gold[g].lower() == system[s].lower() for g, s in pairs)
        assert all(g < next_g and s < next_s for (g, s), (next_g, next_s) in pairwise(pairs))
        assert len(pairs) == length_of_common_subsequence("".join(gold).lower(), "".join(system).lower())


def length_of_common_subsequence(left: str, right: str) -> int:
    """Return the length of a longest common subsequence by its textbook recurrence."""
    row = [0] * (len(right) + 1)
    for ours in left:
        above, row = row, [0]
        for index, theirs in enumerate(right):
            row.append(above[index] + 1 if ours == theirs else max(above[index + 1], row[index]))
    return row[-1]


def test_a_region_of_thousands_of_words() -> None:
    words = [str(number % 97) for number in range(5000)]
    gold, system = laid_out("text=" + "+".join(words)), laid_out("text=" + "+".join(words[1:]))
    assert align(gold, system) == [(index + 1, index) for index in range(4999)]
