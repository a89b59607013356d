"""Training three orders over one encoder: one run, resumable, that ends by measuring each order on its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import pointree
from pointree.config import Config
from pointree.models.card import model_card
from pointree.models.layout import CARD, WEIGHTS
from pointree.training.initial_model import load_initial_model
from pointree.training.trainer import Trainer, attachment_scores

from .runs import SIZES, small_data, small_trainer


def combined_config(**training: object) -> Config:
    settings = {"batch_size": 6, "epochs": 2, "schedule": "linear", "learning_rate": 0.02, "exploration": 1.0}
    decoder = {**SIZES.get("decoder", {}), "order": "combined"}
    return Config.from_dict({**SIZES, "decoder": decoder, "training": {**settings, "average": 0.9, **training}})


def card(trainer: Trainer) -> None:
    trainer.card = lambda progress: model_card(trainer.config, progress, {}, (15, 100), "pointree train")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("combined")
    trainer = small_trainer(place, combined_config())
    card(trainer)
    trainer.run()
    return place


def test_the_model_knows_its_best_order(folder: Path) -> None:
    parser, dev = pointree.load(folder, engine="torch"), small_data()[1]
    las = {order: attachment_scores(parser, dev, order=order)["las"] for order in parser.config.decoder.orders}
    assert parser.network.order_las.tolist() == pytest.approx(list(las.values()), abs=1e-3)
    assert las[parser.engine.best_order] == max(las.values())
    text = (folder / CARD).read_text()
    assert "Orders left-to-right + right-to-left + outside-in, fusion l-simple + r-simple + simple, GATE1" in text
    assert f"Each order on its own: left-to-right {las['left-to-right']:.2f}, right-to-left" in text


def test_a_resumed_run_ends_with_the_same_weights(folder: Path, tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, combined_config())
    trainer._prepare_output()
    trainer._run_epoch()
    again = small_trainer(tmp_path, combined_config())
    again.resume()
    again.run()
    assert (tmp_path / WEIGHTS).read_bytes() == (folder / WEIGHTS).read_bytes()
    finished = small_trainer(tmp_path, combined_config())
    finished.resume()
    assert finished.run().order_las == again.progress.order_las


def test_a_model_of_several_orders_is_fine_tuned(folder: Path, tmp_path: Path) -> None:
    start = load_initial_model(folder)
    config = start.settings(None, ["training.epochs=1", "training.learning_rate=1e-9", "training.average=0"])
    trainer = small_trainer(tmp_path, config, init=start)
    trainer.run()
    dev = small_data()[1]
    before, after = (pointree.load(place).parse(dev) for place in (folder, tmp_path))
    assert [sentence.heads for sentence in after] == [sentence.heads for sentence in before]
