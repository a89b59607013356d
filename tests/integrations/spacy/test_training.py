"""`spacy train` with pointree in the pipeline: another component learns from its trees, and both are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc, DocBin  # noqa: E402

CONFIG = """
[paths]
data = null

[nlp]
lang = "en"
pipeline = ["pointree", "tagger"]

[components]

[components.pointree]
factory = "pointree"

[components.tagger]
factory = "tagger"
overwrite = true

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[components.tagger.model.tok2vec.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 16
rows = [50]
attrs = ["DEP"]
include_static_vectors = false

[components.tagger.model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 16
depth = 1
window_size = 1
maxout_pieces = 2

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.data}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.data}

[training]
frozen_components = ["pointree"]
annotating_components = ["pointree"]
max_steps = 40
eval_frequency = 20

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.05
"""

DEPS = {"nsubj": "S", "ROOT": "R", "obj": "O", "punct": "P"}


@pytest.mark.slow
def test_a_project_trains_another_component_on_the_trees(
    nlp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacy.cli.init_config import fill_config
    from spacy.cli.train import train

    from pointree.integrations.spacy.stored_model import StoredModel

    # The tagger sees nothing but relations, so it can only learn these tags if pointree has set them.
    parsed = [nlp(text) for text in ("It rains.", "They play tennis.", "Dogs chase cats.")]
    docs = [Doc(nlp.vocab, words=[t.text for t in doc], tags=[DEPS[t.dep_] for t in doc]) for doc in parsed]
    DocBin(docs=docs).to_disk(tmp_path / "data.spacy")
    (tmp_path / "base.cfg").write_text(CONFIG, encoding="utf-8")
    fill_config(tmp_path / "config.cfg", tmp_path / "base.cfg")
    loaded = nlp.get_pipe("pointree").model.parser
    monkeypatch.setattr(StoredModel, "parser", property(lambda self: loaded))  # one load is enough
    train(tmp_path / "config.cfg", tmp_path / "out", overrides={"paths.data": str(tmp_path / "data.spacy")})

    weights = tmp_path / "out" / "model-best" / "pointree" / "model" / "weights.safetensors"
    component = nlp.get_pipe("pointree").model
    assert weights.read_bytes() == (component.folder / "weights.safetensors").read_bytes()
    trained = spacy.load(tmp_path / "out" / "model-best")
    assert trained.meta["performance"]["tag_acc"] == 1
    doc = trained("Birds eat seeds.")
    assert [(token.dep_, token.tag_) for token in doc] == [
        (dep, DEPS[dep]) for dep in ("nsubj", "ROOT", "obj", "punct")
    ]
