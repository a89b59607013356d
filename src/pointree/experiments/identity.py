"""What a result depends on, so that a changed grid never passes for the old one.

The identity of a cell has its whole configuration, the checksums of its files, and the search; an ensemble has the
identities of its members instead of a configuration. Two identities are compared field by field, so that a message can
say what changed. Both are first brought up to date: settings that were renamed since, or removed at their default, are
no difference, and neither is the version of pointree, which results of 0.1 have in their identity.

The sources of pointree change more often than results do: their checksum is recorded beside the identity, and a
difference is told but makes no result invalid.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pointree.config import TrainingConfig, defaults, flat_settings
from pointree.config.old_settings import REMOVED_SETTINGS, upgrade
from pointree.experiments.cell import Cell, TrainingRun
from pointree.files import reading
from pointree.version import __version__

__all__ = ["Identity", "changes", "code_state", "config_identity", "fingerprint", "identity"]

_SOURCES = (
    "config", "engines", "ensemble", "evaluation", "models", "nn", "parser.py", "pretrained", "running", "search",
    "text", "training", "transitions", "treebank", "vocabulary",
)  # fmt: skip
"""The parts of the package on which figures depend."""

Identity = dict[str, Any]


def identity(cell: Cell, members: Mapping[str, Identity] | None = None) -> Identity:
    """All that matters for the result of a cell; `members` are the identities of the cells that it needs."""
    files = {role: checksum(file.path) for role, file in cell.treebank.files.items()}
    if isinstance(cell, TrainingRun):
        if not cell.vectors:
            files.pop("vectors", None)
        own: Identity = {"config": config_identity(cell), "beam": cell.search.beam}
    else:
        files = {role: files[role] for role in ("dev", "test") if role in files}
        known = members or {}
        own = {"members": {name: known[name] for name in cell.members}}
    return {**own, **cell.search.rules, "data": files}


def config_identity(cell: TrainingRun, recorded: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The whole configuration of a cell; a path that a variable gives counts by its last part on any machine.

    Where the variable is not set, it counts as what is `recorded`; so does the width of word vectors, which follows
    from a file.
    """
    config = cell.config.to_dict()
    for name, value in cell.removed.items():
        section, _, key = name.rpartition(".")
        config[section][key] = value
    if cell.config.decoder.fusion == "none":  # nothing is seen of attachments, be they gold or predicted
        config["training"]["exploration"] = TrainingConfig().exploration
    expanded = dict(flat_settings(cell.expanded))
    known = dict(flat_settings(recorded or {}))
    for name, written in flat_settings(cell.settings):
        if isinstance(written, str) and "$" in written:
            *sections, key = name.split(".")
            table: dict[str, Any] = config
            for section in sections:
                table = table[section]
            is_set = "$" not in expanded[name]
            table[key] = Path(expanded[name]).name if is_set else known.get(name, written)
    if cell.vectors and cell.treebank.vectors and "embeddings.word_size" not in expanded:
        width = known.get("embeddings.word_size", config["embeddings"]["word_size"])
        config["embeddings"]["word_size"] = width
    return config


def fingerprint(identity: Identity) -> str:
    """A short checksum of an identity."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


def changes(recorded: Identity, expected: Identity) -> list[str]:
    """What differs, each in a few words; nothing if a recorded result may be used."""
    old, new = recorded.get("members", {}), expected.get("members", {})
    found = [f"{name} is {'new' if name in new else 'gone'}" for name in sorted(old.keys() ^ new.keys())]
    for name in sorted(old.keys() & new.keys()):
        found += [f"{name}: {change}" for change in changes(old[name], new[name])]
    return found + _own_changes(recorded, expected)


def _own_changes(recorded: Identity, expected: Identity) -> list[str]:
    old, new = _fields(recorded), _fields(expected)
    # An option that did not exist when the result was made had the effect that its default has now.
    unset = {f"config.{name}": default for name, default in defaults().items()}
    gone = {f"config.{name}": default for name, default in REMOVED_SETTINGS.items()}
    gone["combine"] = "posteriors"  # of ensembles; since 0.2 there is one way to combine models
    gone |= {"projective": False, "single_root": True}  # only written where they are otherwise
    found = []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, {**unset, **gone}.get(name)), new.get(name, gone.get(name))
        if before == after or (name == "data.test" and before is None):
            continue  # a cell that was not tested before gets its test scores and keeps its model
        if name.startswith("data.") and before is not None and after is not None:
            found.append(f"the {name.removeprefix('data.')} file has changed")
        else:
            found.append(f"{name.removeprefix('config.')} was {_shown(before)}, is {_shown(after)}")
    return found


def _fields(identity: Identity) -> dict[str, Any]:
    """The fields of an identity by their dotted names, those of its members left out, in today's terms."""
    own = {key: value for key, value in identity.items() if key not in ("members", "pointree")}
    if "config" not in own:
        return dict(flat_settings(own))
    upgraded = upgrade(own["config"])
    removed = {f"config.{name}": value for name, value in upgraded.removed.items()}
    return {**dict(flat_settings({**own, "config": upgraded.settings})), **removed}


def _shown(value: object) -> str:
    return "nothing" if value is None else str(value)


@cache
def checksum(path: Path) -> str:
    """The SHA-256 of a file, read once a process."""
    with reading(path), open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@cache
def code_state() -> dict[str, str]:
    """The version of pointree, a checksum of the sources that matter and, in a repository, the commit."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for part in _SOURCES:
        files = [package / part] if part.endswith(".py") else sorted((package / part).rglob("*.py"))
        for path in files:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    state = {"pointree": __version__, "sources": digest.hexdigest()[:16]}
    try:
        # An installed package has no repository, even if its folder lies within one.
        _git(package, "ls-files", "--error-unmatch", str(Path(__file__).resolve()))
        commit = _git(package, "describe", "--always", "--dirty", "--exclude=*")
    except (OSError, subprocess.SubprocessError):
        return state
    return {**state, "commit": commit}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
