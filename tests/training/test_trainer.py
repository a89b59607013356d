"""The training loop: what it writes, which model it keeps, and that it is the same every time."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

import pointree
from pointree.config import Config, SelectionConfig
from pointree.errors import OutputError, TrainingError, UsageError
from pointree.models import layout
from pointree.nn.model import PointerNetwork
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.training import trainer as trainer_module
from pointree.training.batches import similar_batches
from pointree.training.checkpoint import CHECKPOINT
from pointree.training.observer import TrainingObserver
from pointree.training.trainer import METRICS, Trainer, attachment_scores
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import COLUMNS, UNK
from pointree.vocabulary.vectors import Vectors

from .runs import SIZES, small_config, small_data, small_trainer

KEYS = [
    *("epoch", "arc_loss", "label_loss", "learning_rate", "dev_uas", "dev_las", "dev_las_subtypes"),
    *("words_per_s", "seconds"),
]


class Recorder(TrainingObserver):
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
        self.events.append(("started", epoch, epochs, words))

    def batch_done(self, words: int, loss: float) -> None:
        self.events.append(("batch", words, loss))

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        self.events.append(("ended", metrics, improved))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trainer, Recorder]:
    """A run whose dev LAS goes up and down."""
    recorder = Recorder()
    trainer = small_trainer(
        tmp_path_factory.mktemp("run"),
        small_config(schedule="plateau", patience=1, learning_rate=0.1, epochs=6),
        observer=recorder,
        card=lambda progress: f"best {progress.best_epoch}",
    )
    trainer.run()
    return trainer, recorder


def copy_of(network: PointerNetwork) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def saved(folder: Path) -> dict[str, Tensor]:
    return load_file(folder / "weights.safetensors")


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / METRICS).read_text(encoding="utf-8").splitlines()]


def test_metrics_are_one_object_a_line(finished: tuple[Trainer, Recorder]) -> None:
    trainer, _ = finished
    found = lines(trainer.output)
    assert [line["epoch"] for line in found] == [1, 2, 3, 4, 5, 6]
    assert all(list(line) == KEYS for line in found)
    assert all(0 <= line["dev_las_subtypes"] <= line["dev_las"] <= line["dev_uas"] <= 100 for line in found)
    assert all(line["arc_loss"] > 0 and line["label_loss"] > 0 and line["words_per_s"] > 0 for line in found)
    seconds = [line["seconds"] for line in found]
    assert seconds == sorted(seconds)


def test_every_key_of_the_metrics_is_documented() -> None:
    documentation = inspect.getsource(layout).partition("METRICS =")[2].split('"""')[1]
    assert all(f"``{key}``" in documentation for key in KEYS)


def test_the_model_in_the_folder_is_the_best_one(finished: tuple[Trainer, Recorder]) -> None:
    trainer, recorder = finished
    found = [line["dev_las"] for line in lines(trainer.output)]
    best = found.index(max(found)) + 1
    assert (trainer.progress.best_epoch, round(trainer.progress.best_las, 3)) == (best, max(found))
    assert (trainer.output / "README.md").read_text() == f"best {best}"
    parser = Parser.load(trainer.output, precision="fp32")
    assert round(attachment_scores(parser, trainer.dev)["las"], 3) == max(found)
    improved = [event[2] for event in recorder.events if event[0] == "ended"]
    assert improved == [las > max(found[:place], default=-1) for place, las in enumerate(found)]


def test_a_plateau_goes_back_to_the_best_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([50.0, 40.0, 60.0])
    monkeypatch.setattr(
        "pointree.training.trainer.attachment_scores",
        lambda *_: dict.fromkeys(("uas", "las", "las_subtypes"), next(scores)),
    )
    config = small_config(schedule="plateau", patience=1, decay=0.5, epochs=2, average=0.5)
    trainer = small_trainer(tmp_path, config)
    trainer.run()
    best = saved(tmp_path)
    assert trainer.average is not None
    for name, tensor in trainer.network.state_dict().items():
        assert tensor.equal(best[name])
        assert trainer.average.weights[name].equal(best[name])
        assert trainer.average.weights[name].data_ptr() != tensor.data_ptr()
    assert trainer.optimiser.state() == {}
    assert [line["learning_rate"] for line in lines(tmp_path)] == [0.02, 0.02]
    assert trainer.progress.plateau.factor == 0.5


def test_the_observer_hears_of_every_epoch_and_batch(finished: tuple[Trainer, Recorder]) -> None:
    trainer, recorder = finished
    words = sum(map(len, trainer.train))
    first = recorder.events.index(next(event for event in recorder.events if event[0] == "ended"))
    started, *batches = recorder.events[:first]
    assert started == ("started", 1, 6, words)
    assert [batch[0] for batch in batches] == ["batch"] * 3
    assert sum(batch[1] for batch in batches) == words
    assert recorder.events[first][1].items() == lines(trainer.output)[0].items()
    mean = sum(n * loss for _, n, loss in batches) / words
    assert mean == pytest.approx(sum(lines(trainer.output)[0][key] for key in ("arc_loss", "label_loss")), abs=1e-4)


def test_the_same_seed_gives_the_same_weights_and_another_others(
    finished: tuple[Trainer, Recorder], tmp_path: Path
) -> None:
    trainer, _ = finished
    again = small_trainer(tmp_path / "again", trainer.config)
    again.run()
    name = "weights.safetensors"
    assert (again.output / name).read_bytes() == (trainer.output / name).read_bytes()
    assert load_file(again.output / CHECKPOINT).keys() == load_file(trainer.output / CHECKPOINT).keys()
    other = small_trainer(tmp_path / "other", small_config(seed=2, epochs=1))
    other.run()
    assert not all(tensor.equal(saved(trainer.output)[key]) for key, tensor in saved(other.output).items())


def test_what_was_drawn_before_has_no_influence(tmp_path: Path) -> None:
    weights = []
    for name in ("a", "b"):
        torch.rand(7)
        trainer = small_trainer(tmp_path / name, small_config(epochs=1))
        torch.rand(3)
        trainer.run()
        weights.append((trainer.output / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1]


def test_the_moving_average_is_what_is_evaluated_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Average(Recorder):
        """Follows the weights as the trainer should: every second step, and at the end of an epoch."""

        weights: dict[str, Tensor]
        last: dict[str, Tensor]
        steps = 0
        kept = 1.0

        def batch_done(self, words: int, loss: float) -> None:
            self.steps += 1
            self.kept *= min(0.9, (1 + self.steps) / (10 + self.steps))
            self.last = copy_of(trainer.network)
            if self.steps in (2, 3):
                kept, self.kept = self.kept, 1.0
                self.weights = {name: kept * old + (1 - kept) * self.last[name] for name, old in self.weights.items()}

    def evaluate(
        parser: Parser, dev: Sequence[Sentence], selection: SelectionConfig, *_others: Any
    ) -> dict[str, float]:
        evaluated.append(copy_of(parser.network))
        return attachment_scores(parser, dev, selection)

    evaluated: list[dict[str, Tensor]] = []
    monkeypatch.setattr(trainer_module, "attachment_scores", evaluate)
    monkeypatch.setattr("pointree.training.average._EVERY", 2)
    average = Average()
    trainer = small_trainer(tmp_path, small_config(average=0.9, epochs=1), observer=average)
    average.weights = copy_of(trainer.network)
    trainer.run()
    kept, checkpoint = saved(tmp_path), load_file(tmp_path / CHECKPOINT)
    assert average.steps == 3
    for name, tensor in kept.items():
        torch.testing.assert_close(tensor, average.weights[name])
        assert evaluated[0][name].equal(tensor)
        assert checkpoint[f"average/{name}"].equal(tensor)
        assert checkpoint[f"weights/{name}"].equal(average.last[name])
    assert not all(kept[name].equal(tensor) for name, tensor in average.last.items())


@pytest.mark.parametrize("batch_size", [1, 6])
def test_a_linear_schedule_ends_at_zero_however_many_batches_there_are(tmp_path: Path, batch_size: int) -> None:
    small_trainer(tmp_path, small_config(epochs=3, batch_size=batch_size)).run()
    [*_, last] = lines(tmp_path)
    steps = 3 * len(similar_batches([len(sentence) for sentence in small_data()[0]], batch_size, seed=1, epoch=3))
    assert last["learning_rate"] == pytest.approx(0.02 / steps)


def test_dropout_rises_epoch_by_epoch_in_a_resumed_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[float, float]] = []
    loss = PointerNetwork.loss

    def watched(network: PointerNetwork, *args: Any) -> Any:
        used.append((network.decoder.dropout, network.embeddings.dropout))
        return loss(network, *args)

    def shares() -> list[tuple[float, float]]:
        full = config.decoder.dropout, config.embeddings.dropout
        return [
            (round(decoder / full[0], 6), round(embeddings / full[1], 6)) for decoder, embeddings in dict.fromkeys(used)
        ]

    monkeypatch.setattr(PointerNetwork, "loss", watched)
    config = small_config(epochs=4, dropout_rise=2, embedding_dropout_rise=1)
    small_trainer(tmp_path / "whole", config).run()
    assert shares() == [(0.333333, 0.5), (0.666667, 1.0), (1.0, 1.0)]
    stopped = small_trainer(tmp_path / "parts", config)
    stopped._prepare_output()
    stopped._run_epoch()
    used.clear()
    resumed = small_trainer(tmp_path / "parts", config)
    resumed.resume()
    resumed.run()
    assert shares() == [(0.666667, 1.0), (1.0, 1.0)]
    assert lines(tmp_path / "parts")[-1]["arc_loss"] == lines(tmp_path / "whole")[-1]["arc_loss"]


def test_files_of_others_stay(tmp_path: Path) -> None:
    for name in (".mine.tmp", ".weights.safetensors.0123abcd.tmp"):
        (tmp_path / name).touch()
    small_trainer(tmp_path, small_config(epochs=1)).run()
    assert [path.name for path in tmp_path.glob(".*.tmp")] == [".mine.tmp"]


def test_a_run_learns(tmp_path: Path) -> None:
    train, _ = small_data()
    quiet = {section: {"dropout": 0.0} for section in ("embeddings", "encoder", "decoder", "scorers")}
    values = small_config(epochs=15, learning_rate=0.03, beta2=0.99, epsilon=1e-8).to_dict()
    config = type(small_config()).from_dict({name: fields | quiet.get(name, {}) for name, fields in values.items()})
    Trainer(config, train, train, tmp_path).run()
    found = lines(tmp_path)
    assert found[-1]["arc_loss"] + found[-1]["label_loss"] < 0.5 * (found[0]["arc_loss"] + found[0]["label_loss"])
    assert found[-1]["dev_las"] > found[0]["dev_las"] + 10


def test_a_model_that_knows_parts_of_characters_reads_them_in_words_it_has_not_seen(tmp_path: Path) -> None:
    train = [Sentence.from_words(["나는", "간다"], upos=["PRON", "VERB"], head=[2, 0], deprel=["nsubj", "root"])]
    config = Config.from_dict(
        {**SIZES, "embeddings": {**SIZES["embeddings"], "char_parts": True}, "training": {"epochs": 1, "batch_size": 1}}
    )
    trainer = Trainer(config, train, train, tmp_path)
    trainer.run()
    loaded = Parser.load(tmp_path, engine="torch")
    for parser in (trainer.parser, loaded):
        chars = parser.vocabularies.chars
        assert chars.spell("난").tolist() == [[UNK, *(chars.lookup(part) for part in "\u1102\u1161\u11ab")]]
        assert UNK not in chars.spell("난")[0, 1:]
    texts = [["난", "간다"], ["넘", "간다"]]
    batch = [loaded.featurizer.batch([loaded.featurizer.numbers_of(Sentence.from_words(words))]) for words in texts]
    first, second = (loaded.network.embeddings(each, torch.float32) for each in batch)
    assert not torch.equal(first[1], second[1]), "both are unknown words of one unknown character, but of other letters"


def test_vectors_are_where_words_start(tmp_path: Path) -> None:
    matrix = np.arange(16, dtype=np.float32).reshape(2, 8)
    vectors = Vectors(["the", "zebra"], matrix)
    trainer = small_trainer(tmp_path, small_config(), vectors=vectors)
    table = trainer.network.embeddings.words
    assert table is not None
    for row, word in enumerate(vectors.words):
        assert table[trainer.vocabularies.words.lookup(word)].tolist() == matrix[row].tolist()
    assert "zebra" in trainer.vocabularies.words


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    vectors = Vectors(["the"], np.ones((1, 5), dtype=np.float32))
    with pytest.raises(UsageError, match=r"^vectors have 5 dimensions, but embeddings.word_size is 8$"):
        small_trainer(tmp_path, small_config(), vectors=vectors)


def test_weights_that_are_no_longer_finite_end_the_run(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, small_config(learning_rate=1e38, clip=0.0))
    message = r"^epoch 1: the weights are no longer finite; lower training.learning_rate$"
    with pytest.raises(TrainingError, match=message):
        trainer.run()
    assert lines(tmp_path) == []


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_a_device_that_is_not_there_is_refused(tmp_path: Path, device: str) -> None:
    with pytest.raises(UsageError, match=rf"^device {device} cannot be used: "):
        small_trainer(tmp_path, small_config(), device=device)


def test_an_output_that_is_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    for output in (path, path / "folder"):
        with pytest.raises(OutputError, match=rf"^{output}: cannot be written: (File exists|Not a directory)$"):
            small_trainer(output, small_config()).run()


def test_labels_are_compared_without_and_with_their_subtypes(finished: tuple[Trainer, Recorder]) -> None:
    trainer, _ = finished
    parsed = trainer.parser.parse(trainer.dev)
    assert attachment_scores(trainer.parser, parsed) == {"uas": 100.0, "las": 100.0, "las_subtypes": 100.0}
    for sentence in parsed:
        for word in sentence.words:
            word.deprel = f"{word.deprel.partition(':')[0]}:other"
    parsed[0].words[0].head = -1
    words = sum(map(len, parsed))
    scores = attachment_scores(trainer.parser, parsed)
    expected = 100 * (words - 1) / words
    assert (scores["uas"], scores["las"], scores["las_subtypes"]) == pytest.approx((expected, expected, 0.0))


# How the best epoch is chosen


def test_punctuation_can_be_left_out_of_the_score(finished: tuple[Trainer, Recorder]) -> None:
    trainer, _ = finished
    parsed = trainer.parser.parse(trainer.dev)
    marks = [word for sentence in parsed for word in sentence.words if word.upos == "PUNCT"]
    words = sum(map(len, parsed))
    for word in marks:
        word.head = -1
    for metric in ("no_punct.las", "no_punct.uas"):
        scores = attachment_scores(trainer.parser, parsed, SelectionConfig(metric=metric))
        assert scores[metric] == 100.0
        assert scores["las"] == pytest.approx(100.0 * (words - len(marks)) / words)


def test_dev_is_parsed_with_the_search_of_the_settings(
    finished: tuple[Trainer, Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, _ = finished
    asked = []
    trees = Parser.trees

    def recorded(parser: Parser, sentences: Sequence[Sentence], options: ParseOptions) -> Any:
        asked.append(options)
        return trees(parser, sentences, options)

    monkeypatch.setattr(Parser, "trees", recorded)
    attachment_scores(trainer.parser, trainer.dev[:2])
    attachment_scores(trainer.parser, trainer.dev[:2], SelectionConfig(beam=3, projective=True, single_root=False))
    assert asked == [ParseOptions(), ParseOptions(beam=3, projective=True, single_root=False)]


def test_the_metric_decides_which_epoch_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([{"uas": 1.0, "las": 3.0, "las_subtypes": 1.0}, {"uas": 1.0, "las": 2.0, "las_subtypes": 2.0}])
    monkeypatch.setattr("pointree.training.trainer.attachment_scores", lambda *_: next(found))
    config = replace(small_config(epochs=2), selection=SelectionConfig(metric="las_subtypes"))
    progress = small_trainer(tmp_path, config).run()
    assert (progress.best_epoch, progress.best_score, progress.best_las) == (2, 2.0, 2.0)


# Columns that are learned


def test_a_model_that_predicts_columns_is_told_how_well(tmp_path: Path) -> None:
    small_trainer(tmp_path, small_config(epochs=1, heads=True)).run()
    [first, *_others] = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
    for column in COLUMNS:
        assert 0.0 < first[f"dev_{column}"] <= 100.0


def test_columns_that_the_data_does_not_have_are_left_out_with_a_notice(tmp_path: Path) -> None:
    train, dev = small_data()
    for sentence in train:
        for word in sentence.words:
            word.feats = word.lemma = "_"
    notices: list[str] = []
    observer = TrainingObserver()
    observer.notice = notices.append  # type: ignore[method-assign]
    trainer = Trainer(small_config(epochs=1, heads=True), train, dev, tmp_path, observer=observer)
    assert notices == ["the training data has no FEATS, LEMMA, so the model will not predict them"]
    trainer.run()
    [parsed] = pointree.load(tmp_path).parse([["It", "rains"]])
    assert [(word.upos != "_", word.feats, word.lemma) for word in parsed.words] == [(True, "_", "_")] * 2
