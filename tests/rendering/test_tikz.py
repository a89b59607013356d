"""TikZ source: escaped, and compiled where a LaTeX is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given

from pointree.rendering.tikz import draw_tikz, escape_tex, write
from pointree.treebank.sentence import Sentence

from .samples import JOHN, SAMPLES, sentences

NEEDED = {"pdflatex": ["lmodern.sty"], "lualatex": ["fontspec.sty", "luatex85.sty"], "xelatex": ["fontspec.sty"]}
"""Files of LaTeX that each engine needs besides, which a small installation may lack."""


def compile_document(sentences: Iterable[Sentence], engine: str, folder: Path) -> int:
    """Compile the document of the sentences and return its number of pages."""
    if shutil.which(engine) is None or shutil.which("kpsewhich") is None:
        pytest.skip(f"{engine} is not installed")
    for file in ("tikz-dependency.sty", "standalone.cls", *NEEDED[engine]):
        if not subprocess.run(["kpsewhich", file], capture_output=True, check=False).stdout:
            pytest.skip(f"{file} of LaTeX is not installed")
    with (folder / "trees.tex").open("w", encoding="utf-8") as stream:
        write(sentences, stream)
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "trees.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert (folder / "trees.pdf").stat().st_size > 0
    return int(log.replace("\n", "").rpartition("(")[2].split(" page")[0])


def test_an_example() -> None:
    assert draw_tikz(JOHN) == (
        "\\begin{dependency}\n"
        "  \\begin{deptext}[column sep=0.7em, row 2/.style={font=\\scriptsize}]\n"
        "    John \\& and \\& Mary \\& play \\& tennis \\& together \\\\\n"
        "    PROPN \\& CCONJ \\& PROPN \\& VERB \\& NOUN \\& ADV \\\\\n"
        "  \\end{deptext}\n"
        "  \\depedge[edge height=3ex]{3}{2}{cc}\n"
        "  \\depedge[edge height=3ex]{4}{5}{obj}\n"
        "  \\depedge[edge height=5.8ex]{1}{3}{conj}\n"
        "  \\depedge[edge height=5.8ex]{4}{6}{advmod}\n"
        "  \\depedge[edge height=8.6ex]{4}{1}{nsubj}\n"
        "  \\deproot[edge height=12.8ex]{4}{root}\n"
        "\\end{dependency}\n"
    )


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50% & #1_a", r"50\% \symbol{38} \#1\_a"),
        (r"\x{y}$", r"\textbackslash{}x\{y\}\$"),
        ("~^`'", r"\textasciitilde{}\textasciicircum{}\textasciigrave{}\textquotesingle{}"),
        ("---", "-{}-{}-{}"),
        ("e\u0301", "é"),
    ],
)
def test_escape_tex(text: str, escaped: str) -> None:
    assert escape_tex(text) == escaped


def test_a_cell_cannot_be_read_as_an_option() -> None:
    assert r"    {[x} \& {|y|} \\" in draw_tikz(Sentence.from_words(["[x", "|y|"]))


@given(sentences())
def test_any_sentence_is_a_fragment_without_bare_specials(sentence: Sentence) -> None:
    fragment = draw_tikz(sentence)
    fragment.encode("utf-8")
    assert fragment.isprintable() or set(fragment) - set("\n")
    rows = [line for line in fragment.splitlines() if line.endswith(" \\\\")]
    assert len(rows) == (0 if not len(sentence) else 1 if all(w.upos == "_" for w in sentence.words) else 2)
    assert all(row.count("\\& ") == len(sentence) - 1 for row in rows)


def test_an_empty_sentence_has_no_picture() -> None:
    assert draw_tikz(Sentence([])) == ""


@pytest.mark.parametrize(("form", "n_words"), [("letter", 250), ("letter", 2000), ("語", 100), ("M" * 40, 60)])
def test_a_sentence_too_wide_for_tex_says_so_and_compiles(form: str, n_words: int, tmp_path: Path) -> None:
    sentence = Sentence.from_words([form] * n_words, head=[0, *range(1, n_words)])
    too_wide = (form, n_words) in [("letter", 2000), ("M" * 40, 60)]
    assert ("wider than TeX can draw" in draw_tikz(sentence)) is too_wide
    compile_document([sentence], "pdflatex", tmp_path)


def test_the_samples_compile(tmp_path: Path) -> None:
    assert compile_document(SAMPLES.values(), "pdflatex", tmp_path) == len(SAMPLES)


def test_every_ascii_character_compiles_in_every_place(tmp_path: Path) -> None:
    ascii_ = "".join(chr(code) for code in range(128) if chr(code) not in "\t\n\r")
    chunks = [ascii_[start : start + 5] for start in range(0, len(ascii_), 5)]
    heads = [0, *range(1, len(chunks))]
    drawn = [
        Sentence.from_words(chunks, upos=chunks, head=heads, deprel=chunks),
        Sentence.from_words([2 * character for character in ascii_ if not character.isalnum()]),
    ]
    assert compile_document(drawn, "pdflatex", tmp_path) == 2


@pytest.mark.parametrize("engine", ["lualatex", "xelatex"])
def test_the_samples_compile_with_other_engines(engine: str, tmp_path: Path) -> None:
    compile_document([JOHN], engine, tmp_path)


ASIAN = ("大多數", "の", "実兄", "맞고", "собираем", "café", "2，3", "。")


def test_chinese_japanese_korean_and_russian_have_their_letters(tmp_path: Path) -> None:
    if shutil.which("fc-list") is None or not subprocess.run(["fc-list", ":lang=zh"], capture_output=True).stdout:
        pytest.skip("no Chinese font is installed")
    heads = [0, *range(1, len(ASIAN))]
    compile_document([Sentence.from_words(ASIAN, upos=ASIAN, head=heads, deprel=ASIAN)], "xelatex", tmp_path)
    assert "Missing character" not in (tmp_path / "trees.log").read_text(encoding="utf-8", errors="replace")
