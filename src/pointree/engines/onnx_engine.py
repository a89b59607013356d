"""The engine without torch: graphs of the model folder, run by onnxruntime on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointree.batches.features import BatchFeatures, Featurizer, NumberedSentence
from pointree.batches.layout import Layout
from pointree.config import READ_TAGS
from pointree.engines.numpy_segmenter import numpy_segmenter
from pointree.engines.onnx_session import Session, open_session
from pointree.engines.onnx_weights import RowTable, graph_weight
from pointree.errors import ModelError
from pointree.files import writing
from pointree.graphs.network import graph_name
from pointree.models.folder import ModelFiles, read_folder, write_card, write_manifest
from pointree.models.graphs import adding, bert_of, named_precision, read_index, reason_without
from pointree.models.layout import GRAPHS
from pointree.models.quantise import SCALE
from pointree.models.weights import release_pages
from pointree.search.arrays import NumpyArrays
from pointree.search.branch import Encoded, Step
from pointree.search.resumable import Resumable
from pointree.transitions import TransitionSystem
from pointree.vocabulary import Vocabulary

__all__ = ["OnnxBranch", "OnnxEngine"]

FloatArray = NDArray[np.float32]

_ARRAYS = NumpyArrays()


class OnnxEngine:
    """Graphs of ONNX, as `Engine` describes them. Several threads may use one at the same time."""

    name = "onnx"
    batch_sentences = 32  # the LSTM of onnxruntime also computes padding

    def __init__(self, model: ModelFiles, precision: str | None = None) -> None:
        if (reason := reason_without(model.folder, model.config)) is not None:
            raise ModelError(f"{model.folder}: the engine onnx cannot run this model: {reason}; use the engine torch")
        config, index = model.config, read_index(model.folder)
        self.config, self.vocabularies, self.folder = config, model.vocabularies, model.folder
        self.precision = precision or named_precision(model.folder)
        systems = [TransitionSystem.of(order, config.decoder.fusion) for order in config.decoder.orders]
        self.systems = {system.order.name: system for system in systems}
        self.featurizer = Featurizer(model.vocabularies, config.embeddings.tag, systems)

        def session(part: str) -> Session:
            name = graph_name(part, self.precision)
            if name not in index and part in index and part.startswith("step-"):
                name = part  # models of 0.2 take their steps in 32 bits
            if name not in index:
                missing = "it has no graphs of int8" if name != part else "its graphs are not complete"
                raise ModelError(f"{model.folder}: {missing}; {adding(model.folder)}")
            return open_session(model.folder / GRAPHS / f"{name}.onnx", index[name], model.weights)

        columns = model.vocabularies.columns.classes
        encoded = ["keys", "key_biases", "label_heads", *(f"columns.{name}" for name in columns)]
        encoded += [f"{name} {order}" for order in self.systems for name in ("initial", "input_gates")]
        self._encoder, self.labels = session("encoder").require(encoded), session("labels").require(["logits"])
        self.steps = {
            order: session(f"step-{order}").require(step_outputs(system)) for order, system in self.systems.items()
        }
        self._outputs = self._encoder.outputs
        self._inputs = set(self._encoder.inputs)

        def table(name: str, vocabulary: Vocabulary) -> RowTable:
            return RowTable(checked_rows(model, f"embeddings.{name}", len(vocabulary)), f"embeddings.{name}")

        self._words = table("words", model.vocabularies.words) if config.embeddings.word_size else None
        has_tags = config.embeddings.tag in READ_TAGS
        self._tags = table("tags", model.vocabularies.tags) if has_tags else None
        if config.embeddings.char_filters:
            checked_rows(model, "embeddings.chars.embedding", len(model.vocabularies.chars))
        checked_rows(model, "labels.bias", len(model.vocabularies.deprels))
        for name, classes in columns.items():
            checked_rows(model, f"heads.{name}.projection.bias", len(classes))
        self._bert = None
        if (bert := bert_of(model.folder, model.config)) is not None:
            from pointree.engines.onnx_pretrained import OnnxBert  # models without BERT do not wait for it

            self._bert = OnnxBert(session("bert"), config, *bert, model.weights)
        self._stored = model.weights
        rules, name = model.segmenter, str(model.folder)
        self.segmenter = None if rules is None else numpy_segmenter(rules, model.weights, name=name)
        release_pages(model.weights)  # the sessions have copies of most

    @classmethod
    def load(cls, folder: Path, precision: str | None = None) -> OnnxEngine:
        """Open the graphs of a model folder, in fp32, int8, or the one of these that the model names."""
        return cls(read_folder(folder), precision)

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxEngine.load, (self.folder, self.precision)  # sessions cannot be copied

    @property
    def best_order(self) -> str:
        """See `Engine`."""
        best = int(self._stored["order_las"].argmax()) if len(self.systems) > 1 else 0
        return list(self.systems)[best]

    def fusion_values(self, order: str) -> FloatArray | None:
        """The weights with which a fusion adds up its sources, for traces. *Shape:* ``(sources, size, size)``."""
        from pointree.graphs.decoder import decoder_name

        n_slots, size = len(self.systems[order].slots), self.config.decoder.size
        if not n_slots:
            return None
        joint = graph_weight(self._stored, f"{decoder_name(self.config, order)}.fusion.joint")
        return joint[:, :size].reshape(1 + n_slots, size, size)

    def save(self, folder: Path, card: str, *, bundle_pretrained: bool = False) -> None:
        """See `Engine`; the files are copied, for an engine that only parses has changed nothing."""
        from pointree.models.summary import model_files

        with writing(folder):
            for path in model_files(self.folder):
                target = folder / path.relative_to(self.folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        write_card(folder, card)
        write_manifest(folder)

    def encode_steps(
        self, sentences: Sequence[NumberedSentence], orders: Sequence[str] | None = None
    ) -> Resumable[Encoded]:
        """See `Engine`; pauses between the windows of a pretrained model and before the encoder."""
        features = self.featurizer.features(sentences)
        parts = []
        if self._words is not None:
            parts.append(self._words[features.words])
        if self._tags is not None:
            parts.append(self._tags[features.tags])
        if self._bert is not None:
            for vectors in self._bert.vectors(features.texts, features.positions):
                if vectors is None:
                    yield
                else:
                    parts.append(vectors)
        found = dict(zip(self._outputs, self._encoder.run(self._outputs, self._feed(features, parts)), strict=True))
        yield
        columns = {name: found[f"columns.{name}"] for name in self.vocabularies.columns.classes}
        branches = {order: OnnxBranch(self, order, found, features.positions) for order in orders or self.systems}
        return Encoded(features.positions, branches, columns)

    def _feed(self, features: BatchFeatures, parts: Sequence[FloatArray]) -> dict[str, np.ndarray]:
        """The inputs of the encoder's graph."""
        positions = features.positions
        steps = np.arange(positions.n_steps)[None, :] * positions.batch_size + np.arange(positions.batch_size)[:, None]
        feed: dict[str, np.ndarray] = {
            "table": np.ascontiguousarray(positions.table.T),
            "lengths": np.asarray(positions.lengths, dtype=np.int32),
            "places": positions.pack(steps),
            "chars": features.chars,
            "char_lengths": features.char_lengths,
            "forms": features.forms,
        }
        if parts:
            feed["rows"] = np.concatenate(parts, axis=1)
        return {name: array for name, array in feed.items() if name in self._inputs}


def step_outputs(system: TransitionSystem) -> list[str]:
    """What the graph of a step computes."""
    return ["states", "queries", "gates"][: 3 if system.slots else 2]


def checked_rows(model: ModelFiles, name: str, expected: int) -> dict[str, np.ndarray]:
    """The weights of a model, of which this one must have so many rows."""
    found, scale = model.weights.get(name), model.weights.get(name + SCALE)
    if found is None or not found.ndim or len(found) != expected or (scale is not None and len(scale) != expected):
        shape = "none" if found is None else f"the shape {found.shape}"
        raise ModelError(f"{model.folder}: the weights do not fit: {name}: expected {expected} rows, found {shape}")
    return model.weights


class OnnxBranch:
    """A decoder of ONNX, as `Branch` describes it."""

    arrays = _ARRAYS

    def __init__(self, engine: OnnxEngine, order: str, found: Mapping[str, FloatArray], positions: Layout) -> None:
        self.engine = engine
        self.order = engine.systems[order].order
        self.slots = engine.systems[order].slots
        self.positions = positions
        self.initial, self.input_gates, self.label_heads = (
            found[name] for name in (f"initial {order}", f"input_gates {order}", "label_heads")
        )
        self._session = engine.steps[order]
        self.keys, self.key_biases = (found[name][positions.table] for name in ("keys", "key_biases"))
        self._outputs = step_outputs(engine.systems[order])

    def new_memory(self, n_steps: int) -> FloatArray:
        batch_size, _two, size = self.initial.shape
        memory = np.zeros((1 + batch_size + n_steps, 2, size), dtype=np.float32)
        memory[1 : 1 + batch_size] = self.initial
        return memory

    def step(self, memory: FloatArray, state_ids: NDArray[np.int64], rows: NDArray[np.int64], start: int) -> Step:
        feed = {
            "memory": memory[:start],
            "state_ids": state_ids,
            "input_gates": self.input_gates,
            "rows": np.ascontiguousarray(rows),
        }
        states, queries, *gates = self._session.run(self._outputs, feed)
        memory[start : start + len(states)] = states
        return Step(queries, gates[0] if gates else None)

    def point(self, queries: FloatArray, count: int) -> FloatArray:
        columns = queries.reshape(count, -1, queries.shape[1]).swapaxes(1, 2)
        logits = self.keys[:count] @ columns + self.key_biases[:count, :, None]
        found: FloatArray = logits.swapaxes(1, 2).reshape(len(queries), -1)
        return found

    def label_logits(self, states: FloatArray, rows: NDArray[np.int64]) -> FloatArray:
        feed = {"states": states, "label_heads": self.label_heads, "head_rows": rows}
        logits: FloatArray = self.engine.labels.run(["logits"], feed)[0]
        return logits

    def source_values(self, states: FloatArray) -> FloatArray:
        values = self.engine.fusion_values(self.order.name)
        return states if values is None else np.einsum("ks,kst->kt", states, values)
