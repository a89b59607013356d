"""Bulk jobs end with the trees of `pointree parse`, each once, whatever happens on the way."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from pointree.bulk.manifest import FAILED, JOB_MANIFEST
from pointree.bulk.run import parse_on_cluster
from pointree.errors import InputError, OutputError, UsageError
from pointree.pipeline import parse_files
from pointree.running.ray_session import ClusterError
from pointree.treebank.conllu import read_conllu

from ..helpers import EWT, ewt_sentences
from .conftest import InProcess, together


def paragraphs(size: int) -> str:
    """Text whose paragraphs have so many sentences each."""
    texts = [sentence.text for sentence in ewt_sentences()]
    return "\n\n".join(" ".join(texts[place : place + size]) for place in range(0, len(texts), size)) + "\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Files small and large, plain and compressed, with Unix and with Windows line ends, text and treebank."""
    folder = tmp_path / "corpus"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text(paragraphs(3), encoding="utf-8")
    (folder / "b.txt").write_text("It rains.\n\n \n\nShe sleeps.", encoding="utf-8")
    (folder / "c.txt").write_bytes(b"\xef\xbb\xbf" + paragraphs(2).replace("\n", "\r\n").encode())
    (folder / "d.txt.gz").write_bytes(gzip.compress(("\n" + paragraphs(4)).encode()))
    (folder / "e.conllu").write_bytes(EWT.read_bytes().rstrip(b"\n"))
    (folder / "empty.txt").write_bytes(b"\n \n")
    (folder / "more" / "f.txt").write_text(paragraphs(60), encoding="utf-8")
    (folder / ".hidden").write_bytes(b"\xff")
    return folder


def on_one_machine(corpus: Path, model: Path, **options: object) -> str:
    """What `pointree parse` writes for the same files."""
    output = corpus.parent / "one.conllu"
    names = sorted(path for path in corpus.rglob("*") if path.is_file() and not path.name.startswith("."))
    parse_files(names, output, model=model, **options)  # type: ignore[arg-type]
    return output.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("shard_words", [40, 300, 100_000])
def test_shards_together_are_what_one_machine_writes(
    corpus: Path, model: Path, in_process: InProcess, shard_words: int
) -> None:
    in_process.shuffle = Random(shard_words)
    report = parse_on_cluster(corpus, corpus.parent / "out", model=model, shard_words=shard_words)
    assert together(report.folder) == on_one_machine(corpus, model)
    assert report.failed == 0
    assert report.shards == len(list(report.folder.glob("part-*")))
    assert sorted(path.name for path in report.folder.iterdir() if "part-" not in path.name) == [
        FAILED,
        JOB_MANIFEST,
        "shards.jsonl",
    ]
    assert json.loads((report.folder / JOB_MANIFEST).read_text())["done"] == report.shards


@pytest.mark.slow
def test_n_best_trees(corpus: Path, model: Path, in_process: InProcess) -> None:
    report = parse_on_cluster(corpus, corpus.parent / "out", model=model, shard_words=100, n_best=2)
    assert without_log_probs(together(report.folder)) == without_log_probs(on_one_machine(corpus, model, n_best=2))


def without_log_probs(text: str) -> list[str]:
    """Lines but for the numbers whose last digit depends on which sentences are parsed together."""
    return [line for line in text.splitlines() if not line.startswith("# tree_log_prob")]


@pytest.mark.parametrize("how", ["presegmented", "words"])
def test_one_sentence_a_line_is_cut_at_lines(tmp_path: Path, model: Path, in_process: InProcess, how: str) -> None:
    lines = [" ".join(sentence.forms) for sentence in ewt_sentences()]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("\n".join(lines[:40]) + "\n\n" + "\n".join(lines[40:]), "utf-8")
    options = {"sentences": "presegmented"} if how == "presegmented" else {"input_format": "words"}
    report = parse_on_cluster(tmp_path / "corpus", tmp_path / "out", model=model, shard_words=50, **options)
    assert report.shards > 5
    assert together(report.folder) == on_one_machine(tmp_path / "corpus", model, **options)


@pytest.mark.slow
def test_a_job_that_loses_actors_and_is_killed_ends_the_same(corpus: Path, model: Path, in_process: InProcess) -> None:
    random = Random(1)
    in_process.lose = lambda _unit: random.random() < 0.5
    killed = 0

    class Killed(BaseException):
        """What stands for SIGKILL here."""

    def advance(done: int, total: int, words: int) -> None:
        if random.random() < 0.2:
            raise Killed

    from contextlib import nullcontext

    while True:
        try:
            report = parse_on_cluster(
                corpus, corpus.parent / "out", model=model, shard_words=60, progress=lambda: nullcontext(advance)
            )
            break
        except Killed:
            killed += 1
    assert killed > 1
    assert together(report.folder) == on_one_machine(corpus, model)
    # A job that is done does nothing when it is called again.
    in_process.make = None  # type: ignore[method-assign,assignment]
    assert parse_on_cluster(corpus, corpus.parent / "out", model=model, shard_words=60) == report


@pytest.mark.slow
def test_a_unit_that_kills_its_actors_ends_the_job(corpus: Path, model: Path, in_process: InProcess) -> None:
    in_process.lose = lambda unit: '"number": 2,' in unit[:15]
    with pytest.raises(ClusterError, match=r"^part-00002\.conllu \(from .*\): the actors that parse it end before"):
        parse_on_cluster(corpus, corpus.parent / "out", model=model, shard_words=60)


def test_documents_that_fail_are_told_and_the_rest_is_parsed(
    tmp_path: Path, model: Path, in_process: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.bulk.reading.MAX_SENTENCE_WORDS", 50)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bad.txt").write_bytes(b"It rains.\n\nCaf\xe9.\n")
    (folder / "good.txt").write_text("She sleeps.\n")
    (folder / "large.txt").write_bytes(paragraphs(2).encode() + b"\n\n\xff")
    (folder / "ends.txt").write_bytes(paragraphs(2).encode() + b"\n\nCaf\xc3")
    (folder / "long.txt").write_text("We walk.\n\n" + "word " * 60 + "\n\nThey sing.\n")
    (folder / "treebank.conllu").write_text("1\tIt\t_\t_\t_\t_\t9\t_\t_\t_\n\n1\tYes\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    (folder / "zipped.txt.gz").write_bytes(gzip.compress(b"It snows.\n" * 50)[:-9])
    report = parse_on_cluster(folder, tmp_path / "out", model=model, shard_words=100)
    failed = [json.loads(line) for line in (report.folder / FAILED).read_text(encoding="utf-8").splitlines()]
    reasons = {Path(each["document"]).name: each["reason"].partition(f"{folder}/")[2] for each in failed}
    assert report.failed == len(failed) == 6
    assert reasons["ends.txt"].startswith("ends.txt:62: expected UTF-8, found byte 0xc3 (unexpected end of data)")
    assert reasons["bad.txt"].startswith("bad.txt:3: expected UTF-8, found byte 0xe9")
    assert reasons["large.txt"].startswith("large.txt:62: expected UTF-8, found byte 0xff")
    assert reasons["long.txt"].startswith("long.txt: expected sentences of at most 50 words, found 60: word word")
    assert reasons["treebank.conllu"].startswith("treebank.conllu:1: ")
    assert reasons["zipped.txt.gz"].startswith("zipped.txt.gz: the gzip file is truncated")
    texts = [sentence.text for path in sorted(report.folder.glob("part-*")) for sentence in read_conllu(path)]
    assert texts == ["She sleeps.", "We walk.", "They sing.", "Yes"]


def test_another_job_does_not_mix(corpus: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    out = tmp_path / "out"
    parse_on_cluster(corpus / "b.txt", out, model=model)
    with pytest.raises(UsageError, match=r"holds a job with beam 1, now 4; choose another folder$"):
        parse_on_cluster(corpus / "b.txt", out, model=model, beam=4)
    with pytest.raises(UsageError, match="holds a job with other input files"):
        parse_on_cluster(corpus / "a.txt", out, model=model)
    (corpus / "b.txt").write_text("Another text.")
    with pytest.raises(UsageError, match="holds a job with other input files"):
        parse_on_cluster(corpus / "b.txt", out, model=model)
    with pytest.raises(UsageError, match=r"holds a job with another model \(.*small\)"):
        parse_on_cluster(corpus / "b.txt", out, model="en")
    assert parse_on_cluster(corpus / "a.txt", tmp_path / "out2", model=model, batch_words=7).sentences
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UsageError, match="expected an empty folder or that of the same job, found other files"):
        parse_on_cluster(corpus, tmp_path / "other", model=model)
    with pytest.raises(UsageError, match="expected an output folder without input"):
        parse_on_cluster(corpus, tmp_path, model=model)
    with pytest.raises(UsageError, match=r"out: expected an output folder outside of the input, found it in .*corpus$"):
        parse_on_cluster(corpus, corpus / "out", model=model)
    assert not (corpus / "out").exists()


def test_arguments_that_cannot_be_used(corpus: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing: no such file or folder"):
        parse_on_cluster(tmp_path / "nothing", tmp_path / "out", model=model)
    with pytest.raises(
        UsageError, match=r"output format must be one of conllu, jsonl, parquet on a cluster, found svg"
    ):
        parse_on_cluster(corpus, tmp_path / "out", model=model, output_format="svg")
    with pytest.raises(UsageError, match=r"input format must be one of .*, found latin"):
        parse_on_cluster(corpus, tmp_path / "out", model=model, input_format="latin")
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(OutputError, match=r"file: cannot be written"):
        parse_on_cluster(corpus, blocked, model=model)


def test_a_full_disk_is_told_in_one_line(
    corpus: Path, model: Path, in_process: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pointree.bulk.shards.write_conllu", full)
    with pytest.raises(ClusterError, match=r"part-00000.conllu: cannot be written: No space left on device$"):
        parse_on_cluster(corpus, tmp_path / "out", model=model)
    assert not list((tmp_path / "out").glob("*part*"))
    monkeypatch.undo()
