"""`pointree train`: a run, its resumption, and what is refused before it starts."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pointree.config import describe
from pointree.config.rules import as_toml
from pointree.models.layout import CHECKPOINT, MANIFEST
from pointree.text.udpipe import TextModel
from pointree.training import jackknife
from pointree.training import text_model as text_model_module
from pointree.training.trainer import Trainer
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence

from .conftest import SMALL, Outcome

Run = Callable[..., Outcome]
WEIGHTS = "weights.safetensors"


@pytest.fixture
def train(run: Run, ewt: Path) -> Callable[..., Outcome]:
    """Train a small model on the fixture; options given later count."""

    def run_train(output: Path, *options: object, treebank: Path = ewt, dev: Path = ewt) -> Outcome:
        return run("train", "--train", treebank, "--dev", dev, "-o", output, "--no-text-model", *SMALL, *options)

    return run_train


def error(outcome: Outcome) -> str:
    """The message of a command that failed as it should: code 2, nothing on stdout, one line on stderr."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("pointree: error: ")
    assert outcome.err.count("\n") == 1
    return outcome.err.removeprefix("pointree: error: ").removesuffix("\n")


def write(path: Path, *blocks: Sequence[object], sent_id: str = "") -> Path:
    """A treebank of sentences with these heads."""
    text = ""
    for heads in blocks:
        text += f"# sent_id = {sent_id}\n" if sent_id else ""
        text += "".join(f"{i}\tw\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_run_leaves_a_model_and_its_history(run: Run, ewt: Path, tmp_path: Path) -> None:
    output = tmp_path / "somewhere" / "model"
    code, out, err = run("train", "--train", ewt, f"--dev={ewt}", "-o", output, "--no-text-model", *SMALL)
    assert code == 0
    assert {path.name for path in output.iterdir()} == {
        *(WEIGHTS, CHECKPOINT, MANIFEST, "config.toml", "metrics.jsonl", "README.md"),
        *("words.json", "chars.json", "tags.json", "deprels.json", "language.json", "calibration.json", "graphs"),
    }
    metrics = [json.loads(line) for line in (output / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in metrics] == [1, 2, 3, 4]
    best = max(metrics, key=lambda line: line["dev_las"])
    assert out == f"{output}: best LAS on dev {best['dev_las']:.2f} (epoch {best['epoch']})\n"
    shown = err.splitlines()
    assert len(shown) == 4
    for line, epoch in zip(shown, metrics, strict=True):
        assert line.startswith(f"epoch   {epoch['epoch']}  loss ")
        assert f"dev UAS {epoch['dev_uas']:.2f}  LAS {epoch['dev_las']:.2f}" in line
    card = (output / "README.md").read_text(encoding="utf-8")
    assert f"pointree train --train {ewt.name} --dev {ewt.name} --output model --set" in card
    assert str(tmp_path) not in card
    assert str(ewt.parent) not in card


def test_a_run_is_not_begun_twice(train: Callable[..., Outcome], trained: Path) -> None:
    before = (trained / WEIGHTS).read_bytes()
    message = f"{trained}: holds a training run; resume it, or choose another folder"
    assert error(train(trained)) == message
    assert (trained / WEIGHTS).read_bytes() == before


def test_a_finished_model_is_not_overwritten(train: Callable[..., Outcome], trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained, folder, ignore=shutil.ignore_patterns(CHECKPOINT))
    message = f"{folder}: holds a model without the checkpoint of its training; choose another folder"
    assert error(train(folder)) == message
    assert error(train(folder, "--resume")) == message
    assert (folder / WEIGHTS).read_bytes() == (trained / WEIGHTS).read_bytes()


def test_nothing_to_resume_is_a_run_from_the_beginning(
    train: Callable[..., Outcome], trained: Path, tmp_path: Path
) -> None:
    """A run may have been killed before it wrote anything."""
    folder = tmp_path / "model"
    code, _, err = train(folder, "--resume")
    assert code == 0
    first, *epochs = err.splitlines()
    assert first == f"pointree: warning: {folder}: nothing to resume; the training starts from the beginning"
    assert len(epochs) == 4
    assert (folder / WEIGHTS).read_bytes() == (trained / WEIGHTS).read_bytes()


def test_resume_needs_the_same_settings(train: Callable[..., Outcome], trained: Path) -> None:
    outcome = train(trained, "--resume", "--set", "training.seed=5", "--set", "decoder.gate=gate2")
    message = "was made with other settings: decoder.gate was gate1, is gate2, training.seed was 1, is 5"
    assert error(outcome) == f"{trained / CHECKPOINT}: {message}"


def test_a_finished_run_is_no_longer_trained_on(train: Callable[..., Outcome], trained: Path) -> None:
    hint = (
        "training.epochs was 4, is 5; to train a finished model further, start a new run with it as the initial model"
    )
    message = f"{trained / CHECKPOINT}: was made with other settings: {hint}"
    assert error(train(trained, "--resume", "--set", "training.epochs=5")) == message


def test_resume_needs_the_same_data(train: Callable[..., Outcome], trained: Path, ewt: Path, tmp_path: Path) -> None:
    sentences = list(read_conllu(ewt))
    other = tmp_path / "other.conllu"
    other.write_text("".join(map(format_sentence, reversed(sentences))), encoding="utf-8", newline="")
    outcome = train(trained, "--resume", dev=other)
    assert error(outcome) == f"{trained / CHECKPOINT}: was made with other data: dev not as given now"


def test_a_damaged_checkpoint_is_told(train: Callable[..., Outcome], trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained, folder)
    (folder / CHECKPOINT).write_bytes((trained / CHECKPOINT).read_bytes()[:1000])
    assert error(train(folder, "--resume")).startswith(f"{folder / CHECKPOINT}: the checkpoint is damaged (")


def test_a_full_disk_ends_the_run_and_room_lets_it_go_on(
    train: Callable[..., Outcome], trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    write_checkpoint = Trainer._write_checkpoint

    def fails_in_the_third_epoch(trainer: Trainer) -> None:
        with monkeypatch.context() as patch:
            if trainer.progress.epoch == 3:
                patch.setattr(os, "fsync", full_disk)
            write_checkpoint(trainer)

    def full_disk(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_write_checkpoint", fails_in_the_third_epoch)
        code, out, err = train(folder)
    assert (code, out) == (2, "")
    *epochs, last = err.splitlines()
    assert len(epochs) == 2
    assert last == f"pointree: error: {folder / CHECKPOINT}: cannot be written: No space left on device"
    code, _, err = train(folder, "--resume")
    assert code == 0
    assert [line.split()[1] for line in err.splitlines()] == ["3", "4"]
    assert (folder / WEIGHTS).read_bytes() == (trained / WEIGHTS).read_bytes()


def test_an_interrupt_says_how_to_go_on(
    train: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_trainer: Trainer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "run", interrupt)
    folder = tmp_path / "model"
    code, out, err = train(folder)
    assert (code, out) == (130, "")
    assert err == f"pointree: warning: {folder}: stopped; the same command with --resume goes on\n"


BAD_TREEBANKS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", ": no sentences found"),
    "blank": (b"\n\n", ": no sentences found"),
    "head outside": (b"1\tx\t_\t_\t_\t_\t9\t_\t_\t_\n\n", ":1: HEAD 9 is outside a sentence of 1 word"),
    "duplicate ids": (b"1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n" * 2, ":2: expected id 2, found 1 a second time"),
    "not UTF-8": (b"1\t\xff\t_\t_\t_\t_\t0\t_\t_\t_\n\n", ":1: byte 0xff at column 3 is not UTF-8"),
    "truncated gzip": (gzip.compress(b"# x" * 99)[:-9], ": the gzip file is truncated or damaged"),
    "no heads": (b"1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n", ": expected sentences with trees, found none"),
}


@pytest.mark.parametrize("role", ["treebank", "dev"])
@pytest.mark.parametrize("name", BAD_TREEBANKS)
def test_bad_treebanks(train: Callable[..., Outcome], tmp_path: Path, name: str, role: str) -> None:
    content, message = BAD_TREEBANKS[name]
    path = tmp_path / "bad.conllu"
    path.write_bytes(content)
    outcome = train(tmp_path / "model", **{role: path})
    *warnings, last = outcome.err.splitlines()
    assert len(warnings) == (name == "no heads")
    assert outcome.code == 2
    assert last.startswith(f"pointree: error: {path}{message}")
    assert not (tmp_path / "model").exists()


def test_bad_places(train: Callable[..., Outcome], tmp_path: Path) -> None:
    missing, model = tmp_path / "missing.conllu", tmp_path / "model"
    assert error(train(model, treebank=missing)) == f"{missing}: no such file"
    assert error(train(model, treebank=tmp_path)) == f"{tmp_path}: expected a file, found a directory"
    assert error(train(model, "--config", missing)) == f"{missing}: no such file"
    assert error(train(model, "--vectors", missing)) == f"{missing}: no such file"
    (tmp_path / "file").touch()
    for output, reason in (
        ("file", "expected a folder for the model, found a file"),
        ("file/model", "cannot be written: Not a directory"),
    ):
        assert error(train(tmp_path / output)) == f"{tmp_path / output}: {reason}"


TREE = (0, 1, 2)


def test_cycles_are_left_out_with_a_warning(train: Callable[..., Outcome], tmp_path: Path) -> None:
    path = write(tmp_path / "t.conllu", TREE, (0, 3, 2), TREE, sent_id="s")
    code, _, err = train(tmp_path / "model", treebank=path)
    place = "left out because they are no trees: sentence s: cycle 2 → 3 → 2"
    assert code == 0
    assert err.splitlines()[0] == f"pointree: warning: {path}: {place}"
    assert "2 sentences, 6 words." in (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert error(train(tmp_path / "other", "--strict", treebank=path)) == f"{path}: sentence s: cycle 2 → 3 → 2"


def test_several_roots_are_learned_with_a_warning(train: Callable[..., Outcome], tmp_path: Path) -> None:
    path = write(tmp_path / "t.conllu", TREE, (0, 1, 0))
    code, _, err = train(tmp_path / "model", treebank=path)
    place = "sentence 2: expected one root, found 2: words 1, 3"
    assert code == 0
    assert err.splitlines()[0] == f"pointree: warning: {path}: kept without a single root: {place}"
    assert "2 sentences, 6 words." in (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert error(train(tmp_path / "other", "--strict", treebank=path)) == f"{path}: {place}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress((b"the" + b" 1" * 16 + b"\n") * 99)[:-9], ": the gzip file is truncated or damaged"),
        (b"the 1 2 3\nof 1 2 3\n", ": expected vectors of width 16 (embeddings.word_size), found 3"),
        (b"2 16\nthe" + b" 1" * 16 + b"\nof" + b" 1" * 15 + b"\n", ":3: expected a word and 16 numbers, found 15"),
        (b"the" + b" x" * 16 + b"\n", ":1: expected a number, found 'x'"),
        (b"", ": expected word vectors, found an empty file"),
    ],
    ids=["truncated gzip", "too narrow", "a number short", "not a number", "empty"],
)
def test_bad_vectors(train: Callable[..., Outcome], tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    assert error(train(tmp_path / "model", "--vectors", path)).startswith(f"{path}{message}")


def test_vectors_are_used(train: Callable[..., Outcome], trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b"the" + b" 0.5" * 16 + b"\nzebra" + b" 0.25" * 16 + b"\n"))
    assert train(tmp_path / "model", "--vectors", path).code == 0
    assert '"zebra"' in (tmp_path / "model" / "words.json").read_text(encoding="utf-8")
    assert "- vectors: vectors.txt.gz" in (tmp_path / "model" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "messages"),
    [
        (
            ["decoder.order=sideways", "decoder.fusion=cold", "decoder.gate=gate9"],
            [
                "decoder.order must be one of left-to-right, right-to-left, outside-in, top-down, combined, found",
                "decoder.fusion must be one of none, simple, adapted, full, parent, parent-sibling, found",
                "decoder.gate must be one of gate1, gate2, found",
            ],
        ),
        (
            ["decoder.fusion=full", "training.epochs=0", "training.precision=fp8"],
            [
                "decoder.fusion must be one of none, simple, adapted for the order left-to-right, found",
                "training.epochs must be a whole number >= 1, found 0",
                "training.precision must be one of fp32, bf16, found",
            ],
        ),
        (
            ["decoder.order=outside-in", "decoder.fusion=adapted"],
            ["decoder.fusion must be one of none, simple, full for the order outside-in, found"],
        ),
        (["decoder.sise=3", "nonsense"], ["decoder.sise is unknown", "an override must be section.field=value, found"]),
    ],
)
def test_all_faults_of_the_settings_are_listed_at_once(
    train: Callable[..., Outcome], tmp_path: Path, settings: list[str], messages: list[str]
) -> None:
    message = error(train(tmp_path / "model", *(part for value in settings for part in ("--set", value))))
    assert message.count("; ") >= len(messages) - 1
    for expected in messages:
        assert expected in message


def test_a_settings_file_with_faults_names_their_places(train: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[decoder]\norder = 3\n[bogus]\n")
    message = error(train(tmp_path / "model", "--config", path, "--set", "encoder.size=0"))
    assert message.count(f"{path}: ") == 2
    assert "settings: encoder.size must be a whole number >= 1, found 0" in message
    path.write_text("[decoder\n")
    assert error(train(tmp_path / "model", "--config", path)).startswith(f"{path}:1: malformed TOML")
    assert error(train(tmp_path / "model", "--preset", "bogus")).startswith("preset bogus is unknown")


def test_bad_threads_and_devices(train: Callable[..., Outcome], tmp_path: Path) -> None:
    code, out, err = train(tmp_path / "model", "--threads", 0)
    assert (code, out) == (2, "")
    assert "Invalid value for '--threads'" in err
    assert error(train(tmp_path / "model", "--device", "abacus")).startswith("device abacus cannot be used: ")


def test_an_encoder_is_bundled_only_if_there_is_one(train: Callable[..., Outcome], tmp_path: Path) -> None:
    message = "bundle pretrained: expected a pretrained model (embeddings.pretrained.model), found none"
    assert message in error(train(tmp_path / "model", "--bundle-pretrained"))


def test_a_missing_encoder_is_told_in_a_line(train: Callable[..., Outcome], tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="pretrained embeddings need transformers")
    gone = tmp_path / "gone"
    outcome = train(tmp_path / "model", "--set", f"embeddings.pretrained.model={gone}")
    assert f"pretrained model {gone}: no such folder" in error(outcome)


@pytest.mark.slow
def test_an_encoder_from_the_settings_to_the_tree(train: Callable[..., Outcome], run: Run, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="pretrained embeddings need transformers")
    from ..pretrained.small_models import make_pretrained

    encoder = make_pretrained(tmp_path / "tiny")
    settings = (f"embeddings.pretrained.model={encoder}", "embeddings.pretrained.layers=[2, -1]", "training.epochs=1")
    options = [word for setting in settings for word in ("--set", setting)]
    outcome = train(tmp_path / "model", *options, "--cache", tmp_path / "cache", "--bundle-pretrained")
    assert outcome.code == 0
    assert "\npretrained vectors of 60 sentences  " in outcome.err
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert "; frozen tiny." in card
    assert "--set embeddings.pretrained.model=tiny" in card, "without folders of this machine"
    shutil.rmtree(encoder)
    (tmp_path / "text.txt").write_text("It rains .\n")
    parsed = run("parse", tmp_path / "text.txt", "--from", "words", "--model", tmp_path / "model", "--to", "conllu")
    assert parsed.code == 0
    assert parsed.out.count("\t") == 27
    assert str(tmp_path) not in card


def test_the_list_of_settings_needs_nothing_else(run: Run) -> None:
    code, out, err = run("train", "--list-settings")
    assert (code, err) == (0, "")
    assert all(f"{option.name} = {as_toml(option.default)}\n" in out for option in describe())


def test_the_list_of_settings_has_the_values_of_the_run(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[decoder]\nsize = 77\n")
    options = ("--preset", "quick", "--config", path, "--set", "training.epochs=3")
    code, out, err = run("train", *options, "--list-settings")
    assert (code, err) == (0, "")
    for value in ("encoder.size = 256", "decoder.size = 77", "training.epochs = 3", "training.average = 0.996"):
        assert f"{value}\n" in out
    assert "; default 500)" in out
    assert "Missing option '--train'; see pointree train --help" in run("train", *options).err


def test_several_treebanks_are_one(train: Callable[..., Outcome], ewt: Path, trained: Path, tmp_path: Path) -> None:
    sentences = list(map(format_sentence, read_conllu(ewt)))
    paths = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    for path, part in zip(paths, (sentences[:25], sentences[25:]), strict=True):
        path.write_text("".join(part), encoding="utf-8", newline="")
    folder = tmp_path / "model"
    assert train(folder, "--train", paths[1], "--dev", paths[1], treebank=paths[0], dev=paths[0]).code == 0
    assert (folder / WEIGHTS).read_bytes() == (trained / WEIGHTS).read_bytes()
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "- train: a.conllu\n- train: b.conllu\n- dev: a.conllu\n- dev: b.conllu\n" in card
    assert "--train a.conllu --train b.conllu --dev a.conllu --dev b.conllu --output model" in card
    assert "60 sentences, " in card
    fewer = train(folder, "--resume", "--dev", paths[1], treebank=paths[0], dev=paths[0])
    assert "was made with other data: train not as given now" in error(fewer)


def test_old_settings_are_told_once(train: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[training]\nrest = 0.0\n")
    options = ("--config", path, "--set", "training.restarts=[]", "--set", "training.epochs=1")
    code, _, err = train(tmp_path / "model", *options)
    assert code == 0
    assert err.splitlines()[:-1] == [
        f"pointree: notice: {path}: training.rest is gone and was at its default; ignored",
        "pointree: notice: settings: training.restarts is gone and was at its default; ignored",
    ]
    message = error(train(tmp_path / "other", "--set", "training.restarts=[36]"))
    assert message == "settings: training.restarts was removed in 0.2, found [36]"


class FakeTextTraining:
    """Stands for the training of a text model, which takes minutes."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(
        self, train: Sequence[Sentence], dev: Sequence[Sentence], path: Path, *, progress: Any, **_options: Any
    ) -> None:
        self.calls += 1
        progress(text_model_module.TextProgress("tokeniser", 1, 40, 0.5, "Epoch 1"))
        path.write_bytes(b"a text model")


@pytest.mark.slow
def test_a_text_model_is_trained_if_there_is_text(
    run: Run, trained: Path, ewt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = FakeTextTraining()
    monkeypatch.setattr(text_model_module, "train_text_model", training)
    bare = write(tmp_path / "bare.conllu", TREE)

    def train(name: str, treebank: Path, *options: str) -> Outcome:
        return run("train", "--train", treebank, "--dev", ewt, "-o", tmp_path / name, *SMALL, *options)

    short = ("--set", "training.epochs=1")
    outcome = train("a", ewt, *short)
    assert (outcome.code, training.calls) == (0, 1)
    assert outcome.err.splitlines()[-1] == "text model: tokeniser"
    assert (tmp_path / "a" / "text.udpipe").read_bytes() == b"a text model"
    # It is not trained again when its run is resumed, nor without text, nor where nobody wants it.
    assert train("a", ewt, *short, "--resume").code == 0
    assert train("b", bare, *short).code == 0
    assert train("c", ewt, *short, "--no-text-model").code == 0
    assert training.calls == 1
    # A run that was killed while its text model was trained goes on there.
    (tmp_path / "a" / "text.udpipe").unlink()
    assert train("a", ewt, *short, "--resume").code == 0
    assert training.calls == 2


def test_a_text_model_that_cannot_be_trained_is_told_before_the_training(run: Run, ewt: Path, tmp_path: Path) -> None:
    bare = write(tmp_path / "bare.conllu", TREE)
    outcome = run("train", "--train", bare, "--dev", ewt, "-o", tmp_path / "m", "--text-model", *SMALL)
    assert error(outcome) == "text model: expected a `# text` comment in every sentence, found none in sentence 1"
    assert not (tmp_path / "m").exists()


# Predicted tags


@pytest.mark.slow
def test_a_parser_can_learn_from_predicted_tags(
    run: Run, ewt: Path, text_model: TextModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def fake_training(_train: Any, _dev: Any, path: Path, *, progress: Any, **_options: Any) -> None:
        calls.append("text model")
        shutil.copy(text_model.name, path)

    def fake_jackknife(sentences: Sequence[Sentence], _dev: Any, **_options: Any) -> list[Sentence]:
        calls.append("jackknife")
        tagged = [sentence.copy() for sentence in sentences]
        for sentence in tagged:
            for word in sentence.words:
                word.upos = "X"
        return tagged

    monkeypatch.setattr(text_model_module, "train_text_model", fake_training)
    monkeypatch.setattr(jackknife, "jackknife_tags", fake_jackknife)
    model = tmp_path / "model"
    options = ("--predicted-tags", *SMALL, "--set", "training.epochs=1")
    for resume in ((), ("--resume",)):
        assert run("train", "--train", ewt, "--dev", ewt, "-o", model, *options, *resume).code == 0
    assert calls == ["text model", "jackknife"]
    assert json.loads((model / "tags.json").read_text())["symbols"][3:] == ["X"]
    dev = [word.upos for sentence in read_conllu(model / "dev-tagged.conllu") for word in sentence.words]
    assert dev == [word.upos for sentence in text_model.tag(read_conllu(ewt)) for word in sentence.words]
    assert " on ewt.conllu, gold words, predicted tags (" in (model / "README.md").read_text(encoding="utf-8")
    other = tmp_path / "other.conllu"
    other.write_text(ewt.read_text(encoding="utf-8").replace("nsubj", "obj"), encoding="utf-8")
    outcome = run("train", "--train", other, "--dev", ewt, "-o", model, *options, "--resume")
    message = f"{model / 'train-tagged.conllu'}: was made from another treebank; choose another folder"
    assert (outcome.code, outcome.err.strip()) == (2, f"pointree: error: {message}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--no-text-model"], "predicted tags: expected a text model, whose tagger predicts them"),
        (
            ["--set", "embeddings.tag=none"],
            'predicted tags: expected embeddings.tag to be upos or xpos, found "none"',
        ),
    ],
)
def test_predicted_tags_need_a_tagger_and_a_reader(
    options: list[str], message: str, run: Run, ewt: Path, tmp_path: Path
) -> None:
    outcome = run("train", "--train", ewt, "--dev", ewt, "-o", tmp_path / "model", "--predicted-tags", *options)
    assert (outcome.code, outcome.err.strip()) == (2, f"pointree: error: {message}")


# Fine-tuning


def test_a_model_is_fine_tuned(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    short = ("--set", "training.epochs=1")
    options = ("--init", trained, "--train", ewt, "--dev", ewt, "--no-text-model", *short)
    code, out, err = run("train", *options, "-o", tmp_path / "model")
    assert code == 0
    assert len(err.splitlines()) == 1
    assert out.startswith(f"{tmp_path / 'model'}: best LAS on dev ")
    assert "--init small --set training.epochs=1 --no-text-model" in (tmp_path / "model" / "README.md").read_text()
    code, out, _ = run("train", "--init", trained, *short, "--list-settings")
    assert code == 0
    assert "encoder.size = 16\n" in out
    assert "training.epochs = 1\n" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--preset", "quick"],
            "preset quick: expected no preset beside an initial model, which brings its own settings",
        ),
        (["--set", "encoder.size=3"], "model {}: encoder.size must stay 16, found 3"),
        (
            ["--set", "embeddings.pretrained.model=x"],
            'model {}: its pretrained model is none, but the settings name "x"',
        ),
    ],
)
def test_what_does_not_fit_the_initial_model_is_told(
    options: list[str], message: str, run: Run, trained: Path, ewt: Path, tmp_path: Path
) -> None:
    outcome = run("train", "--train", ewt, "--dev", ewt, "-o", tmp_path / "model", "--init", trained, *options)
    assert error(outcome) == message.format(trained)
    assert not (tmp_path / "model").exists()


def test_an_initial_model_that_is_not_there_is_told(train: Callable[..., Outcome], tmp_path: Path) -> None:
    assert error(train(tmp_path / "model", "--init", "xx")).startswith("model xx is unknown; available: ")
    assert error(train(tmp_path / "model", "--init", "no/where/x")).startswith("no/where/x: no such model folder")
