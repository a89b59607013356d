"""Systems that make mistakes at random: in arcs, labels, tags and lemmas, and in where tokens and sentences end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from pointree.transitions import Constraints, PartialTree, legal_heads
from pointree.treebank.sentence import Sentence, Token

DEPRELS = [
    "nsubj",
    "nsubj:pass",
    "obl",
    "obl:tmod",
    "case",
    "det",
    "mark",
    "punct",
    "aux:pass",
    "compound:prt",
    "local",
    "dep",
]
UPOS = ["NOUN", "VERB", "PUNCT", "ADP"]
FEATS = ["_", "Number=Plur", "Case=Nom|Number=Plur", "Typo=Yes", "Number=Plur|Typo=Yes", "Number=Plur|Case=Nom"]


@dataclass
class Unit:
    """A surface token: a single word, or a form with the words of a multiword token."""

    form: str
    words: list[Token]
    is_range: bool


def perturb(sentences: Sequence[Sentence], rng: Random, *, tokens: float = 0.0, rate: float = 0.2) -> list[Sentence]:
    """Return sentences over the same characters, with mistakes; `tokens` is the rate of wrong tokens."""
    passages = [_units(sentence) for sentence in sentences]
    if tokens:
        passages = _resegment([_retokenise(units, rng, tokens) for units in passages], rng, tokens)
    return [_rebuild(units, rng, rate) for units in passages]


def _units(sentence: Sentence) -> list[Unit]:
    units: list[Unit] = []
    range_end = 0
    for token in sentence.tokens:
        if token.is_range:
            units.append(Unit(token.form, [], True))
            range_end = int(token.id.split("-")[1])
        elif token.is_word:
            if int(token.id) > range_end:
                units.append(Unit(token.form, [], False))
            units[-1].words.append(token)
    return units


def _retokenise(units: list[Unit], rng: Random, rate: float) -> list[Unit]:
    changed: list[Unit] = []
    for unit in units:
        if rng.random() > rate:
            changed.append(unit)
            continue
        changes: list[Callable[[Unit, Random], list[Unit]]] = [_split, _expand, _dissolve]
        changed += rng.choice(changes)(unit, rng)
        if len(changed) > 1 and rng.random() < 0.3:
            right, left = changed.pop(), changed.pop()
            form = left.form + right.form
            keep_words = rng.random() < 0.5
            words = left.words + right.words if keep_words else [Token("0", form)]
            changed.append(Unit(form, words, keep_words))
    return changed


def _split(unit: Unit, rng: Random) -> list[Unit]:
    if len(unit.form) < 2:
        return [unit]
    cut = rng.randrange(1, len(unit.form))
    return [Unit(form, [Token("0", form)], False) for form in (unit.form[:cut], unit.form[cut:])]


def _expand(unit: Unit, rng: Random) -> list[Unit]:
    """Make a multiword token of different words, which may have another case or nothing to do with the token."""
    forms = [unit.form[:1], unit.form.upper(), unit.form[1:] or "x", "x", *(word.form for word in unit.words)]
    different = list({form.lower(): form for form in forms}.values())
    words = [Token("0", form) for form in rng.sample(different, min(len(different), rng.randint(2, 4)))]
    return [Unit(unit.form, words, True)]


def _dissolve(unit: Unit, rng: Random) -> list[Unit]:
    return [Unit(unit.form, [Token("0", unit.form)], False)]


def _resegment(passages: list[list[Unit]], rng: Random, rate: float) -> list[list[Unit]]:
    changed: list[list[Unit]] = []
    for units in passages:
        if changed and rng.random() < rate:
            changed[-1] = changed[-1] + units
        elif len(units) > 1 and rng.random() < rate:
            cut = rng.randrange(1, len(units))
            changed += [units[:cut], units[cut:]]
        else:
            changed.append(units)
    return changed


def _rebuild(units: list[Unit], rng: Random, rate: float) -> Sentence:
    """Number the words anew and give them tags, labels and a single-rooted tree that are mostly as before."""
    tokens: list[Token] = []
    words: list[Token] = []
    origin: dict[str, int] = {}
    for unit in units:
        if unit.is_range:
            tokens.append(Token(f"{len(words) + 1}-{len(words) + len(unit.words)}", unit.form))
        for old in unit.words:
            word = old.copy()
            word.id, word.deps, word.misc = str(len(words) + 1), "_", "_"
            _spoil(word, rng, rate)
            origin[old.id] = len(words) + 1
            words.append(word)
            tokens.append(word)
        if rng.random() < rate / 10:
            tokens.append(Token(f"{len(words)}.1", "empty"))
    tree = PartialTree(len(words))
    turns = list(range(1, len(words) + 1))
    rng.shuffle(turns)
    for focus in turns:
        legal = legal_heads(tree, focus, Constraints(single_root=True))
        old_head = words[focus - 1].head
        head = 0 if old_head == 0 else origin.get(str(old_head), -1)
        if head < 0 or not legal[head] or rng.random() < rate:
            head = rng.choice([node for node, is_legal in enumerate(legal) if is_legal])
        tree.attach(focus, head)
    for word, head in zip(words, tree.heads[1:], strict=True):
        word.head = head
    return Sentence(tokens)


def _spoil(word: Token, rng: Random, rate: float) -> None:
    for column, values in (("deprel", DEPRELS), ("upos", UPOS), ("xpos", UPOS), ("feats", FEATS)):
        if rng.random() < rate or getattr(word, column) == "_":
            setattr(word, column, rng.choice(values))
    if rng.random() < rate:
        word.lemma = rng.choice(["_", "x"])
