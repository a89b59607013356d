"""The stage of training that learns to cut raw text: windows of characters, a few epochs, an average of the weights."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pointree.config import SegmenterConfig
from pointree.errors import TrainingError
from pointree.files import atomic_write
from pointree.models.layout import SEGMENTER_CHECKPOINT
from pointree.nn.segmenter import SegmenterNetwork
from pointree.text.alphabet import PAD, UNKNOWN, Alphabet, shapes_of
from pointree.text.char_segmenter import CharSegmenter, SegmenterRules, paragraph_end
from pointree.text.cleaning import clean
from pointree.text.expansion import Expansion
from pointree.training.average import MovingAverage
from pointree.training.observer import TrainingObserver
from pointree.training.segmenter_data import Paragraph, label, read_paragraphs, vary
from pointree.training.text_model import TextProgress
from pointree.treebank.sentence import Sentence

__all__ = ["SegmenterStage", "segmentation_scores"]

_BATCH, _CORE = 16, 400
_WARMUP = 200
_LEAST_CHARACTERS, _MOST_PASSES = 1_000_000, 8
"""A small treebank is read several times in an epoch, until it has given so many characters."""
_CLIP = 1.0
_AVERAGE = 0.998
_CHAR_DROPOUT = 0.02
"""Share of characters that are trained as unknown."""


@dataclass(slots=True)
class _Progress:
    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    seconds: float = 0.0


class SegmenterStage:
    """Trains a segmenter on the text of a treebank; dev chooses the epoch.

    Everything follows from the seed and the epoch, and a checkpoint is written after each, so a run that was stopped
    ends with the weights that it would have ended with.
    """

    def __init__(
        self,
        config: SegmenterConfig,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        folder: Path,
        *,
        seed: int = 1,
        observer: TrainingObserver | None = None,
    ) -> None:
        self.config, self.seed = config, seed
        self.folder = folder
        self.observer = observer or TrainingObserver()
        self.train, self.left_out = read_paragraphs(train)
        self.dev, _ = read_paragraphs(dev)
        if not self.train:
            raise TrainingError("the segmenter needs sentences with a `# text` comment, found none")
        texts = [label(paragraph).text for paragraph in self.train]
        tokens = [token for paragraph in self.train for sentence in paragraph for token in sentence]
        self.rules = SegmenterRules(
            Alphabet.build(texts, min_count=config.min_count),
            Expansion.learn((token.form, token.words) for token in tokens if token.words),
            spaces=any(" " in token.form for token in tokens),
        )
        torch.manual_seed(seed)
        self.network = SegmenterNetwork(config, self.rules)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.01
        )
        self.average = MovingAverage(self.network, _AVERAGE)
        self.best: dict[str, Tensor] = {}
        self.step = 0
        self.progress = _Progress()
        self.n_chars = sum(map(len, texts))
        self.data = _fingerprint(texts)

    def run(self) -> SegmenterNetwork:
        """Train to the last epoch, from the checkpoint if there is one, and return the network of the best epoch."""
        self._resume()
        while self.progress.epoch < self.config.epochs:
            self._run_epoch(self.progress.epoch + 1)
        if self.best:
            self.network.load_state_dict(self.best)
        return self.network.eval().requires_grad_(False)

    def _run_epoch(self, epoch: int) -> None:
        started = time.perf_counter()
        rng = random.Random(self.seed * 1_000_003 + epoch)
        torch.manual_seed(self.seed * 1_000_003 + epoch)
        chars, shapes, labels = self._tape(rng)
        margin = self.network.margin
        # A tape that is shorter than a window was filled up; others are cut from a random place on.
        starts = np.arange(
            rng.randrange(min(_CORE, len(chars) - _CORE - 2 * margin + 1)), len(chars) - _CORE - 2 * margin + 1, _CORE
        )
        starts = np.random.default_rng(rng.randrange(1 << 32)).permutation(starts)
        batches = [starts[first : first + _BATCH] for first in range(0, len(starts), _BATCH)]
        total = self.config.epochs * len(batches)  # as if all epochs had as many as this one
        self.network.train()
        losses = 0.0
        for number, batch in enumerate(batches, 1):
            done = (epoch - 1) * len(batches) + number - 1
            warmth = min((done + 1) / min(_WARMUP, total / 10), 1.0)
            rate = self.config.learning_rate * warmth * max(1 - done / total, 0.01)
            losses += self._learn(chars, shapes, labels, batch, rate)
            if number % 10 == 0 or number == len(batches):
                self._tell(epoch, number / len(batches), f"loss {losses / number:.4f}", started)
        self.average.catch_up(self.step)
        scores = self._evaluate()
        self.progress.epoch = epoch
        self.progress.seconds += time.perf_counter() - started
        if sum(scores.values()) > self.progress.best or not self.dev:
            self.progress.best, self.progress.best_epoch = sum(scores.values()), epoch
            self.best = {name: tensor.clone() for name, tensor in self.average.weights.items()}
        self._write_checkpoint()
        report = "  ".join(f"{name} {score:.2f}" for name, score in scores.items())
        self._tell(epoch, 1.0, f"loss {losses / len(batches):.4f}  dev {report}", started)

    def _learn(self, chars: Tensor, shapes: Tensor, labels: Tensor, batch: Any, rate: float) -> float:
        margin = self.network.margin
        places = torch.from_numpy(batch)[:, None] + torch.arange(_CORE + 2 * margin)
        inputs = chars[places]
        inputs = torch.where((torch.rand(inputs.shape) < _CHAR_DROPOUT) & (inputs != PAD), UNKNOWN, inputs)
        logits = self.network(inputs, shapes[places])[:, margin:-margin]
        gold = labels[places[:, margin:-margin]]
        # Tokens are decided at every visible character; the rest matters where a token ends.
        weights = torch.stack((gold[..., 3], gold[..., 0], gold[..., 0]), dim=-1)
        errors = binary_cross_entropy_with_logits(logits, gold[..., :3], reduction="none") * weights
        loss = (errors.sum(dim=(0, 1)) / weights.sum(dim=(0, 1)).clamp(min=1)).sum()
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self.optimiser.step()
        self.step += 1
        self.average.follow(self.step)
        return float(loss.detach())

    def _tape(self, rng: random.Random) -> tuple[Tensor, Tensor, Tensor]:
        """The varied text of all paragraphs, with padding between them, as the network sees it, and its labels."""
        margin = self.network.margin
        padding, ending = np.full(margin, PAD, dtype=np.int64), paragraph_end(self.rules.alphabet, margin)
        unlabelled = np.zeros((len(ending[0]), 4), dtype=np.float32)
        chars, shapes, labels = [padding], [padding], [unlabelled[:margin]]
        passes = min(_MOST_PASSES, -(-_LEAST_CHARACTERS // self.n_chars))
        for paragraph in (each for _ in range(passes) for each in vary(self.train, rng)):
            labelled = label(paragraph)
            visible = [[not char.isspace()] for char in labelled.text]
            chars += (self.rules.alphabet(labelled.text), ending[0])
            shapes += (shapes_of(labelled.text), ending[1])
            labels += (np.hstack((labelled.labels, visible)).astype(np.float32), unlabelled)
        missing = max(0, _CORE + 2 * margin - sum(map(len, chars)))
        chars.append(np.full(missing, PAD, dtype=np.int64))
        shapes.append(chars[-1])
        labels.append(np.zeros((missing, 4), dtype=np.float32))
        tape = np.concatenate(chars), np.concatenate(shapes), np.concatenate(labels)
        return torch.from_numpy(tape[0]), torch.from_numpy(tape[1]), torch.from_numpy(tape[2])

    def _evaluate(self) -> dict[str, float]:
        if not self.dev:
            return {}
        current = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(self.average.weights)
        self.network.eval()
        scores = segmentation_scores(self.network.segmenter(), self.dev)
        self.network.load_state_dict(current)
        return scores

    def _tell(self, epoch: int, share: float, report: str, started: float) -> None:
        steps = 100
        step = int((epoch - 1 + share) * steps)
        stage = f"segmenter, epoch {epoch}/{self.config.epochs}"
        seconds = self.progress.seconds + time.perf_counter() - started
        self.observer.text_model_progressed(TextProgress(stage, step, steps * self.config.epochs, seconds, report))

    def _write_checkpoint(self) -> None:
        groups = {"weights": self.network.state_dict(), "best": self.best, "average": self.average.state()}
        tensors = {f"{group}/{name}": tensor for group, found in groups.items() for name, tensor in found.items()}
        names = [name for name, _ in self.network.named_parameters()]
        for name, parameter in zip(names, self.network.parameters(), strict=True):
            for key, value in self.optimiser.state[parameter].items():
                tensors[f"optimiser/{name}/{key}"] = value
        parts = {"progress": asdict(self.progress), "config": asdict(self.config), "data": self.data, "step": self.step}
        metadata = {name: json.dumps(part) for name, part in parts.items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.folder / SEGMENTER_CHECKPOINT, "b") as stream:
            stream.write(save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata))

    def _resume(self) -> None:
        path = self.folder / SEGMENTER_CHECKPOINT
        if not path.is_file():
            return
        try:
            with safe_open(path, framework="pt") as stream:
                metadata = {name: json.loads(value) for name, value in (stream.metadata() or {}).items()}
                tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
            progress = _Progress(**metadata["progress"])
            if (metadata["config"], metadata["data"]) != (asdict(self.config), self.data):
                raise TrainingError(f"{path}: was made with other settings or other data; choose another folder")
            self.step = metadata["step"]
        except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
            raise TrainingError(f"{path}: the checkpoint is damaged ({error})") from None
        self.progress = progress
        self.network.load_state_dict(_group(tensors, "weights/"))
        self.best = _group(tensors, "best/")
        self.average.load_state(_group(tensors, "average/"))
        for name, parameter in self.network.named_parameters():
            self.optimiser.state[parameter] = _group(tensors, f"optimiser/{name}/")


def segmentation_scores(segmenter: CharSegmenter, paragraphs: Sequence[Paragraph]) -> dict[str, float]:
    """The F1 of tokens and sentences on raw text, in percent."""
    gold: dict[str, set[tuple[int, int]]] = {"tokens": set(), "sentences": set()}
    text = ""
    parts: list[str] = []
    n = 0
    for paragraph in paragraphs:
        labelled = label(paragraph)
        start = 0
        visible = np.flatnonzero([not char.isspace() for char in labelled.text])
        for name, column in (("tokens", 0), ("sentences", 1)):
            start = -1
            for end in np.flatnonzero(labelled.labels[:, column]).tolist():
                first = int(visible[np.searchsorted(visible, start, side="right")])
                gold[name].add((n + first, n + end + 1))
                start = end
        parts += (labelled.text, "\n\n")
        n += len(labelled.text) + 2
    text = "".join(parts)
    found: dict[str, set[tuple[int, int]]] = {"tokens": set(), "sentences": set()}
    for sentence, _ in segmenter.sentences(clean([text])):
        found["sentences"].add((sentence.start or 0, sentence.end or 0))
        found["tokens"] |= {(token.start or 0, token.end or 0) for token in sentence.tokens}
    return {name: 200 * len(gold[name] & found[name]) / max(len(gold[name]) + len(found[name]), 1) for name in gold}


def _group(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _fingerprint(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
