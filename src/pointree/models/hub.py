"""Models of the Hugging Face Hub: which names are ids of it, and their download."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pointree.errors import MissingExtraError, ModelError
from pointree.models.layout import MANIFEST, MODEL_FILES

__all__ = ["HubId", "download_model", "parse_hub_id"]

_HUB_ID = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([A-Za-z0-9][\w./-]*))?", re.ASCII)


class HubId(NamedTuple):
    """A repository of the Hub such as ``org/name``, and a revision of it or None for the newest."""

    repository: str
    revision: str | None = None

    def __str__(self) -> str:
        return self.repository if self.revision is None else f"{self.repository}@{self.revision}"


def parse_hub_id(text: str) -> HubId | None:
    """Read ``org/name`` or ``org/name@revision``; None if the text looks like a path or a name."""
    found = _HUB_ID.fullmatch(text)
    if found is None or ".." in text or "--" in found[1] or any(part[-1] in ".-" for part in found[1].split("/")):
        return None
    return HubId(found[1], found[2])


def download_model(model: HubId) -> Path:
    """Download a model of the Hub, or bring it up to date, and return its folder in the cache of the Hub.

    Where the Hub cannot be reached, the copy in the cache is used.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError:
        raise MissingExtraError(f"{model}: no such folder, and a model of the Hugging Face Hub", "hub") from None
    repository, revision = model
    try:
        folder = Path(snapshot_download(repository, revision=revision, allow_patterns=list(MODEL_FILES)))
    except RepositoryNotFoundError:
        raise ModelError(f"{model}: no such folder, and no such model on the Hugging Face Hub") from None
    except RevisionNotFoundError:
        raise ModelError(
            f"{model}: the model {repository} of the Hugging Face Hub has no revision {revision}"
        ) from None
    except LocalEntryNotFoundError:
        raise ModelError(
            f"{model}: no such folder, not in the cache of the Hugging Face Hub, and the Hub cannot be reached"
        ) from None
    except Exception as error:  # whatever the library and the network below it raise; they name no base class
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"{model}: cannot be loaded from the Hugging Face Hub: {reason}") from error
    if not (folder / MANIFEST).is_file():
        raise ModelError(f"{model}: not a pointree model: the repository of the Hugging Face Hub has no {MANIFEST}")
    return folder
