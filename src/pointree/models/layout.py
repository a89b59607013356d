"""The files of a model folder, named once.

pointree.json         format version, version of pointree, checksums of the other files
config.toml           every choice that made the model
words.json …          vocabularies
calibration.json      optional: how probabilities are changed before they are reported
heads.json            optional: the columns that the model predicts, and the classes of each
language.json         optional: the letters of its language, by which a text is told to be in it
weights.safetensors   parameters, 32 bits or fewer, with their checksum
README.md             the model card
segmenter.json        optional: the characters that the segmenter knows, and its rules for multiword tokens
text.udpipe           optional: a tagger and, in models without segmenter, a tokeniser of UDPipe 1
encoder.json          with pretrained embeddings: the name, size and checksum of the pretrained model
graphs/               optional: the network for the engine onnx, without its weights
encoder/              optional: that model; of one that was fine-tuned, its configuration and tokeniser

While it is trained, the folder also has a checkpoint and metrics and, with teachers, a folder of their probabilities;
they are not part of the model.
"""

from __future__ import annotations

__all__ = [
    "CALIBRATION",
    "CARD",
    "CHECKPOINT",
    "CONFIG",
    "FORMAT",
    "GRAPHS",
    "HEADS",
    "LANGUAGE",
    "MANIFEST",
    "METRICS",
    "MODEL_FILES",
    "PRETRAINED",
    "PRETRAINED_IDENTITY",
    "SEGMENTER",
    "SEGMENTER_CHECKPOINT",
    "TEACHER_PROBABILITIES",
    "TEXT_MODEL",
    "VOCABULARIES",
    "WEIGHTS",
]

FORMAT = 1
"""The version of this layout, written into the manifest."""

MANIFEST = "pointree.json"
CONFIG = "config.toml"
WEIGHTS = "weights.safetensors"
CARD = "README.md"
TEXT_MODEL = "text.udpipe"
PRETRAINED_IDENTITY = "encoder.json"
PRETRAINED = "encoder"
GRAPHS = "graphs"
VOCABULARIES = {"words": "words.json", "chars": "chars.json", "tags": "tags.json", "deprels": "deprels.json"}
"""The file of each field of `Vocabularies` that every model has."""
HEADS = "heads.json"
LANGUAGE = "language.json"
CALIBRATION = "calibration.json"
SEGMENTER = "segmenter.json"

CHECKPOINT = "checkpoint.safetensors"
SEGMENTER_CHECKPOINT = "segmenter-checkpoint.safetensors"
TEACHER_PROBABILITIES = "teacher-probabilities"
METRICS = "metrics.jsonl"
"""A file with one JSON object an epoch: ``epoch`` from 1; ``arc_loss`` and ``label_loss`` of an average word;
``learning_rate`` of the last step; ``dev_uas``, ``dev_las`` (labels without their subtypes), ``dev_las_subtypes`` and,
of columns that the model predicts, ``dev_upos``, ``dev_xpos``, ``dev_feats`` and ``dev_lemma`` in percent;
``words_per_s`` of learning; ``seconds`` of all epochs so far, evaluation included."""

MODEL_FILES = ("*.json", CONFIG, WEIGHTS, TEXT_MODEL, CARD, "LICEN[CS]E*", f"{PRETRAINED}/*", f"{GRAPHS}/*")
"""Patterns of the files that belong to a model and are copied or packaged with it."""
