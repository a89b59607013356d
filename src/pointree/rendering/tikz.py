r"""LaTeX source for the package tikz-dependency: a document with one page a sentence, or a fragment to paste.

Any LaTeX compiles it. pdfLaTeX has no glyphs for most scripts and prints a code like U+4E2D in their place. XeLaTeX and
LuaLaTeX take the first fonts of two lists that are installed: one for Latin, Greek and Cyrillic, one for Chinese,
Japanese and Korean. For other scripts, set a main font that has them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TextIO

from pointree.rendering.display import fit
from pointree.rendering.levels import place_arcs
from pointree.treebank.sentence import Sentence

__all__ = ["draw_tikz", "escape_tex", "write"]

PREAMBLE = r"""\documentclass[multi=dependency, border=4pt]{standalone}
\usepackage{iftex}
\ifpdftex
  \usepackage[T1]{fontenc}
  \usepackage{lmodern}
  % Print the code of a character that the font lacks instead of stopping.
  \makeatletter
  \def\UTFviii@undefined@err#1{\expandafter\missing@glyph\string#1\relax}
  \def\missing@glyph#1:#2\relax{{\ttfamily\UTFviii@hexcodepoint{\the\numexpr\decode@UTFviii#2\relax}}}
  \makeatother
\else
  \usepackage{fontspec}
  % The first font of a list that is installed; \setmainfont{...} below chooses another one.
  \def\firstfont#1#2{\def#1{}\def\do##1{\ifx#1\empty\IfFontExistsTF{##1}{\def#1{##1}}{}\fi}#2}
  \firstfont\treefont{\do{CMU Serif}\do{Noto Serif}\do{DejaVu Serif}\do{Times New Roman}}
  \firstfont\cjkfont{\do{Noto Serif CJK SC}\do{Noto Sans CJK SC}\do{Source Han Serif SC}\do{Songti SC}\do{SimSun}}
  \ifx\treefont\empty\else\setmainfont{\treefont}\fi
  \ifx\cjkfont\empty\else
    \ifxetex
      % Characters of these ranges switch to the second font by themselves.
      \newfontfamily\cjkfamily{\cjkfont}
      \newXeTeXintercharclass\cjkclass
      \def\do#1#2{\count255="#1 \loop\XeTeXcharclass\count255=\cjkclass
        \ifnum\count255<"#2 \advance\count255 by 1 \repeat}
      \do{1100}{11FF}\do{2E80}{9FFF}\do{A960}{A97F}\do{AC00}{D7FF}\do{F900}{FAFF}\do{FF00}{FFEF}\do{20000}{323AF}
      \XeTeXinterchartokenstate=1
      \XeTeXinterchartoks 0 \cjkclass={\begingroup\cjkfamily}
      \XeTeXinterchartoks 4095 \cjkclass={\begingroup\cjkfamily}
      \XeTeXinterchartoks \cjkclass 0={\endgroup}
      \XeTeXinterchartoks \cjkclass 4095={\endgroup}
    \else\ifx\treefont\empty\else
      \directlua{luaotfload.add_fallback("cjk", {"\cjkfont:mode=node;"})}
      \setmainfont{\treefont}[RawFeature={fallback=cjk}]
    \fi\fi
  \fi
\fi
\usepackage{tikz-dependency}
\begin{document}
"""
END = "\\end{document}\n"

SPECIALS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\symbol{38}",  # \& separates the columns of deptext
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
}
# These would join with a neighbour to another character ("--" to a dash).
SPECIALS |= {character: character + "{}" for character in "-,<>?!"}
MAX_CELLS = 40
FIRST_LEVEL, LEVEL_HEIGHT, HALF_WORD = 3.0, 2.8, 1.4  # in ex
COLUMN_GAP = 12.0  # in points, with the padding of the cells
MAX_WIDTH = 16_000.0  # TeX has no length over 16384 points


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write a document, one page a sentence; `colour` is about terminals and changes nothing here."""
    drawings = map(draw_tikz, sentences)
    first = next(drawings, "")  # before anything is written: where there is nothing to draw, that may be an error
    stream.write(PREAMBLE + first)
    stream.writelines(drawings)
    stream.write(END)


def draw_tikz(sentence: Sentence) -> str:
    """The environment `dependency` of one sentence, to paste into a document that uses tikz-dependency."""
    words = sentence.words
    if not words:
        return ""
    rows = [[word.form for word in words]]
    if any(word.upos != "_" for word in words):
        rows.append([word.upos for word in words])
    width = sum(COLUMN_GAP + max(map(_width, column)) for column in zip(*rows, strict=True))
    arcs = place_arcs(sentence.heads, sentence.deprels)
    if width > MAX_WIDTH:
        rows, arcs = [[f"{len(words)} words are wider than TeX can draw"]], []
    lines = [r"\begin{dependency}", r"  \begin{deptext}[column sep=0.7em, row 2/.style={font=\scriptsize}]"]
    lines += ["    " + r" \& ".join(map(_cell, row)) + r" \\" for row in rows]
    lines.append(r"  \end{deptext}")
    for arc in arcs:
        # The arrow of ROOT is measured from the middle of the word, the others from above it.
        height = FIRST_LEVEL + LEVEL_HEIGHT * (arc.level - 1) + (0 if arc.head else HALF_WORD)
        options = f"[edge height={height:g}ex]"
        label = escape_tex(fit(arc.deprel, MAX_CELLS))
        if arc.head:
            lines.append(rf"  \depedge{options}{{{arc.head}}}{{{arc.dependent}}}{{{label}}}")
        else:
            lines.append(rf"  \deproot{options}{{{arc.dependent}}}{{{label}}}")
    return "\n".join([*lines, r"\end{dependency}", ""])


def escape_tex(text: str) -> str:
    """Printable text as LaTeX that typesets just that; accents are composed, which pdfLaTeX needs."""
    return "".join(SPECIALS.get(character, character) for character in unicodedata.normalize("NFC", text))


def _width(text: str) -> float:
    """The width of a cell in points, over rather than under it; a missing glyph is a code of six letters."""
    shown = fit(text, MAX_CELLS)
    return sum(37.0 if ord(c) > 0x24F else 6.0 if c.islower() and c not in "mw" else 10.5 for c in shown)


def _cell(text: str) -> str:
    cell = escape_tex(fit(text, MAX_CELLS))
    # At the start of a cell, [ and | would be read as options of the matrix.
    return cell if cell[:1].isalnum() else f"{{{cell}}}"
