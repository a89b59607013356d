"""Models by name: found exactly, found as UDPipe finds them, and never as paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pointree.errors import UsageError

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")

from pointree.serving.failures import RequestError
from pointree.serving.registry import Registry, ServedModel, load_registry


def registry(*names: str) -> Registry:
    parser: Any = object()
    return Registry([ServedModel(name, parser) for name in names])


def test_the_first_is_the_default() -> None:
    models = registry("en-ewt-2.6", "en-gum", "de")
    assert models.default.name == "en-ewt-2.6"
    assert models.get().name == models.match(None).name == models.match("").name == "en-ewt-2.6"
    assert [model.name for model in models] == ["en-ewt-2.6", "en-gum", "de"]


def test_names_are_exact_but_for_udpipe() -> None:
    models = registry("en-ewt-2.6", "en-gum", "de")
    assert models.match("en").name == models.match("en-ewt").name == "en-ewt-2.6"
    assert models.match("en-gum").name == "en-gum"
    for name in ("en", "en-ewt", "d", "DE", "../de", "de/"):
        with pytest.raises(RequestError, match=r"^model: expected one of en-ewt-2\.6, en-gum, de, found"):
            models.get(name)
    with pytest.raises(RequestError, match="found 'd'"):
        models.match("d")


def test_names_that_cannot_be_used() -> None:
    with pytest.raises(UsageError, match=r"^model name: expected letters, digits"):
        registry("a/b")
    with pytest.raises(UsageError, match=r"^model en is given twice"):
        registry("en", "en")
    with pytest.raises(UsageError, match=r"^serve: expected at least one model, found none"):
        registry()


def test_models_are_named_after_their_folder_and_loaded_once(model_folder: Path) -> None:
    models = load_registry([f"{model_folder}/", f"b={model_folder}", f"c={model_folder}"], precision="fp32")
    assert [model.name for model in models] == ["tiny", "b", "c"]
    assert models.get("b").parser is models.get("c").parser
