"""`pointree parse`: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.errors import UsageError
from pointree.rendering import FORMATS
from pointree.transitions import is_projective
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence, get_misc
from pointree.treebank.validity import tree_faults

from ..helpers import tiny_parser
from .conftest import Outcome

Run = Callable[..., Outcome]

RICH = """\
# newdoc id = d
# sent_id = x-1
#unusual comment
# text = Don't stop me
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\tA=b|Ü=ß
2.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t3:nsubj\tCopyOf=-1
3\tstop\tstop\tVERB\tVB\t_\t0\troot\t0:root\t_
4\tme\tI\tPRON\tPRP\tCase=Acc\t3\tobj\t3:obj\t_


# sent_id = x-2
1\t日本語\t_\tX\tFW\t_\t_\t_\t_\t_
"""


ROW = "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


def sentences(text: str) -> list[Sentence]:
    return list(read_conllu(io.StringIO(text, newline="\n")))


def error(outcome: Outcome) -> str:
    """The message of a command that failed as it should: code 2, nothing on stdout, one line on stderr."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("pointree: error: ")
    assert outcome.err.count("\n") == 1
    return outcome.err.removeprefix("pointree: error: ").removesuffix("\n")


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    """A file with all that CoNLL-U can have."""
    path = tmp_path / "rich.conllu"
    path.write_text(RICH, encoding="utf-8", newline="")
    return path


def without_tree(text: str) -> list[list[str]]:
    """The columns of every line but for HEAD and DEPREL of words."""
    rows = [line.split("\t") for line in text.split("\n")]
    return [row[:6] + row[8:] if row[0].isdecimal() else row for row in rows]


@pytest.mark.parametrize("to_file", [False, True])
def test_all_but_heads_and_labels_is_kept(run: Run, trained: Path, rich: Path, to_file: bool) -> None:
    output = rich.with_name("parsed.conllu")
    outcome = run("parse", rich, "-m", trained, *(["-o", output] if to_file else []))
    assert (outcome.code, outcome.err) == (0, "")
    text = output.read_text(encoding="utf-8") if to_file else outcome.out
    assert without_tree(text) == without_tree(RICH)
    assert all(tree_faults(sentence.heads) == [] for sentence in sentences(text))


def test_every_tree_is_a_tree_with_known_labels(run: Run, trained: Path, ewt: Path) -> None:
    parsed = sentences(run("parse", ewt, "-m", trained).out)
    assert len(parsed) == 60
    known = {deprel for sentence in read_conllu(ewt) for deprel in sentence.deprels}
    for sentence in parsed:
        assert tree_faults(sentence.heads) == []
        assert set(sentence.deprels) <= known
        assert [word.deprel == "root" for word in sentence.words] == [word.head == 0 for word in sentence.words]


def test_given_heads_make_no_difference(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    copies = [sentence.copy() for sentence in read_conllu(ewt)]
    for sentence in copies:
        for word in sentence.words:
            word.head, word.deprel = None, "_"
    bare.write_text("".join(map(format_sentence, copies)), encoding="utf-8", newline="")
    assert run("parse", bare, "-m", trained).out == run("parse", ewt, "-m", trained).out


def test_conllx_comes_out_as_conllu(run: Run, trained: Path, tmp_path: Path, ewt: Path) -> None:
    old = tmp_path / "old.conll"
    rows = [line.split("\t") for line in ewt.read_text(encoding="utf-8").split("\n") if not line.startswith("#")]
    old.write_text("\n".join("\t".join(row[:8]) for row in rows), encoding="utf-8")
    found, expected = (sentences(run("parse", path, "-m", trained).out) for path in (old, ewt))
    assert [sentence.heads for sentence in found] == [sentence.heads for sentence in expected]
    assert [sentence.deprels for sentence in found] == [sentence.deprels for sentence in expected]
    named = run("parse", old, "-m", trained, "--from", "conllx")
    assert sentences(named.out) == found


def test_words_are_parsed_line_by_line(run: Run, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("The cat sat\n\nHello\n")
    outcome = run("parse", path, "-m", trained, "--from", "words")
    assert [sentence.forms for sentence in sentences(outcome.out)] == [["The", "cat", "sat"], ["Hello"]]


def test_stdin_globs_and_several_files(
    run: Run, trained: Path, ewt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("parse", ewt, "-m", trained).out
    feed(monkeypatch, ewt.read_bytes())
    assert run("parse", "-m", trained).out == expected
    feed(monkeypatch, ewt.read_bytes())
    assert run("parse", "-", ewt, "-m", trained).out == expected + expected
    for name in ("a.conllu", "b.conllu"):
        shutil.copy(ewt, tmp_path / name)
    assert run("parse", tmp_path / "*.conllu", "-m", trained).out == expected + expected
    packed = tmp_path / "ewt.conllu.gz"
    packed.write_bytes(gzip.compress(ewt.read_bytes()))
    assert run("parse", packed, "-m", trained).out == expected


def test_batches_and_threads_change_nothing(run: Run, trained: Path, ewt: Path) -> None:
    expected = run("parse", ewt, "-m", trained, "--precision", "fp32").out
    for options in (["--batch-words", 1], ["--batch-words", 100_000, "--threads", 1]):
        assert run("parse", ewt, "-m", trained, "--precision", "fp32", *options).out == expected


def test_workers_compute_where_they_are_told(
    run: Run, trained: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def parse_with_workers(
        load: Any, sentences: Iterator[Sentence], _options: Any, **options: Any
    ) -> Iterator[Sentence]:
        asked.update(options | load.keywords)
        return sentences

    monkeypatch.setattr("pointree.running.workers.parse_with_workers", parse_with_workers)
    assert run("parse", ewt, "-m", trained, "--workers", 2, "--device", "cpu:0").code == 0
    assert (asked["workers"], asked["device"]) == (2, "cpu:0")


def test_n_best_trees_are_distinct_and_ranked(run: Run, trained: Path, rich: Path) -> None:
    parsed = sentences(run("parse", rich, "-m", trained, "--n-best", 3).out)
    first, second = parsed[:3], parsed[3:]
    assert [sentence.meta("tree_rank") for sentence in first] == ["1", "2", "3"]
    scores = [float(sentence.meta("tree_log_prob") or "nan") for sentence in first]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] < 0
    assert len({tuple(sentence.heads) for sentence in first}) == 3
    assert all(tree_faults(sentence.heads) == [] for sentence in first)
    assert all(sentence.comments[:4] == sentences(RICH)[0].comments for sentence in first)
    # A single word has one tree.
    assert [sentence.meta("tree_rank") for sentence in second] == ["1"]


def test_a_beam_finds_trees_that_are_no_less_probable(run: Run, trained: Path, ewt: Path) -> None:
    def total(beam: int) -> float:
        parsed = sentences(run("parse", ewt, "-m", trained, "--beam", beam, "--n-best", 2, "--precision", "fp32").out)
        return sum(float(sentence.meta("tree_log_prob") or "nan") for sentence in parsed[::2])

    assert total(16) > total(2)


def test_probabilities_go_to_misc(run: Run, trained: Path, rich: Path) -> None:
    outcome = run("parse", rich, "-m", trained, "--probabilities")
    plain = run("parse", rich, "-m", trained)
    parsed = sentences(outcome.out)
    for sentence in parsed:
        for token in sentence.tokens:
            found = [get_misc(token, key) for key in ("HeadProb", "DeprelProb")]
            if token.is_word:
                assert all(0 < float(value or "nan") <= 1 for value in found)
            else:
                assert found == [None, None]
    assert parsed[0].words[1].misc.startswith("A=b|Ü=ß|HeadProb=")
    assert [sentence.heads for sentence in parsed] == [sentence.heads for sentence in sentences(plain.out)]


def test_projective_and_multi_root_change_the_rules(run: Run, ewt: Path, tmp_path: Path) -> None:
    tiny_parser(seed=4).save(tmp_path)  # random weights, which like crossing arcs and several roots

    def heads(*options: str) -> list[list[int]]:
        parsed = sentences(run("parse", ewt, "-m", tmp_path, *options).out)
        return [[head for head in sentence.heads if head is not None] for sentence in parsed]

    plain, projective, free = heads(), heads("--projective"), heads("--multi-root")
    assert all(map(is_projective, projective))
    assert not all(map(is_projective, plain))
    assert {found.count(0) for found in plain} == {found.count(0) for found in projective} == {1}
    assert max(found.count(0) for found in free) > 1
    assert not any("cycle" in fault for found in free for fault in tree_faults(found))


BROKEN = RICH.replace("3\tstop", "x\tstop")


def test_invalid_sentences_can_be_skipped(run: Run, trained: Path, rich: Path) -> None:
    rich.write_text(RICH.rstrip("\n") + "\n\n" + BROKEN.lstrip("\n") + "\n", encoding="utf-8")
    place = f"{rich}:24: expected id 3, found 'x'"
    assert error(run("parse", rich, "-m", trained, "-o", rich.with_name("out"))) == place
    outcome = run("parse", rich, "-m", trained, "--skip-invalid")
    assert outcome.code == 0
    assert [sentence.sent_id for sentence in sentences(outcome.out)] == ["x-1", "x-2", "x-2"]
    assert outcome.err.splitlines() == [
        f"pointree: warning: skipped: {place}",
        "pointree: warning: malformed sentences that were skipped: 1",
    ]


def test_a_file_of_invalid_sentences_only_has_none(run: Run, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text("1\tx\n\n")
    outcome = run("parse", path, "-m", trained, "--skip-invalid")
    assert outcome.code == 0
    assert f"pointree: notice: {path}: no sentences found\n" in outcome.err


def test_an_error_midway_leaves_the_old_output(run: Run, trained: Path, rich: Path, tmp_path: Path) -> None:
    rich.write_text(RICH + "\n" + BROKEN, encoding="utf-8")
    output = tmp_path / "out.conllu"
    output.write_text("old")
    assert "expected id 3" in error(run("parse", rich, "-m", trained, "-o", output))
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.conllu", "rich.conllu"]


def test_a_file_can_be_replaced_by_its_parse(run: Run, trained: Path, rich: Path) -> None:
    expected = run("parse", rich, "-m", trained).out
    assert run("parse", rich, "-m", trained, "-o", rich).code == 0
    assert rich.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("name", "start"), [("a.json", "["), ("a.svg", "<"), ("a.tex", "\\"), ("a.jsonl", "{"), ("a", "# newdoc")]
)
def test_the_suffix_chooses_the_format(run: Run, trained: Path, rich: Path, name: str, start: str) -> None:
    output = rich.with_name(name)
    assert run("parse", rich, "-m", trained, "-o", output) == (0, "", "")
    assert output.read_text(encoding="utf-8").startswith(start)


def test_formats(run: Run, trained: Path, rich: Path) -> None:
    for format_ in ("tree", "table"):
        outcome = run("parse", rich, "-m", trained, "--to", format_)
        assert (outcome.code, outcome.err) == (0, "")
        assert "日本語" in outcome.out
        assert "\x1b" not in outcome.out
    found = json.loads(run("parse", rich, "-m", trained, "--to", "json").out)
    assert len(found) == 2


def test_text_as_an_argument_a_file_and_stdin(
    run: Run, trained_with_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The cat sat on the mat.\n\nIt slept."
    path = tmp_path / "cat.txt"
    path.write_text(text)
    outcome = run("parse", text, "-m", trained_with_text)
    assert (outcome.code, outcome.err) == (0, "")
    first, second = sentences(outcome.out)
    assert first.forms == ["The", "cat", "sat", "on", "the", "mat", "."]
    assert first.comments == ["# newpar", "# sent_id = 1", "# text = The cat sat on the mat."]
    assert get_misc(first.words[-2], "SpaceAfter") == "No"
    for sentence in (first, second):
        assert tree_faults(sentence.heads) == []
        assert all(word.upos != "_" and word.xpos != "_" and word.lemma != "_" for word in sentence.words)
    assert run("parse", path, "-m", trained_with_text).out == outcome.out
    feed(monkeypatch, text.encode())
    assert run("parse", "-m", trained_with_text).out == outcome.out


def test_sentences_of_several_texts_have_different_names(run: Run, trained_with_text: Path) -> None:
    parsed = sentences(run("parse", "It slept.", "Hello there.", "-m", trained_with_text).out)
    assert [sentence.sent_id for sentence in parsed] == ["1-1", "2-1"]


def test_presegmented_text_has_one_sentence_a_line(run: Run, trained_with_text: Path) -> None:
    text = "One. Two. Three.\nand more"
    parsed = sentences(run("parse", text, "-m", trained_with_text, "--sentences", "presegmented").out)
    assert [sentence.text for sentence in parsed] == text.split("\n")


def test_tags_are_filled_where_there_are_none(run: Run, trained_with_text: Path, ewt: Path, tmp_path: Path) -> None:
    tagged, untagged, *_ = (sentence.copy() for sentence in read_conllu(ewt))
    tagged.words[0].upos = "X"
    for word in untagged.words:
        word.upos = word.xpos = word.feats = word.lemma = "_"
    path = tmp_path / "tags.conllu"
    path.write_text("".join(map(format_sentence, (tagged, untagged))), encoding="utf-8", newline="")
    kept, filled = sentences(run("parse", path, "-m", trained_with_text).out)
    assert kept.words[0].upos == "X"
    assert all(word.upos != "_" and word.xpos != "_" for word in filled.words)
    retagged, _ = sentences(run("parse", path, "-m", trained_with_text, "--retag").out)
    assert retagged.words[0].upos == "ADP"
    assert [word.misc for word in retagged.words] == [word.misc for word in tagged.words]


def test_words_without_the_tag_that_is_read_get_one_and_keep_the_rest(
    run: Run, trained_with_text: Path, ewt: Path, tmp_path: Path
) -> None:
    first, *_ = (sentence.copy() for sentence in read_conllu(ewt))
    for number, word in enumerate(first.words):
        word.upos, word.xpos, word.lemma = ("_" if number else "X"), f"XP{number}", f"lemma{number}"
    path = tmp_path / "tags.conllu"
    path.write_text(format_sentence(first), encoding="utf-8", newline="")
    [parsed] = sentences(run("parse", path, "-m", trained_with_text).out)
    assert parsed.words[0].upos == "X"
    assert all(word.upos != "_" for word in parsed.words)
    assert [word.xpos for word in parsed.words] == [word.xpos for word in first.words]
    assert [word.lemma for word in parsed.words] == [word.lemma for word in first.words]


def test_without_a_tagger_words_stay_untagged(run: Run, trained: Path) -> None:
    message = f"{trained}: this model cannot read raw text, it has no segmenter; give it words (--from words)"
    assert error(run("parse", "It slept.", "-m", trained)) == message
    message = f"{trained}: this model cannot tag words, it was trained without a tagger; give it words with tags"
    assert error(run("parse", "x", "-m", trained, "--from", "words", "--retag")) == message
    [sentence] = sentences(run("parse", "It slept", "-m", trained, "--from", "words").out)
    assert [word.upos for word in sentence.words] == ["_", "_"]


GOOD_ROW = "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
BAD_FILES: dict[str, tuple[bytes, str]] = {
    "comments": (b"# nothing\n\n", ":2: expected a word after the comments, found none"),
    "head outside": (b"1\tx\t_\t_\t_\t_\t9\t_\t_\t_\n\n", ":1: HEAD 9 is outside a sentence of 1 word"),
    "negative head": (b"1\tx\t_\t_\t_\t_\t-1\t_\t_\t_\n\n", ":1: HEAD must be a word number, 0 or _, found '-1'"),
    "duplicate id": ((GOOD_ROW * 2).encode(), ":2: expected id 2, found 1 a second time"),
    "not UTF-8": (GOOD_ROW.replace("x", "\xe9").encode("latin-1"), ":1: byte 0xe9 at column 3 is not UTF-8"),
    "few columns": (b"1\tx\t_\n", ":1: expected 10 columns separated by tabs, found 3"),
    "truncated gzip": (gzip.compress(GOOD_ROW.encode() * 100)[:-9], ": the gzip file is truncated or damaged"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(run: Run, trained: Path, tmp_path: Path, name: str) -> None:
    content, message = BAD_FILES[name]
    path = tmp_path / "bad.conllu"
    path.write_bytes(content)
    assert error(run("parse", path, "-m", trained, "-o", tmp_path / "out")).startswith(f"{path}{message}")
    assert not (tmp_path / "out").exists()


def test_bad_places(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.conllu"
    assert error(run("parse", missing, "-m", trained)).startswith(f"{missing}: no such file")
    assert error(run("parse", tmp_path, "-m", trained)) == f"{tmp_path}: expected a file, found a directory"
    for output, reason in ((tmp_path, "Is a directory"), (tmp_path / "no" / "x", "No such file or directory")):
        assert error(run("parse", ewt, "-m", trained, "-o", output)) == f"{output}: cannot be written: {reason}"
    if os.path.exists("/dev/full"):
        message = "/dev/full: cannot be written: No space left on device"
        assert error(run("parse", ewt, "-m", trained, "-o", "/dev/full")) == message


def test_empty_stdin(run: Run, trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"")
    assert run("parse", "-m", trained) == (0, "", "pointree: notice: <stdin>: no sentences found\n")
    feed(monkeypatch, b"")
    assert run("parse", "-m", trained, "--quiet") == (0, "", "")
    feed(monkeypatch, b"")
    assert error(run("parse", "-m", trained, "--fail-on-empty")) == "<stdin>: no sentences found"


def test_nothing_is_stdin_unless_somebody_sits_there(
    run: Run, trained: Path, rich: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, rich.read_bytes())
    assert len(sentences(run("parse", "-m", trained).out)) == 2
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert error(run("parse", "-m", trained)).startswith("parse: expected text, files or standard input, found nothing")


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
@pytest.mark.parametrize(("name", "written"), [("out.conllu", ""), ("out.json", "[]\n"), ("out.jsonl", "")])
def test_empty_input_gives_empty_output(
    run: Run, trained: Path, tmp_path: Path, content: bytes, name: str, written: str
) -> None:
    path, output = tmp_path / "empty.conllu", tmp_path / name
    path.write_bytes(content)
    notice = f"pointree: notice: {path}: no sentences found\n"
    assert run("parse", path, "-m", trained, "-o", output) == (0, "", notice)
    assert output.read_text() == written
    output.unlink()
    assert error(run("parse", path, "-m", trained, "-o", output, "--fail-on-empty")) == f"{path}: no sentences found"
    assert not output.exists()


@pytest.mark.parametrize("name", ["x.png", "x.html", "x.txt"])
def test_an_unknown_suffix_lists_the_formats(run: Run, trained: Path, rich: Path, tmp_path: Path, name: str) -> None:
    message = error(run("parse", rich, "-m", trained, "-o", tmp_path / name))
    assert message.startswith(f"{tmp_path / name}: no output format has the suffix {Path(name).suffix}; ")
    assert all(format_ in message for format_ in FORMATS)
    assert not (tmp_path / name).exists()
    assert run("parse", rich, "-m", trained, "-o", tmp_path / name, "--to", "conllu").code == 0


def test_a_folder_is_no_place_for_trees(run: Run, trained: Path, rich: Path, tmp_path: Path) -> None:
    folder = f"{tmp_path / 'trees'}/"
    message = error(run("parse", rich, "-m", trained, "-o", folder))
    assert message == f"{folder}: expected a file for the trees, found the name of a folder"
    assert not (tmp_path / "trees").exists()


@pytest.mark.parametrize("how", [(), ("--to", "conllu")])
def test_a_compressed_suffix_is_refused_since_output_is_not_compressed(
    run: Run, trained: Path, rich: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    path = tmp_path / "x.conllu.gz"
    message = error(run("parse", rich, "-m", trained, "-o", path, *how))
    assert message == f"{path}: output is not compressed; write to standard output, into gzip"
    assert not path.exists()


def test_each_of_several_files_says_where_it_came_from(run: Run, trained: Path, rich: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_text(ROW * 2)
    parsed = sentences(run("parse", rich, other, other, "-m", trained).out)
    named = [sentence.meta("newdoc id") for sentence in parsed]
    assert named == [sentences(RICH)[0].meta("newdoc id"), None, str(other), None, str(other), None]


def test_a_model_that_reads_tags_and_gets_none_warns_once(run: Run, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "untagged.conllu"
    path.write_text(ROW * 3)
    warning = f"pointree: warning: {trained} reads UPOS, but the input has words without it; expect worse trees\n"
    assert run("parse", path, "-m", trained).err == warning
    assert run("parse", path, "-m", trained, "--quiet").err == ""


@pytest.mark.slow
def test_two_workers_warn_as_one_process_does(run: Run, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "untagged.conllu"
    path.write_text(ROW * 600)  # two windows
    warning = f"pointree: warning: {trained} reads UPOS, but the input has words without it; expect worse trees\n"
    told = run("parse", path, "-m", trained, "--workers", 2).err
    assert told.count(warning) == 1
    assert all(line.startswith("pointree: warning: ") for line in told.splitlines())
    assert run("parse", path, "-m", trained, "--workers", 2, "--quiet").err == ""


@pytest.mark.parametrize("old", ["beam_width", "multi_root"])
def test_old_keywords_name_the_new_ones(trained: Path, old: str) -> None:
    parser = pointree.load(trained)
    with pytest.raises(UsageError, match=f"^the option {old} is now called"):
        parser.parse([["x"]], **{old: 2})
    with pytest.raises(UsageError, match=r"^the option baem is unknown; did you mean beam\?$"):
        parser.parse([["x"]], baem=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "pdf"], "output format must be one of conllu, json, jsonl, svg, table, tikz, tree, trace, found pdf"),
        (["--from", "pdf"], "input format must be one of text, conllu, conllx, words, found pdf"),
        (["--precision", "fp8"], "precision must be one of auto, fp32, bf16, int8, found fp8"),
        (["--device", "abacus"], "device abacus cannot be used: "),
        (["--to", "trace", "--workers", "2"], "output format trace cannot be combined with workers"),
        (["--to", "trace", "--min-confidence", "0.5"], "output format trace cannot be combined with min_confidence"),
        (["--actors", "3"], "--actors needs --cluster"),
        (["--text-column", "body"], "--text-column needs --cluster"),
        (["--to", "trace", "--probabilities"], "output format trace cannot be combined with probabilities"),
    ],
)
def test_bad_choices(run: Run, trained: Path, ewt: Path, options: list[str], message: str) -> None:
    assert error(run("parse", ewt, "-m", trained, *options)).startswith(message)


@pytest.mark.parametrize("option", ["--threads", "--batch-words", "--beam", "--n-best"])
@pytest.mark.parametrize("value", ["0", "-3", "many"])
def test_counts_below_one(run: Run, trained: Path, ewt: Path, option: str, value: str) -> None:
    code, out, err = run("parse", ewt, "-m", trained, option, value)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert f"Invalid value for '{option}'" in err


def test_a_model_that_is_not_there(run: Run, ewt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert error(run("parse", ewt, "-m", tmp_path / "none")) == f"{tmp_path / 'none'}: no such model folder"
    assert "not a model folder" in error(run("parse", ewt, "-m", tmp_path))
    assert "surely-no-model" in error(run("parse", ewt, "-m", "surely-no-model"))


DAMAGED: dict[str, tuple[str, bytes | None]] = {
    "no manifest": ("pointree.json", None),
    "another version": ("pointree.json", b'{"format": 99, "pointree": "9.0"}'),
    "manifest cut off": ("pointree.json", b'{"form'),
    "no settings": ("config.toml", None),
    "damaged settings": ("config.toml", b"[decoder]\norder = 'sideways'\n"),
    "no words": ("words.json", None),
    "damaged words": ("words.json", b"[1, 2]"),
    "no labels": ("deprels.json", None),
    "no weights": ("weights.safetensors", None),
    "weights cut off": ("weights.safetensors", b"\x00" * 40),
    "damaged text model": ("text.udpipe", b"nonsense"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_models(run: Run, trained: Path, ewt: Path, tmp_path: Path, name: str) -> None:
    file, content = DAMAGED[name]
    folder = tmp_path / "model"
    shutil.copytree(trained, folder)
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content)
    message = error(run("parse", ewt, "-m", folder))
    assert str(folder) in message
    assert file in message


def test_a_flipped_bit_of_the_weights_is_noticed(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained, folder)
    data = bytearray((folder / "weights.safetensors").read_bytes())
    data[-100] ^= 1
    (folder / "weights.safetensors").write_bytes(data)
    assert "damaged: the values differ from their checksum" in error(run("parse", ewt, "-m", folder))


def test_the_api_is_what_the_command_uses(run: Run, trained: Path, ewt: Path) -> None:
    parser = pointree.load(trained)
    expected = "".join(format_sentence(sentence) for sentence in parser.stream(read_conllu(ewt), beam=3))
    assert run("parse", ewt, "-m", trained, "--beam", 3).out == expected
