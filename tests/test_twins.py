"""Every module has tests of its own name, or a reason to have them elsewhere."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

import pointree

SRC = Path(pointree.__file__).parent
TESTS = Path(__file__).resolve().parent

ELSEWHERE: dict[str, tuple[str, str]] = {
    "__main__.py": ("cli/test_main.py", "one line, run as a process"),
    "version.py": ("cli/test_main.py", "one constant"),
    "batches/features.py": ("nn/test_features.py", "together with the tensors that are made of them"),
    "bench/measure.py": ("bench/test_run.py", "measures in processes, by way of the whole report"),
    "bench/worker.py": ("bench/test_run.py", "measures in processes, by way of the whole report"),
    "bulk/*.py": ("bulk/test_run.py", "tested by whole jobs: what is read, what is written, and what is lost between"),
    "cli/bench.py": ("bench/test_run.py", "a shell over `run_bench`"),
    "cli/experiment_display.py": ("cli/test_experiment.py", "what the command shows"),
    "cli/messages.py": ("cli/test_parse.py", "notices and warnings that commands show"),
    "cli/options.py": ("cli/test_main.py", "options that every command's help shows"),
    "config/*.py": ("config/test_config.py", "the package is tested by its public names"),
    "engines/engine.py": ("engines/test_torch_engine.py", "an interface"),
    "engines/loading.py": ("test_parser.py", "by way of the parser"),
    "engines/onnx_pretrained.py": ("engines/test_onnx_engine.py", "a part of the engine"),
    "engines/onnx_session.py": ("engines/test_onnx_engine.py", "a part of the engine"),
    "engines/onnx_weights.py": ("equivalence/test_engines.py", "held to torch"),
    "engines/torch_arrays.py": ("search/test_arrays.py", "held to numpy's side"),
    "engines/torch_folder.py": ("models/test_folder.py", "folders are read into a network and compared"),
    "experiments/cell.py": ("experiments/test_grid.py", "cells are what a grid is expanded to"),
    "experiments/checks.py": ("experiments/test_grid.py", "faults of grids"),
    "experiments/comparison.py": ("experiments/test_compare.py", "the data and tables of a comparison"),
    "experiments/plot.py": ("experiments/test_report.py", "the figure of a report"),
    "integrations/spacy/annotation.py": ("integrations/spacy/test_component.py", "what the component writes"),
    "integrations/spacy/doc_parse.py": ("integrations/spacy/test_component.py", "what the component keeps"),
    "integrations/spacy/stored_model.py": ("integrations/spacy/test_component.py", "how the component is saved"),
    "experiments/remote.py": ("bulk/test_cluster.py", "runs a command on a real cluster"),
    "integrations/ray.py": ("integrations/test_arrow.py", "a name for Ray over `ArrowParser`"),
    "nn/batch.py": ("nn/test_features.py", "plain data that the featurizer fills"),
    "nn/encoders/encoder.py": ("nn/encoders/test_custom_encoder.py", "an interface"),
    "pipeline/parse_files.py": ("cli/test_parse.py", "what the command does"),
    "graphs/*.py": ("equivalence/test_engines.py", "held to the network of torch"),
    "models/graphs.py": ("engines/test_onnx_engine.py", "files that the engine reads"),
    "pretrained/bert_settings.py": ("pretrained/test_bert.py", "held to transformers together with the network"),
    "pretrained/bert_folder.py": ("pretrained/test_bert.py", "held to transformers together with the network"),
    "pretrained/word_pieces.py": ("pretrained/test_bert.py", "held to transformers together with the network"),
    "rendering/conllu_format.py": ("rendering/test_rendering.py", "one line over `write_conllu`"),
    "rendering/jsonl_format.py": ("rendering/test_json_format.py", "the lines of the array of `json`"),
    "search/branch.py": ("engines/test_torch_engine.py", "an interface"),
    "search/result.py": ("search/test_labels.py", "plain data that the search fills"),
    "search/tracing.py": ("search/test_trace.py", "the code that makes traces"),
    "serving/*.py": ("serving/test_parse_api.py", "the service is tested by its answers over HTTP"),
    "training/command.py": ("training/test_run.py", "the command in a card"),
    "training/observer.py": ("training/test_trainer.py", "an interface"),
    "training/tagging.py": ("cli/test_train.py", "treebanks with predicted tags"),
    "training/technique.py": ("training/test_resume.py", "an interface"),
    "vocabulary/*.py": ("vocabulary/test_vocabulary.py", "the package is tested by its public names"),
}
"""Modules without a twin: where their tests are, and why."""

MODULES = sorted(
    path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py") if path.name != "__init__.py" or path.parent == SRC
)


def twin(module: str) -> Path:
    """The tests that have the name of a module."""
    name = module.replace("__init__", "init") if module == "__init__.py" else module
    return TESTS / Path(name).with_name(f"test_{Path(name).name}")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_a_twin_or_a_reason(module: str) -> None:
    if not twin(module).exists():
        assert any(fnmatch(module, pattern) for pattern in ELSEWHERE), (
            f"{module}: expected tests/{twin(module).relative_to(TESTS)}, or an entry in ELSEWHERE with a reason"
        )


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_a_reason_is_still_needed(pattern: str) -> None:
    assert (TESTS / ELSEWHERE[pattern][0]).exists()
    assert any(fnmatch(module, pattern) and not twin(module).exists() for module in MODULES)
