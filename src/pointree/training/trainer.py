"""The training loop: epochs of teacher-forced batches, each with an evaluation and a checkpoint at its end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from pointree.config import Config
from pointree.errors import OutputError, TrainingError, UsageError
from pointree.files import atomic_write, remove_leftovers
from pointree.models.folder import (
    load_folder,
    new_network,
    replace_config,
    save_folder,
    save_pretrained,
    write_card,
    write_weights,
)
from pointree.models.layout import CHECKPOINT, METRICS
from pointree.nn.features import EncodedSentence
from pointree.nn.pretrained_features import FrozenFeatures, PretrainedFeatures, TrainedFeatures
from pointree.parser import Parser, resolve_device
from pointree.pretrained import CacheFolder, default_cache, load_pretrained
from pointree.running.precision import resolve_precision
from pointree.training.average import MovingAverage
from pointree.training.batches import similar_batches
from pointree.training.checkpoint import RunState, read_checkpoint, write_checkpoint
from pointree.training.data import data_fingerprint
from pointree.training.exploration import Exploration
from pointree.training.optimiser import Optimiser
from pointree.training.rest import Rest
from pointree.training.schedule import dropout_share, fall_end, learning_rate
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import Vocabularies, Vocabulary
from pointree.vocabulary.vectors import Vectors

__all__ = ["Trainer", "TrainingObserver", "attachment_scores"]


class TrainingObserver(Protocol):
    """What a training run tells while it goes on."""

    def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
        """An epoch over so many words begins."""

    def batch_done(self, words: int, loss: float) -> None:
        """A batch was learned; the loss is that of an average word."""

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        """An epoch was learned and evaluated."""


@dataclass
class Trainer:
    """One training run: its data, its network, and how far it is."""

    config: Config
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    output: Path
    vectors: Vectors | None = None
    observer: TrainingObserver | None = None
    card: Callable[[RunState], str] = field(default=lambda _progress: "")
    device: str = "cpu"
    caches: CacheFolder = field(default_factory=lambda: CacheFolder(default_cache()))
    """Where the vectors of a frozen pretrained model are kept."""
    bundle_pretrained: bool = False
    features_progress: Callable[[int, int], None] | None = None
    """Called with the number of sentences that a frozen pretrained model has read, and of all that it must read."""

    def __post_init__(self) -> None:
        training, place = self.config.training, resolve_device(self.device)
        self.dtype = resolve_precision(training.precision, place)
        settings = self.config.embeddings.pretrained
        pretrained = load_pretrained(settings).to(place) if settings.model else None
        torch.manual_seed(training.seed)
        self.vocabularies = Vocabularies.build(
            self.train,
            min_count=self.config.embeddings.min_count,
            vector_words=self.vectors.words if self.vectors else (),
            tag=self.config.embeddings.tag,
            char_parts=self.config.embeddings.char_parts,
        )
        if self.config.embeddings.tag == "joint" and set(self.vocabularies.tags.symbols) <= {*Vocabulary.specials, "_"}:
            raise TrainingError('embeddings.tag = "joint" learns to predict UPOS, but the training data has none')
        network = new_network(self.config, self.vocabularies, pretrained.identity if pretrained is not None else None)
        network.embeddings.set_singletons(self.vocabularies.words.singletons)
        if self.vectors is not None:
            self._start_from_vectors(network, self.vectors)
        source: PretrainedFeatures | None = None
        if pretrained is not None and network.embeddings.pretrained is not None and settings.fine_tune:
            network.embeddings.pretrained.model = pretrained
            source = TrainedFeatures(pretrained)
        elif pretrained is not None:
            source = FrozenFeatures(pretrained, self.caches)
        self.network = network.to(place)
        self.parser = Parser(self.config, self.vocabularies, self.network, pretrained=source)
        self.optimiser = Optimiser(self.network, training)
        self.progress = RunState()
        self.data = data_fingerprint(self.train, self.dev, self.vectors)
        if pretrained is not None:
            self.data["encoder"] = pretrained.identity.sha256  # the name that it has in checkpoints
        self.average = MovingAverage(self.network, training.average) if training.average else None

    @cached_property
    def encoded(self) -> list[EncodedSentence]:
        """The training sentences as numbers, with their gold steps."""
        return [self.parser.featurizer.encode(sentence, gold=True) for sentence in self.train]

    @cached_property
    def exploration(self) -> Exploration | None:
        """What the decoder sees of its own attachments, if the settings want it and it sees any."""
        probability, slots = self.config.training.exploration, self.network.slots
        return Exploration(self.encoded, self.parser.order, slots, probability) if probability and slots else None

    @cached_property
    def rest(self) -> Rest | None:
        """Which sentences an epoch leaves out, if the settings want it."""
        chance = self.config.training.rest
        return Rest([len(sentence) for sentence in self.encoded], chance) if chance else None

    def _start_from_vectors(self, network: Any, vectors: Vectors) -> None:
        if vectors.size != self.config.embeddings.word_size:
            raise UsageError(
                f"vectors have {vectors.size} dimensions, but embeddings.word_size is "
                f"{self.config.embeddings.word_size}"
            )
        rows = self.vocabularies.words.vector_rows(vectors.words)
        known = (rows >= 0).nonzero()[0]
        network.embeddings.load_vectors(known, vectors.matrix[rows[known]])

    def resume(self) -> None:
        """Go on where the checkpoint in the output folder stands."""
        tensors, self.progress = read_checkpoint(self.output, self.config, self.data)
        groups: dict[str, dict[str, Tensor]] = {
            "weights": {},
            "optimiser": {},
            "average": {},
            "exploration": {},
            "rest": {},
        }
        for name, tensor in tensors.items():
            group, _, rest = name.partition("/")
            groups[group][rest] = tensor.to(self.parser.featurizer.device)
        expected = {name: tensor.shape for name, tensor in self.network.state_dict().items()}
        if expected != {name: tensor.shape for name, tensor in groups["weights"].items()}:
            raise TrainingError(f"{self.output / CHECKPOINT}: was made by another version of pointree")
        self.network.load_state_dict(groups["weights"])
        self.optimiser.load_state(groups["optimiser"])
        if self.average is not None:
            self.average.weights, self.average.step = groups["average"], self.progress.step
        if self.exploration is not None:
            self.exploration.restore(groups["exploration"]["heads"])
        if self.rest is not None:
            self.rest.restore(groups["rest"]["losses"])

    def run(self) -> RunState:
        """Train to the last epoch; the output folder then holds the model with the best LAS on dev."""
        self._prepare_output()
        if isinstance(self.parser.pretrained, FrozenFeatures) and self.progress.epoch < self.config.training.epochs:
            forms = [sentence.forms for sentence in (*self.train, *self.dev)]
            self.parser.pretrained.prepare(forms, self.features_progress)
        while self.progress.epoch < self.config.training.epochs:
            self._run_epoch()
        return self.progress

    def _prepare_output(self) -> None:
        try:
            self.output.mkdir(parents=True, exist_ok=True)
            remove_leftovers(self.output)
        except OSError as error:
            raise OutputError(f"{self.output}: cannot be written: {error.strerror or error}") from error
        if self.progress.epoch == 0:
            # The checkpoint comes first: with it, a run can be resumed from its first moment.
            self._write_checkpoint()
            save_folder(self.output, self.config, self.vocabularies, self.network.state_dict(), "")
            if self.parser.pretrained is not None:
                encoder = self.parser.pretrained.model
                save_pretrained(self.output, self.config, encoder, bundle=self.bundle_pretrained)
        else:
            replace_config(self.output, self.config)  # a run that is trained on has more epochs now
            if self.progress.best_epoch:
                write_card(self.output, self.card(self.progress))
        self._write_metrics()

    def _run_epoch(self) -> None:
        training, progress = self.config.training, self.progress
        pretrained = self.config.embeddings.pretrained
        of_pretrained = replace(training, learning_rate=pretrained.learning_rate, warmup=pretrained.warmup)
        epoch, started = progress.epoch + 1, time.perf_counter()
        chosen = range(len(self.encoded)) if self.rest is None else self.rest.start(training.seed, epoch)
        lengths = [len(self.encoded[number]) for number in chosen]
        batches = similar_batches(lengths, training.batch_size, training.seed, epoch)
        total_steps = fall_end(training.falls, epoch) * len(batches)  # as if all epochs had as many as this one
        # All randomness of an epoch follows from seed and epoch, so that a resumed run repeats it exactly.
        torch.manual_seed(training.seed * 1_000_003 + epoch)
        if self.observer is not None:
            self.observer.epoch_started(epoch, training.epochs, sum(lengths))
        self.network.train()
        self.network.set_dropout(
            dropout_share(training.dropout_rise, epoch),
            dropout_share(training.embedding_dropout_rise, epoch, training.embedding_dropout_stage),
        )
        sums = torch.zeros(3, dtype=torch.float64)
        for step, places in enumerate(batches, (epoch - 1) * len(batches)):
            rate = learning_rate(training, step, total_steps, progress.plateau)
            pretrained_rate = learning_rate(of_pretrained, step, total_steps, progress.plateau)
            losses = self._learn([chosen[place] for place in places], rate, pretrained_rate)
            sums += losses
            if self.observer is not None:
                arcs, labels, weight = losses.tolist()
                self.observer.batch_done(sum(lengths[place] for place in places), (arcs + labels) / weight)
        learned = time.perf_counter()
        arcs, labels, weight = sums.tolist()
        means = {"arc_loss": arcs / weight, "label_loss": labels / weight}
        self._finish_epoch(epoch, means, rate, sum(lengths) / (learned - started), started)

    def _learn(self, numbers: Sequence[int], rate: float, pretrained_rate: float) -> Tensor:
        """Make one optimiser step; returns the losses of arcs and labels, summed over words, and what these count."""
        batch = self.parser.featurizer.batch([self._sentence(number) for number in numbers])
        if batch.gold is None:
            raise ValueError("training needs gold steps")
        steps = batch.gold.steps
        loss = self.network.loss(batch, self.dtype)
        weights = None if self.rest is None else self.rest.weights_of(numbers, steps)
        loss.objective(weights).backward()
        arcs, labels = loss.arcs.detach(), loss.labels.detach()
        if self.exploration is not None:
            self.exploration.remember(numbers, steps, loss.predicted)
        if self.rest is not None:
            self.rest.remember(numbers, steps, arcs + labels)
        self.optimiser.step(rate, pretrained_rate)
        self.progress.step += 1
        if self.average is not None:
            self.average.follow(self.progress.step)
        counts = torch.ones_like(arcs) if weights is None else weights
        return torch.stack((arcs @ counts, labels @ counts, counts.sum())).double().cpu()

    def _sentence(self, number: int) -> EncodedSentence:
        return self.encoded[number] if self.exploration is None else self.exploration.sentence(number)

    def _finish_epoch(
        self, epoch: int, losses: dict[str, float], rate: float, words_per_s: float, started: float
    ) -> None:
        progress = self.progress
        weights = self.network.state_dict()
        if not all(bool(torch.isfinite(tensor).all()) for tensor in weights.values()):
            raise TrainingError(f"epoch {epoch}: the weights are no longer finite; lower training.learning_rate")
        evaluated = weights
        if self.average is not None:
            self.average.catch_up(progress.step)
            evaluated = self.average.weights
        scores = self._evaluate(evaluated)
        improved = scores["las"] > progress.best_las
        progress.epoch = epoch
        progress.seconds += time.perf_counter() - started
        if improved:
            progress.best_las, progress.best_epoch = scores["las"], epoch
        metrics = {
            "epoch": epoch,
            **{name: round(value, 5) for name, value in losses.items()},
            "learning_rate": rate,
            **{f"dev_{name}": round(value, 3) for name, value in scores.items()},
            "words_per_s": round(words_per_s, 1),
            "seconds": round(progress.seconds, 1),
        }
        progress.metrics.append(metrics)
        if improved:
            write_weights(self.output, evaluated)
            write_card(self.output, self.card(progress))
        if progress.plateau.update(improved, self.config.training):
            self._restart_from_best()
        self._write_checkpoint()
        self._write_metrics()
        if self.observer is not None:
            self.observer.epoch_ended(metrics, improved)

    def _evaluate(self, weights: dict[str, Tensor]) -> dict[str, float]:
        self.network.eval()
        if self.average is None:
            return attachment_scores(self.parser, self.dev)
        current = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(weights)
        scores = attachment_scores(self.parser, self.dev)
        self.network.load_state_dict(current)
        return scores

    def _restart_from_best(self) -> None:
        """Take the best weights again, with a fresh optimiser at the lower learning rate."""
        best = load_folder(self.output)[2].state_dict()
        self.network.load_state_dict(best)
        self.optimiser = Optimiser(self.network, self.config.training)
        if self.average is not None:
            self.average = MovingAverage(self.network, self.average.decay, self.progress.step)

    def _write_checkpoint(self) -> None:
        tensors = {f"weights/{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"optimiser/{name}": tensor for name, tensor in self.optimiser.state().items()}
        if self.average is not None:
            tensors |= {f"average/{name}": tensor for name, tensor in self.average.weights.items()}
        if self.exploration is not None:
            tensors["exploration/heads"] = self.exploration.heads
        if self.rest is not None:
            tensors["rest/losses"] = self.rest.losses
        write_checkpoint(self.output, tensors, self.progress, self.config, self.data)

    def _write_metrics(self) -> None:
        with atomic_write(self.output / METRICS) as stream:
            stream.writelines(json.dumps(line) + "\n" for line in self.progress.metrics)


def attachment_scores(parser: Parser, gold: Sequence[Sentence]) -> dict[str, float]:
    """UAS, and LAS with universal labels as the official evaluator has it, of greedy parses of gold sentences.

    A model that predicts UPOS has their accuracy as well.
    """
    deprels, tags = parser.vocabularies.deprels.symbols, parser.vocabularies.tags.symbols
    words = correct_heads = correct = correct_with_subtype = correct_tags = 0
    for sentence, trees in zip(gold, parser.trees(gold), strict=True):
        tree = trees[0]
        correct_tags += sum(word.upos == tags[tag] for word, tag in zip(sentence.words, tree.tags, strict=False))
        for word, head, label in zip(sentence.words, tree.heads, tree.labels, strict=True):
            words += 1
            if word.head == head:
                correct_heads += 1
                deprel = deprels[label]
                correct += word.deprel.partition(":")[0] == deprel.partition(":")[0]
                correct_with_subtype += word.deprel == deprel
    scores = {"uas": correct_heads, "las": correct, "las_subtypes": correct_with_subtype}
    if parser.network.tagger is not None:
        scores["upos"] = correct_tags
    return {name: 100.0 * count / words for name, count in scores.items()}
