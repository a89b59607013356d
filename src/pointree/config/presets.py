"""Named starting points for a training run."""

from __future__ import annotations

from typing import Any

__all__ = ["PRESETS"]

_SHORT_SCHEDULE: dict[str, Any] = {
    "schedule": "linear",
    "warmup": 100,
    "learning_rate": 4e-3,
    "clip": 0.5,
    "average": 0.996,
    "exploration": 1.0,
}
"""A schedule for few epochs; docs/notes/ablations.md has the measurements behind it."""

_HEADS: dict[str, dict[str, Any]] = {
    "embeddings": {"tag": "none"},
    "heads": {"upos": True, "xpos": True, "feats": True, "lemma": True},
}
"""Tags are predicted, not read, so that the model needs nothing but words."""

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    # Exactly as in the paper; the defaults have batches that train better and faster.
    "paper": {"training": {"batching": "sentences"}, "selection": {"metric": "las_subtypes"}},
    "cpu": {**_HEADS, "training": {**_SHORT_SCHEDULE, "epochs": 36}},
    "quick": {
        **_HEADS,
        "encoder": {"kind": "bilstm", "size": 256},
        "decoder": {"size": 256},
        "scorers": {"arc_size": 256, "label_size": 64},
        "training": {**_SHORT_SCHEDULE, "epochs": 20},
    },
}
"""Named starting points: the fields in which each differs from the defaults."""
