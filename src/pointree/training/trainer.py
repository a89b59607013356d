"""The training loop: epochs of teacher-forced batches, each with an evaluation and a checkpoint at its end.

Long epochs have checkpoints in their middle too.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pointree.batches.features import NumberedSentence
from pointree.config import Config, SelectionConfig
from pointree.engines.precision import resolve_precision
from pointree.engines.torch_engine import TorchEngine, resolve_device
from pointree.engines.torch_folder import as_arrays, load_folder, new_network, save_pretrained
from pointree.errors import TrainingError, UsageError
from pointree.evaluation.relations import is_punctuation, universal_deprel
from pointree.files import atomic_write, remove_leftovers, writing
from pointree.models.folder import replace_config, save_folder, write_card
from pointree.models.graphs import add_graphs
from pointree.models.layout import CHECKPOINT, METRICS, PRETRAINED, TEACHER_PROBABILITIES, WEIGHTS
from pointree.models.weights import write_weights
from pointree.nn.pretrained_features import FrozenFeatures, PretrainedFeatures, TrainedFeatures
from pointree.nn.segmenter import SegmenterNetwork
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.pretrained.cache_folder import CacheFolder, default_cache
from pointree.pretrained.loading import load_pretrained
from pointree.pretrained.model import PretrainedModel
from pointree.search import ParseTree
from pointree.training.average import MovingAverage
from pointree.training.batches import epoch_batches
from pointree.training.calibration import calibrate_folder
from pointree.training.checkpoint import CHECKPOINT_SECONDS, RunState, read_checkpoint, write_checkpoint
from pointree.training.data import data_fingerprint
from pointree.training.distillation import Distillation, teacher_checksum, teacher_names
from pointree.training.distributed import Group
from pointree.training.exploration import Exploration
from pointree.training.initial_model import InitialModel
from pointree.training.observer import TrainingObserver
from pointree.training.optimiser import Optimiser
from pointree.training.schedule import dropout_share, learning_rate
from pointree.training.teacher_file import remove_teacher_file
from pointree.training.technique import Technique
from pointree.training.unfinished_epoch import UnfinishedEpoch
from pointree.treebank.sentence import Sentence, Token
from pointree.vocabulary import Vocabularies
from pointree.vocabulary.extension import extend_vocabularies
from pointree.vocabulary.vectors import Vectors

__all__ = ["Trainer", "attachment_scores"]

_REPORTED = 256
"""Sentences between two reports of progress."""


@dataclass
class Trainer:
    """One training run: its data, its network, and how far it is."""

    config: Config
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    output: Path
    vectors: Vectors | None = None
    observer: TrainingObserver = field(default_factory=TrainingObserver)
    card: Callable[[RunState], str] = field(default=lambda _progress: "")
    device: str = "cpu"
    caches: CacheFolder = field(default_factory=lambda: CacheFolder(default_cache()))
    """Where the vectors of a frozen pretrained model are kept."""
    bundle_pretrained: bool = False
    teachers: Sequence[Parser] = ()
    """Models whose probabilities the network learns too."""
    init: InitialModel | None = None
    """The model whose weights the network starts with."""
    segmenter: SegmenterNetwork | None = None
    """What reads raw text, trained already; it becomes a part of the model and stays as it is."""
    group: Group = field(default_factory=Group)
    """The processes that train together."""

    def __post_init__(self) -> None:
        training, place = self.config.training, resolve_device(self.device)
        self.dtype = resolve_precision(training.precision, place)
        pretrained = self._pretrained_model()
        torch.manual_seed(training.seed)
        self.vocabularies = self._vocabularies()
        if missing := [name for name in self.config.predicted_columns if name not in self.vocabularies.columns.classes]:
            names = ", ".join(name.upper() for name in missing)
            self.observer.notice(f"the training data has no {names}, so the model will not predict {_it(missing)}")
        network = new_network(self.config, self.vocabularies, pretrained.identity if pretrained is not None else None)
        network.embeddings.set_singletons(self.vocabularies.words.singletons)
        if self.vectors is not None:
            self._start_from_vectors(network, self.vectors)
        if self.init is not None:
            self.init.copy_weights(network)
        network.segmenter = self.segmenter
        source: PretrainedFeatures | None = None
        if pretrained is not None:
            pretrained = pretrained.to(place)
            if network.embeddings.pretrained is not None and self.config.embeddings.pretrained.fine_tune:
                network.embeddings.pretrained.model = pretrained
                source = TrainedFeatures(pretrained)
            else:
                source = FrozenFeatures(pretrained, self.caches)
        self.network, self.pretrained = network.to(place), source
        self.parser = Parser(
            self.config, self.vocabularies, TorchEngine(self.config, self.vocabularies, self.network, source)
        )
        self.progress = RunState()
        self.unfinished: dict[str, Tensor] = {}  # of the epoch in which the checkpoint was written, if it was in one
        self.data = data_fingerprint(self.train, self.dev, self.vectors, self.config.predicted_columns)
        if pretrained is not None:
            self.data["encoder"] = pretrained.identity.sha256  # the name that it has in checkpoints
        if self.init is not None:
            self.data["init"] = self.init.short_name
        if self.teachers:
            self.data["teachers"] = teacher_names(self.teachers)
        self.distillation: Distillation | None = None  # until the first epoch begins
        self.optimiser = Optimiser(self.network, training)
        self.average = MovingAverage(self.network, training.average) if training.average else None

    def _pretrained_model(self) -> PretrainedModel | None:
        if self.init is not None:
            return self.init.pretrained_model(self.config)
        pretrained = self.config.embeddings.pretrained
        return load_pretrained(pretrained) if pretrained.model else None

    def _vocabularies(self) -> Vocabularies:
        """The symbols of the training data, after those of the model from which the run starts."""
        embeddings = self.config.embeddings
        built = Vocabularies.build(
            self.train,
            min_count=embeddings.min_count,
            vector_words=self.vectors.words if self.vectors else (),
            tag=embeddings.tag,
            char_parts=embeddings.char_parts,
            columns=self.config.predicted_columns,
        )
        if self.init is None:
            return built
        united = extend_vocabularies(self.init.vocabularies, built, self.train)
        return replace(united, columns=united.columns.only(self.config.predicted_columns))

    @cached_property
    def numbered(self) -> list[NumberedSentence]:
        """The training sentences as numbers, with their gold steps."""
        numbers_of = self.parser.featurizer.numbers_of
        return [numbers_of(sentence, gold=True) for sentence in self._counted(self.train, "gold steps")]

    def _counted(self, sentences: Sequence[Sentence], stage: str) -> Iterator[Sentence]:
        """Pass sentences on, and tell of a stage how many went by."""
        for number, sentence in enumerate(sentences, 1):
            yield sentence
            if number % _REPORTED == 0 or number == len(sentences):
                self.observer.stage_progressed(stage, number, len(sentences))

    @cached_property
    def exploration(self) -> Exploration | None:
        """What the decoder sees of its own attachments, if the settings want it and it sees any."""
        probability, systems = self.config.training.exploration, self.parser.featurizer.systems
        sees_any = any(system.slots and not system.order.is_top_down for system in systems)
        return Exploration(self.numbered, systems, probability) if probability and sees_any else None

    @cached_property
    def techniques(self) -> dict[str, Technique]:
        """What keeps a state beside the weights, by the names of their groups in a checkpoint."""
        found = {"optimiser": self.optimiser, "average": self.average, "exploration": self.exploration}
        return {name: technique for name, technique in found.items() if technique is not None}

    def _start_from_vectors(self, network: Any, vectors: Vectors) -> None:
        if vectors.size != self.config.embeddings.word_size:
            raise UsageError(
                f"vectors have {vectors.size} dimensions, but embeddings.word_size is "
                f"{self.config.embeddings.word_size}"
            )
        rows = self.vocabularies.words.vector_rows(vectors.words)
        known = (rows >= 0).nonzero()[0]  # words of an initial model get their own weights back after this
        network.embeddings.load_vectors(known, vectors.matrix[rows[known]])

    def resume(self) -> None:
        """Go on where the checkpoint in the output folder stands."""
        tensors, self.progress = read_checkpoint(self.output, self.config, self.data)
        groups: defaultdict[str, dict[str, Tensor]] = defaultdict(dict)
        for name, tensor in tensors.items():
            group, _, own = name.partition("/")
            groups[group][own] = tensor.to(self.parser.featurizer.device)
        expected = {name: tensor.shape for name, tensor in self.network.state_dict().items()}
        if expected != {name: tensor.shape for name, tensor in groups["weights"].items()}:
            raise TrainingError(f"{self.output / CHECKPOINT}: was made by another version of pointree")
        self.network.load_state_dict(groups["weights"])
        for name, technique in self.techniques.items():
            technique.load_state(groups[name])
        self.unfinished = groups["epoch"]

    def run(self) -> RunState:
        """Train to the last epoch; the output folder then holds the model that was best on dev."""
        self._prepare_output()
        if isinstance(self.pretrained, FrozenFeatures) and self.progress.epoch < self.config.training.epochs:
            forms = [sentence.forms for sentence in (*self.train, *self.dev)]
            with self.group.first_alone():
                self.pretrained.prepare(forms, self.observer.features_computed)
        if self.teachers and self.progress.epoch < self.config.training.epochs:
            self._ask_teachers()
        while self.progress.epoch < self.config.training.epochs:
            self.progress.order_las.clear()
            self._run_epoch()
        if len(self.network.systems) > 1 and self.progress.best_epoch and not self.progress.order_las:
            self._measure_orders()
        self.distillation = None  # a file that is in use cannot be removed everywhere
        if self.teachers and self.group.is_first:
            remove_teacher_file(self.output / TEACHER_PROBABILITIES)
        return self.progress

    def _ask_teachers(self) -> None:
        """Learn what the teachers think of the training sentences, from them or from what the run has kept."""
        with self.group.first_alone():
            self.distillation = Distillation(
                self.teachers,
                self.train,
                self.vocabularies.deprels.symbols,
                self.config.training.teacher_weight,
                folder=self.output / TEACHER_PROBABILITIES,
                about={"teachers": teacher_checksum(self.teachers), "train": self.data["train"]},
                on_progress=partial(self.observer.stage_progressed, "teachers"),
            )

    def _prepare_output(self) -> None:
        if not self.group.is_first:
            return
        with writing(self.output):
            self.output.mkdir(parents=True, exist_ok=True)
            remove_leftovers(self.output)
        if self.progress.epoch == self.progress.batches == 0:
            # The checkpoint comes first: with it, a run can be resumed from its first moment.
            self._write_checkpoint()
            rules = None if self.segmenter is None else self.segmenter.rules
            weights = as_arrays(self.network.state_dict())
            save_folder(self.output, self.config, self.vocabularies, weights, "", segmenter=rules)
            if self.pretrained is not None:
                model = self.pretrained.model
                is_there = Path(model.source) == self.output / PRETRAINED  # as for a run that is resumed at its start
                save_pretrained(self.output, self.config, model, bundle=self.bundle_pretrained and not is_there)
            add_graphs(self.output)
        else:
            replace_config(self.output, self.config)  # a run that is trained on has more epochs now
            if self.progress.best_epoch:
                write_card(self.output, self.card(self.progress))
        self._write_metrics()

    def _run_epoch(self) -> None:
        training, progress = self.config.training, self.progress
        pretrained = self.config.embeddings.pretrained
        of_pretrained = replace(training, learning_rate=pretrained.learning_rate, warmup=pretrained.warmup)
        epoch, started = progress.epoch + 1, time.perf_counter() - progress.epoch_seconds
        lengths = [len(sentence) for sentence in self.numbered]
        batches = epoch_batches(lengths, training, epoch)
        total_steps = training.epochs * len(batches)  # as if all epochs had as many as this one
        # All randomness of an epoch follows from seed and epoch, so that a resumed run repeats it exactly.
        torch.manual_seed(training.seed * 1_000_003 + epoch + self.group.rank * 1_000_000_007)
        self.observer.epoch_started(epoch, training.epochs, sum(lengths))
        self.network.train()
        self.network.set_dropout(
            dropout_share(training.dropout_rise, epoch), dropout_share(training.embedding_dropout_rise, epoch)
        )
        learned = UnfinishedEpoch(self.group, self.parser.featurizer.device)
        if progress.batches:
            learned.load_state(self.unfinished)
            words = sum(lengths[number] for numbers in batches[: progress.batches] for number in numbers)
            self.observer.epoch_resumed(words, progress.epoch_seconds)
        saved = time.perf_counter()
        for place, numbers in enumerate(batches[progress.batches :], progress.batches + 1):
            step = (epoch - 1) * len(batches) + place - 1
            rate = learning_rate(training, step, total_steps, progress.plateau)
            pretrained_rate = learning_rate(of_pretrained, step, total_steps, progress.plateau)
            words, own = (sum(lengths[number] for number in part) for part in (numbers, self.group.share(numbers)))
            losses = self._learn(self.group.share(numbers), own / words, rate, pretrained_rate)
            learned.losses += losses
            self.observer.batch_done(words, float(losses.sum()) / max(own, 1))
            if place < len(batches) and self.group.agree(time.perf_counter() - saved >= CHECKPOINT_SECONDS):
                progress.batches, progress.epoch_seconds = place, time.perf_counter() - started
                self._write_checkpoint(learned)
                saved = time.perf_counter()
        if self.exploration is not None:
            self.exploration.exchange(self.group)
        words_per_s = sum(lengths) / (time.perf_counter() - started)
        arcs, labels = (self.group.sum(learned.losses) / sum(lengths)).tolist()
        self._finish_epoch(epoch, {"arc_loss": arcs, "label_loss": labels}, rate, words_per_s, started)

    def _learn(self, numbers: Sequence[int], share: float, rate: float, pretrained_rate: float) -> Tensor:
        """Make one optimiser step, for which these sentences have a share of the words of all processes.

        Returns the losses of arcs and labels, summed over the words of these sentences.
        """
        losses = self._add_gradients(numbers, share) if numbers else torch.zeros(2, dtype=torch.float64)
        self.group.average((*self.optimiser.dense, *self.optimiser.pretrained), self.optimiser.sparse)
        self.optimiser.step(rate, pretrained_rate)
        self.progress.step += 1
        if self.average is not None:
            self.average.follow(self.progress.step)
        return losses

    def _add_gradients(self, numbers: Sequence[int], share: float) -> Tensor:
        batch = self.parser.featurizer.batch([self._sentence(number) for number in numbers])
        soft = None if self.distillation is None else [self.distillation.targets(numbers, gold) for gold in batch.gold]
        loss = self.network.loss(batch, self.dtype, soft)
        (loss.objective() * share).backward()
        if self.exploration is not None:
            self.exploration.remember(numbers, batch.gold[0].steps, loss.predicted)
        return torch.stack((loss.arcs, loss.labels)).detach().mean(dim=1).sum(dim=1).double().cpu()

    def _sentence(self, number: int) -> NumberedSentence:
        return self.numbered[number] if self.exploration is None else self.exploration.sentence(number)

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
        score = scores[self.config.selection.metric]
        improved = score > progress.best_score
        progress.epoch, progress.batches, progress.epoch_seconds = epoch, 0, 0.0
        progress.seconds += time.perf_counter() - started
        if improved:
            progress.best_score, progress.best_las, progress.best_epoch = score, scores["las"], epoch
        metrics = {
            "epoch": epoch,
            **{name: round(value, 5) for name, value in losses.items()},
            "learning_rate": rate,
            **{f"dev_{name}": round(value, 3) for name, value in scores.items()},
            "words_per_s": round(words_per_s, 1),
            "seconds": round(progress.seconds, 1),
        }
        progress.metrics.append(metrics)
        if improved and self.group.is_first:
            write_weights(self.output / WEIGHTS, as_arrays(evaluated))
            write_card(self.output, self.card(progress))
        if progress.plateau.update(improved, self.config.training):
            self._restart_from_best()
        self._write_checkpoint()
        self._write_metrics()
        self.observer.epoch_ended(metrics, improved)

    def _evaluate(self, weights: dict[str, Tensor]) -> dict[str, float]:
        self.network.eval()
        report = partial(self.observer.stage_progressed, "dev")
        if self.average is None:
            return attachment_scores(self.parser, self.dev, self.config.selection, self.group, report)
        current = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(weights)
        scores = attachment_scores(self.parser, self.dev, self.config.selection, self.group, report)
        self.network.load_state_dict(current)
        return scores

    def _measure_orders(self) -> None:
        """Note in the model that was kept how well each of its orders does on its own."""
        self.group.wait()  # until it is written
        current = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(load_folder(self.output)[2].state_dict())
        self.network.eval()
        for order in self.network.systems:
            scores = attachment_scores(self.parser, self.dev, self.config.selection, self.group, order=order)
            self.progress.order_las[order] = round(scores["las"], 3)
        self.network.order_las.copy_(torch.tensor(list(self.progress.order_las.values())))
        if self.group.is_first:
            write_weights(self.output / WEIGHTS, as_arrays(self.network.state_dict()))
            write_card(self.output, self.card(self.progress))
        self.network.load_state_dict(current)
        self._write_checkpoint()

    def calibrate(self) -> None:
        """Fit the probabilities that the best model reports on dev; call it after the last epoch."""
        self._load_best()
        self.network.eval()
        report = partial(self.observer.stage_progressed, "calibration")
        calibrate_folder(self.output, self.parser, self.dev, report)

    def _load_best(self) -> None:
        self.network.load_state_dict(load_folder(self.output)[2].state_dict())

    def _restart_from_best(self) -> None:
        """Take the best weights again, with a fresh optimiser at the lower learning rate."""
        self.group.wait()  # until they are written
        self._load_best()
        for technique in self.techniques.values():
            technique.restart()

    def _write_checkpoint(self, unfinished: UnfinishedEpoch | None = None) -> None:
        """Write where the run stands; within an epoch, all processes must call it."""
        of_epoch: dict[str, Tensor] = {}
        if unfinished is not None:
            of_epoch = unfinished.state()
            if self.exploration is not None:
                self.exploration.exchange(self.group)  # no sentence comes twice in an epoch, so none sees it too early
        if not self.group.is_first:
            return
        tensors = {f"weights/{name}": tensor for name, tensor in self.network.state_dict().items()}
        for group, technique in self.techniques.items():
            tensors |= {f"{group}/{name}": tensor for name, tensor in technique.state().items()}
        tensors |= {f"epoch/{name}": tensor for name, tensor in of_epoch.items()}
        write_checkpoint(self.output, tensors, self.progress, self.config, self.data)

    def _write_metrics(self) -> None:
        if not self.group.is_first:
            return
        with atomic_write(self.output / METRICS) as stream:
            stream.writelines(json.dumps(line) + "\n" for line in self.progress.metrics)


def attachment_scores(
    parser: Parser,
    gold: Sequence[Sentence],
    selection: SelectionConfig | None = None,
    group: Group | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    order: str | None = None,
) -> dict[str, float]:
    """UAS, LAS with universal labels as the official evaluator has it, and LAS with whole labels, of gold sentences.

    ``selection`` has the search (greedy by default) and a metric, which is among the scores; ``order`` is for models
    that have several. Columns that the model predicts have their accuracy as well. Each process of a ``group`` parses
    its share.
    """
    chosen, group = selection or SelectionConfig(), group or Group()
    options = ParseOptions(beam=chosen.beam, projective=chosen.projective, single_root=chosen.single_root, order=order)
    deprels, columns = parser.vocabularies.deprels.symbols, parser.vocabularies.columns
    names = ("words", "uas", "las", "las_subtypes", *columns.classes)
    counts: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for sentence, trees in _parsed(parser, group.share(gold), options, on_progress):
        tree = trees[0]
        for column, values in columns.decoded(tree.columns.numbers, sentence.forms).items():
            counts[column] += sum(
                getattr(word, column) in ("_" if column == "lemma" else None, value)
                for word, value in zip(sentence.words, values, strict=True)
            )
        for word, head, label in zip(sentence.words, tree.heads, tree.labels, strict=True):
            right = Counter(_right_scores(word, head, deprels[label]))
            counts.update(right)
            if not is_punctuation(word):
                without.update(right)
    totals = group.sum(torch.tensor([[each[name] for name in names] for each in (counts, without)]))
    of_all, of_words = (dict(zip(names, row, strict=True)) for row in totals.tolist())
    scores = {name: 100.0 * of_all[name] / of_all["words"] for name in names[1:]}
    if chosen.metric.startswith("no_punct."):
        scores[chosen.metric] = 100.0 * of_words[chosen.metric.removeprefix("no_punct.")] / max(1, of_words["words"])
    return scores


def _parsed(
    parser: Parser, gold: Sequence[Sentence], options: ParseOptions, on_progress: Callable[[int, int], None] | None
) -> Iterator[tuple[Sentence, list[ParseTree]]]:
    """Gold sentences and the trees that the parser finds for their words, a part at a time."""
    for start in range(0, len(gold), _REPORTED):
        part = gold[start : start + _REPORTED]
        yield from zip(part, parser.trees(part, options), strict=True)
        if on_progress is not None:
            on_progress(start + len(part), len(gold))


def _right_scores(gold: Token, head: int, deprel: str) -> Iterator[str]:
    """The names of the scores for which a word is right."""
    yield "words"
    if gold.head == head:
        yield "uas"
        if universal_deprel(gold.deprel) == universal_deprel(deprel):
            yield "las"
        if gold.deprel == deprel:
            yield "las_subtypes"


def _it(columns: Sequence[str]) -> str:
    return "it" if len(columns) == 1 else "them"
