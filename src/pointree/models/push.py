"""From a trained folder to the Hugging Face Hub: the folder is checked, and its files and its card are one commit."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pointree.errors import InputError, MissingExtraError, OutputError, UsageError
from pointree.files import read_bounded, reading
from pointree.models.hub import parse_hub_id
from pointree.models.layout import CARD, MODEL_FILES
from pointree.models.summary import model_files

__all__ = ["push", "read_scores"]

_MAX_SCORES = 1 << 24


def push(
    folder: str | os.PathLike[str],
    repository: str,
    *,
    licence: str | None = None,
    language: str | None = None,
    data: Sequence[str] = (),
    scores: Mapping[str, Any] | None = None,
    scored_on: str | None = None,
    private: bool = False,
    message: str | None = None,
) -> str:
    """Publish a trained model on the Hugging Face Hub and return its address.

        >>> pointree.push("model", "org/name", licence="cc-by-sa-4.0")

    Afterwards, `pointree.load` takes ``org/name``. The repository is made if need be, and gets the model and its card,
    not the checkpoint and metrics of the training. Log in first with ``hf auth login``, or set ``HF_TOKEN``.

    Args:
        folder: A trained model.
        repository: ``org/name``, or ``org/name@branch``.
        licence: The licence of the model; by default the one that its card names.
        language: The code of its language; by default that of the treebank that the card names.
        data: Hub ids of the training data.
        scores: What ``pointree evaluate --json`` wrote; by default the scores that the card names.
        scored_on: What `scores` were measured on, such as ``English-EWT 2.16 test, from raw text``.
        private: Make a new repository private.
        message: The message of the commit.
    """
    folder = Path(folder)
    place = parse_hub_id(repository)
    if place is None:
        raise UsageError(f"expected a Hugging Face Hub id such as org/name, found {repository!r}")
    if scores is not None and scored_on is None:
        raise UsageError("scores: expected scored_on with them, the name of the data; found none")
    try:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    except ImportError:
        raise MissingExtraError("publishing a model", "hub") from None

    from pointree.models.folder import read_folder
    from pointree.models.hub_card import CardAdditions, hub_card

    read_folder(folder)
    added = CardAdditions(licence, language, tuple(data), _numbers(scores or {}), scored_on)
    card = hub_card(folder, place.repository.partition("/")[2], added)
    files = {path.relative_to(folder).as_posix(): path for path in model_files(folder)}
    changes: list[Any] = [CommitOperationAdd(name, str(path)) for name, path in files.items() if name != CARD]
    changes.append(CommitOperationAdd(CARD, card.encode("utf-8", "replace")))
    api = HfApi()
    try:
        address = api.create_repo(place.repository, private=private or None, exist_ok=True)
        if place.revision is not None:
            api.create_branch(place.repository, branch=place.revision, exist_ok=True)
        old = api.list_repo_files(place.repository, revision=place.revision)
        stale = (name for name in old if name not in files and any(fnmatch(name, known) for known in MODEL_FILES))
        changes += [CommitOperationDelete(name) for name in stale if name != CARD]
        api.create_commit(
            place.repository, changes, commit_message=message or "Add a pointree model", revision=place.revision
        )
    except Exception as error:  # whatever the library and the network below it raise; they name no base class
        raise OutputError(f"{place}: cannot be published on the Hugging Face Hub: {_reason(error)}") from error
    return str(address)


def read_scores(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what `pointree evaluate --json` wrote."""
    with reading(path):
        content = read_bounded(path, _MAX_SCORES)
    try:
        scores = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: expected the output of pointree evaluate --json ({error})") from None
    if not isinstance(scores, dict) or not _numbers(scores):
        raise InputError(f"{path}: expected the output of pointree evaluate --json, found no scores")
    return scores


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    """F1 by name: those at the top of what `evaluate` writes, and those of its tags."""
    tagging = scores.get("tagging")
    flat = {**scores, **(tagging if isinstance(tagging, dict) else {})}
    return {name: float(value) for name, value in flat.items() if isinstance(value, float)}


def _reason(error: Exception) -> str:
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    refused = "401" in text or type(error).__name__ == "LocalTokenNotFoundError"
    return f"{text.rstrip('.')}{'; log in with `hf auth login`, or set HF_TOKEN' if refused else ''}"
