"""The engine that runs on torch: any model, on a CPU or a GPU, also while it is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from pointree.batches.features import NumberedSentence
from pointree.config import Config
from pointree.engines.precision import resolve_precision
from pointree.engines.torch_arrays import TorchArrays
from pointree.engines.torch_folder import as_arrays, load_features, load_folder, save_pretrained
from pointree.errors import UsageError
from pointree.models.folder import save_folder
from pointree.nn.batch import Batch
from pointree.nn.decoder import decoder_step, new_memory
from pointree.nn.features import TensorFeaturizer
from pointree.nn.model import Encoding, PointerNetwork
from pointree.nn.pretrained_features import PretrainedFeatures
from pointree.pretrained.windows import SubwordBatch
from pointree.running.batching import MAX_BATCH_SENTENCES
from pointree.running.threads import thread_count
from pointree.search.branch import Encoded, Step
from pointree.search.resumable import Resumable
from pointree.text.char_segmenter import SegmenterRules
from pointree.vocabulary import Vocabularies

__all__ = ["TorchBranch", "TorchEngine", "resolve_device"]

_PIECE_TOKENS = 512
"""Sub-words that go through a pretrained model before the next pause."""


class TorchEngine:
    """A network of torch, as `Engine` describes it."""

    name = "torch"
    batch_sentences = MAX_BATCH_SENTENCES

    def __init__(
        self,
        config: Config,
        vocabularies: Vocabularies,
        network: PointerNetwork,
        pretrained: PretrainedFeatures | None = None,
    ) -> None:
        self.config = config
        self.vocabularies = vocabularies
        self.network = network
        self.pretrained = pretrained
        self.segmenter = None if network.segmenter is None else network.segmenter.segmenter()
        self.device = network.device
        self.featurizer = TensorFeaturizer(
            vocabularies, config.embeddings.tag, network.systems.values(), self.device, pretrained
        )

    @classmethod
    def load(cls, folder: Path, *, precision: str = "fp32", device: str = "cpu") -> TorchEngine:
        """Load the network of a model folder."""
        place = resolve_device(device)
        if (threads := thread_count()) is not None:
            torch.set_num_threads(threads)
        dtype = resolve_precision(precision, place)  # first of all: see `pointree.engines.precision`
        config, vocabularies, network = load_folder(folder)
        pretrained = load_features(folder, config, network, place, dtype)
        network.to(device=place, dtype=dtype)
        if network.segmenter is not None:
            network.segmenter.float()  # so that text is cut alike in all precisions
        return cls(config, vocabularies, network, pretrained)

    @property
    def precision(self) -> str:
        """The arithmetic of the network: fp32 or bf16."""
        return "bf16" if self.network.dtype == torch.bfloat16 else "fp32"

    @property
    def best_order(self) -> str:
        """See `Engine`."""
        return self.network.best_order

    @property
    def segmenter_rules(self) -> SegmenterRules | None:
        """What the segmenter knows beside its weights, if there is one."""
        return None if self.network.segmenter is None else self.network.segmenter.rules

    def save(self, folder: Path, card: str, *, bundle_pretrained: bool = False) -> None:
        """See `Engine`; with ``bundle_pretrained``, the folder gets a copy of its pretrained model too."""
        rules, weights = self.segmenter_rules, as_arrays(self.network.state_dict())
        save_folder(folder, self.config, self.vocabularies, weights, card, segmenter=rules)
        if self.pretrained is not None:
            save_pretrained(folder, self.config, self.pretrained.model, bundle=bundle_pretrained)

    @torch.inference_mode()
    def encode_steps(
        self, sentences: Sequence[NumberedSentence], orders: Sequence[str] | None = None
    ) -> Resumable[Encoded]:
        """See `Engine`; pauses between layers and, without a GPU, between the windows of a pretrained model."""
        batch = self.featurizer.batch(sentences)
        subwords = batch.pretrained
        if isinstance(subwords, SubwordBatch) and self.pretrained is not None and self.device.type == "cpu":
            found = []
            for vectors in self.pretrained.model.pieces(subwords, _PIECE_TOKENS):
                found.append(vectors)
                yield
            batch = replace(batch, pretrained=self.pretrained.model.merge(subwords, found))
        return self._encoded((yield from self.network.encode_steps(batch, orders)))

    @torch.inference_mode()
    def encode(self, batch: Batch, orders: Sequence[str] | None = None) -> Encoded:
        """The same for a batch of tensors, without pauses."""
        return self._encoded(self.network.encode(batch, orders))

    def _encoded(self, encodings: Mapping[str, Encoding]) -> Encoded:
        first = next(iter(encodings.values()))
        branches = {order: TorchBranch(self.network, order, encoding) for order, encoding in encodings.items()}
        return Encoded(first.positions, branches, first.columns)


class TorchBranch:
    """A decoder of torch, as `Branch` describes it."""

    def __init__(self, network: PointerNetwork, order: str, encoding: Encoding) -> None:
        self.network = network
        self.encoding = encoding
        self.order = network.systems[order].order
        self.slots = network.systems[order].slots
        self.positions = encoding.positions
        self.arrays = TorchArrays(encoding.positions.device)
        self.weights = network.decoder_of[order].weights(encoding.initial.dtype)

    @torch.inference_mode()
    def new_memory(self, n_steps: int) -> Tensor:
        return new_memory(self.encoding.initial, n_steps)

    @torch.inference_mode()
    def step(self, memory: Tensor, state_ids: Tensor, rows: Tensor, start: int) -> Step:
        gates = self.encoding.input_gates.index_select(0, rows)
        trace = decoder_step(self.weights, memory, state_ids, gates, start)
        queries = self.network.arcs.dependent(memory[start : start + len(rows), 0])
        fused = None if trace.value_and_gate is None else trace.value_and_gate[1].unflatten(0, (-1, 2))
        return Step(queries, fused)

    @torch.inference_mode()
    def point(self, queries: Tensor, count: int) -> Tensor:
        columns = queries.view(count, -1, queries.shape[1]).transpose(1, 2)
        biases, keys = self.encoding.key_biases[:count].unsqueeze(2), self.encoding.keys[:count]
        return torch.baddbmm(biases, keys, columns).transpose(1, 2).reshape(len(queries), -1)

    @torch.inference_mode()
    def label_logits(self, states: Tensor, rows: Tensor) -> Tensor:
        labels = self.network.labels
        logits: Tensor = labels(labels.dependent(states), self.encoding.label_heads.index_select(0, rows))
        return logits

    @torch.inference_mode()
    def source_values(self, states: Tensor) -> Tensor:
        fusion = self.weights.fusion
        if fusion is None:
            return states
        # With either gate, the first columns of the joint weights are those of the value.
        n_sources, size = states.shape
        values = fusion.joint[:, :size].reshape(n_sources, size, size)
        return torch.bmm(states.unsqueeze(1), values).squeeze(1)


def resolve_device(name: str) -> torch.device:
    """The device of this name, if it is there."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"device {name} cannot be used: {str(error).splitlines()[0]}") from None
    return device
