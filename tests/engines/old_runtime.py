"""Write a model with random weights and graphs in both precisions, for the step of `.ci/run` that tries old runtimes.

`python tests/engines/old_runtime.py FOLDER` writes it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from pointree.config import Config
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.models.graphs import write_graphs
from pointree.treebank import read_conllu
from pointree.vocabulary import Vocabularies

EWT = Path(__file__).resolve().parents[1] / "fixtures" / "ewt.conllu"

COLUMNS = ("upos", "xpos", "feats", "lemma")
SETTINGS = {
    "embeddings": {"tag": "none"},
    "heads": dict.fromkeys(COLUMNS, True),
    "encoder": {"kind": "bilstm", "size": 64, "layers": 2},
    "decoder": {"size": 64, "order": "combined"},
    "scorers": {"arc_size": 64, "label_size": 32},
}
"""Every kind of graph that a model without a pretrained one can have."""


def write_model(folder: Path) -> None:
    """Write the model; its weights are the same at every call."""
    torch.manual_seed(1)
    config = Config.from_dict(SETTINGS)
    vocabularies = Vocabularies.build(read_conllu(EWT), min_count=1, tag="none", columns=COLUMNS)
    network = new_network(config, vocabularies).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter *= 2  # fresh weights leave heads so close to one another that rounding would choose
    TorchEngine(config, vocabularies, network).save(folder, "")
    write_graphs(folder)


if __name__ == "__main__":
    write_model(Path(sys.argv[1]))
