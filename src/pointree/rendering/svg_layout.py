"""Where the words and arcs of one sentence go on a drawing, in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointree.rendering.display import display_width, fit
from pointree.rendering.levels import Arc, place_arcs
from pointree.treebank.sentence import Sentence

__all__ = ["SvgLayout", "lay_out"]

Offsets = tuple[float, float]

WORD_SIZE, TAG_SIZE, LABEL_SIZE = 18, 12, 12
CELL = 0.6  # of the font size: a little over the mean width of a Latin letter and of half a Chinese one
BROAD_LETTERS, BROAD_EXTRA = "MWmw@%—", 0.3  # and what these have over it
MAX_CELLS = 40
MARGIN = 20
WORD_GAP = 20  # at least, between words
LABEL_GAP = 14  # at least, between a label and both ends of its arc together
PORT_GAP = 8  # between the lines that end at one word
FIRST_LEVEL, LEVEL_HEIGHT = 30, 22
LABEL_RISE = 4  # of the label's baseline over its arc


@dataclass(frozen=True, slots=True)
class SvgLayout:
    """The places of a sentence's parts; y grows downwards, and words stand in the order of the sentence."""

    forms: list[str]
    tags: list[str]  # empty when no word has a UPOS
    centres: list[float]  # the middle of each word
    arcs: list[Arc]
    ends: list[tuple[float, float]]  # for each arc, where it leaves its head and reaches its dependent
    width: float
    height: float
    ground: float  # where arcs end, above the words

    def top(self, arc: Arc) -> float:
        """The height at which an arc runs."""
        return self.ground - FIRST_LEVEL - (arc.level - 1) * LEVEL_HEIGHT


def lay_out(sentence: Sentence) -> SvgLayout:
    """Place the words as close as their own widths and the labels of the arcs between them allow."""
    forms = [fit(form, MAX_CELLS) for form in sentence.forms]
    tags = [fit(word.upos, MAX_CELLS) for word in sentence.words]
    if all(tag == "_" for tag in tags):
        tags = []
    arcs = place_arcs(sentence.heads, [fit(deprel, MAX_CELLS) for deprel in sentence.deprels])
    ports = _order_ports(arcs, len(forms))
    widths = [
        max(
            text_width(form, WORD_SIZE),
            text_width(tags[i], TAG_SIZE) if tags else 0,
            PORT_GAP * (len(ports[i]) - 1),
        )
        for i, form in enumerate(forms)
    ]
    offsets = _port_offsets(ports, len(arcs))
    centres = _place_words(widths, arcs, offsets)
    ends = []
    for arc, (out, into) in zip(arcs, offsets, strict=True):
        reached = centres[arc.dependent - 1] + into
        ends.append((centres[arc.head - 1] + out if arc.head else reached, reached))
    right = max((centre + width / 2 for centre, width in zip(centres, widths, strict=True)), default=0.0)
    highest = max((arc.level for arc in arcs), default=0)
    ground = MARGIN + (FIRST_LEVEL + (highest - 1) * LEVEL_HEIGHT + LABEL_RISE + LABEL_SIZE if highest else 0)
    height = ground + 1.4 * WORD_SIZE + (1.6 * TAG_SIZE if tags else 0) + MARGIN
    return SvgLayout(forms, tags, centres, arcs, ends, right + MARGIN, height, ground)


def text_width(text: str, size: int) -> float:
    return (display_width(text) * CELL + sum(map(text.count, BROAD_LETTERS)) * BROAD_EXTRA) * size


def _place_words(widths: Sequence[float], arcs: Sequence[Arc], offsets: Sequence[Offsets]) -> list[float]:
    """The middle of each word, from left to right, each as far left as it can be."""
    reaches = [width / 2 for width in widths]
    labels: dict[int, list[tuple[int, float]]] = {}  # for a word, the distance that it keeps from words before it
    for arc, (out, into) in zip(arcs, offsets, strict=True):
        label = text_width(arc.deprel, LABEL_SIZE)
        if arc.head:
            inward = out - into if arc.head == arc.left else into - out
            labels.setdefault(arc.right, []).append((arc.left, label + LABEL_GAP + inward))
        else:
            reaches[arc.dependent - 1] = max(reaches[arc.dependent - 1], label / 2 + abs(into))
    centres: list[float] = []
    for number, reach in enumerate(reaches, 1):
        x = MARGIN + reach
        if centres:
            x = max(x, centres[-1] + reaches[number - 2] + WORD_GAP + reach)
        centres.append(max([x, *(centres[left - 1] + distance for left, distance in labels.get(number, ()))]))
    return centres


def _port_offsets(ports: Sequence[Sequence[tuple[int, bool]]], n_arcs: int) -> list[Offsets]:
    """For each arc, how far from the middle of its head it leaves and of its dependent it arrives."""
    out, into = [0.0] * n_arcs, [0.0] * n_arcs
    for around in ports:
        for position, (index, is_head) in enumerate(around):
            (out if is_head else into)[index] = PORT_GAP * (position - (len(around) - 1) / 2)
    return list(zip(out, into, strict=True))


def _order_ports(arcs: Sequence[Arc], n_words: int) -> list[list[tuple[int, bool]]]:
    """For each word, the arcs that end there from left to right, as (index, whether it is the head).

    Lines to the left come first, the longest nearest to the middle, then that of ROOT, then those to the
    right with the longest first: so the lines of nested arcs never meet.
    """
    ports: list[list[tuple[float, int, bool]]] = [[] for _ in range(n_words)]
    for index, arc in enumerate(arcs):
        if not arc.head:
            ports[arc.dependent - 1].append((0.0, index, False))
            continue
        # The key rises over the leftward arcs with their length and, after 0, falls with it to the right.
        key = 1 / (arc.right - arc.left)
        ports[arc.right - 1].append((-key, index, arc.right == arc.head))
        ports[arc.left - 1].append((key, index, arc.left == arc.head))
    return [[(index, is_head) for _, index, is_head in sorted(around)] for around in ports]
