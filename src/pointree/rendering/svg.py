"""A picture for the web and for print: arcs above the words, in one SVG file that needs nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from io import StringIO
from tempfile import SpooledTemporaryFile
from typing import Literal, TextIO
from xml.sax.saxutils import escape

from pointree.rendering.display import is_right_to_left, printable, script_language
from pointree.rendering.levels import Arc
from pointree.rendering.svg_layout import LABEL_RISE, LABEL_SIZE, TAG_SIZE, WORD_SIZE, SvgLayout, lay_out
from pointree.treebank.sentence import Sentence

__all__ = ["Direction", "draw_svg", "write"]

Direction = Literal["auto", "ltr", "rtl"]

NAMESPACE = "http://www.w3.org/2000/svg"
SHOULDER = 0.4  # the width of the bend of an arc, of its height
TIP_HEIGHT = 8
TIP = f"-3.5 -{TIP_HEIGHT}h7"
SPOOL_BYTES = 1 << 24

STYLE = f"""\
  <style type="text/css">
    .paper {{ fill: #ffffff }}
    text {{ font-family: "Noto Sans", "Segoe UI", "Helvetica Neue", Arial, sans-serif; text-anchor: middle }}
    .form {{ font-size: {WORD_SIZE}px; fill: #1f2328 }}
    .upos {{ font-size: {TAG_SIZE}px; fill: #656d76 }}
    .deprel {{ font-size: {LABEL_SIZE}px; fill: #0a58b5 }}
    .arc {{ fill: none; stroke: #7d8590; stroke-width: 1.5 }}
    .tip {{ fill: #7d8590 }}
    @media (prefers-color-scheme: dark) {{
      .paper {{ fill: #15191f }}
      .form {{ fill: #e6edf3 }}
      .upos {{ fill: #9198a1 }}
      .deprel {{ fill: #79b8ff }}
      .arc {{ stroke: #848d97 }}
      .tip {{ fill: #848d97 }}
    }}
  </style>
"""


def draw_svg(sentence: Sentence, *, direction: Direction = "auto") -> str:
    """One sentence as a whole SVG file."""
    stream = StringIO()
    write([sentence], stream, direction=direction)
    return stream.getvalue()


def write(
    sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False, direction: Direction = "auto"
) -> None:
    """Write one SVG file with the sentences one below the other.

    Words run from right to left in a sentence whose script does, or where `direction` says so. An SVG file
    starts with its size, so the drawings wait in a temporary file until it is known. `colour` is about
    terminals and changes nothing here.
    """
    count, width, height = 0, 0.0, 0.0
    title = "No dependency trees"
    with SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="utf-8", newline="") as drawings:
        for count, sentence in enumerate(sentences, 1):  # noqa: B007 - the last count is the total
            layout = lay_out(sentence)
            drawings.write(f'  <g role="img" transform="translate(0 {_px(height)})">\n')
            drawings.writelines(f"    {line}\n" for line in _draw(sentence, layout, direction))
            drawings.write("  </g>\n")
            width, height = max(width, layout.width), height + layout.height
            title = printable(sentence.text)
        drawings.seek(0)
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        w, h = _px(width), _px(height)
        stream.write(f'<svg xmlns="{NAMESPACE}" version="1.1" width="{w}" height="{h}" viewBox="0 0 {w} {h}">\n')
        stream.write(f"  <title>{escape(title) if count < 2 else f'{count} dependency trees'}</title>\n")
        stream.write(STYLE)
        stream.write('  <rect class="paper" width="100%" height="100%"/>\n')
        shutil.copyfileobj(drawings, stream)
        stream.write("</svg>\n")


def _draw(sentence: Sentence, layout: SvgLayout, direction: Direction) -> Iterator[str]:
    """The elements of one sentence: its description, then arcs, then words."""
    yield f"<title>{escape(printable(sentence.text))}</title>"
    yield f"<desc>{escape(_describe(layout))}</desc>"
    leftward = is_right_to_left(sentence.forms) if direction == "auto" else direction == "rtl"

    def place(x: float) -> float:
        return layout.width - x if leftward else x

    for arc, (leaves, reaches) in zip(layout.arcs, layout.ends, strict=True):
        yield from _draw_arc(arc, place(leaves), place(reaches), layout)
    baseline = layout.ground + 1.2 * WORD_SIZE
    language = script_language(sentence.forms)
    if language:
        yield f'<g xml:lang="{language}">'
    for form, centre in zip(layout.forms, layout.centres, strict=True):
        yield _text("form", place(centre), baseline, form)
    if language:
        yield "</g>"
    for tag, centre in zip(layout.tags, layout.centres, strict=False):
        yield _text("upos", place(centre), baseline + 1.6 * TAG_SIZE, tag)


def _draw_arc(arc: Arc, start: float, end: float, layout: SvgLayout) -> Iterator[str]:
    """The line, arrow tip and label of one arc; that of ROOT comes straight from above."""
    ground, top = layout.ground, layout.top(arc)
    foot = ground - TIP_HEIGHT / 2  # inside the tip, where the blunt end of the line is not seen
    left, right = min(start, end), max(start, end)
    if arc.head:
        bend = min((right - left) / 2, SHOULDER * (foot - top))
        curve = f"A{_px(bend)} {_px(foot - top)} 0 0 1"
        line = f"M{_px(left)} {_px(foot)}{curve} {_px(left + bend)} {_px(top)}"
        line += f"H{_px(right - bend)}{curve} {_px(right)} {_px(foot)}"
    else:
        line = f"M{_px(end)} {_px(top)}V{_px(foot)}"
    yield f'<path class="arc" d="{line}"/>'
    yield f'<path class="tip" d="M{_px(end)} {_px(ground)}l{TIP}z"/>'
    yield _text("deprel", (left + right) / 2, top - LABEL_RISE, arc.deprel)


def _text(kind: str, x: float, y: float, text: str) -> str:
    way = ' direction="rtl"' if is_right_to_left([text]) else ""
    return f'<text class="{kind}" x="{_px(x)}" y="{_px(y)}"{way}>{escape(text)}</text>'


def _px(length: float) -> str:
    """A length to a tenth of a pixel, without a needless decimal."""
    return f"{round(length, 1):.10g}"


def _describe(layout: SvgLayout) -> str:
    """The tree in words, for those who cannot see it."""
    names = ["ROOT", *layout.forms]
    arcs = sorted(layout.arcs, key=lambda arc: arc.dependent)
    return "; ".join(f"{names[arc.dependent]} is {arc.deprel} of {names[arc.head]}" for arc in arcs)
