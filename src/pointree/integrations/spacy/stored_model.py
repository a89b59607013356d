"""A model inside a spaCy pipeline: loaded at its first use, and saved, sent and pickled with all its files."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import weakref
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pointree.errors import ModelError, UsageError
from pointree.models.hub import parse_hub_id
from pointree.models.hub_card import model_language
from pointree.models.layout import MANIFEST
from pointree.models.registry import resolve_model
from pointree.models.summary import model_files
from pointree.running.threads import prepare_process, thread_count

if TYPE_CHECKING:
    from pointree.parser import Parser

__all__ = ["StoredModel"]

_ANY_LANGUAGE = "xx"
_SAME_LANGUAGE = {"nb": "no", "nn": "no"}
"""Codes of spaCy, and the codes that UD treebanks have for the same languages."""


class StoredModel:
    """The model of a name or folder until a pipeline is read from disk or bytes, which have the model in them."""

    def __init__(self, name: str, *, device: str = "cpu", precision: str | None = None, engine: str = "auto") -> None:
        self.name = name
        self.device = device
        self.precision = precision
        self.engine = engine
        self._folder: Path | None = None
        self._parser: Parser | None = None

    @property
    def folder(self) -> Path:
        """Where the files of the model are."""
        if self._folder is None:
            self._folder = resolve_model(self.name)
        return self._folder

    @property
    def parser(self) -> Parser:
        """The parser."""
        if self._parser is None:
            from pointree.parser import load

            if multiprocessing.parent_process() is not None and thread_count() is None:
                prepare_process(1)  # one of several processes of `nlp.pipe`
            self._parser = load(self.folder, device=self.device, precision=self.precision, engine=self.engine)
            self._parser.name = self.name
        return self._parser

    def check_language(self, language: str) -> None:
        """Refuse a pipeline of another language, as far as the card of the model tells; nothing is downloaded."""
        if self._folder is None and parse_hub_id(self.name) and not os.path.isdir(self.name):
            return
        try:
            known = model_language(self.folder)
        except ModelError:
            return  # the files may still come with a saved pipeline; if not, the first use says so
        if known is not None and language != _ANY_LANGUAGE and known != _SAME_LANGUAGE.get(language, language):
            hint = f'use spacy.blank("{known}"), or set check_language = false'
            raise UsageError(
                f"model {self.name}: expected a pipeline for the language {known}, found {language}; {hint}"
            )

    def read_files(self) -> dict[str, bytes]:
        """The content of all files by their name."""
        folder = self.folder
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in model_files(folder)}

    def take_files(self, files: dict[str, bytes]) -> None:
        """Use these files from now on; they are kept in a folder of this object's own."""
        folder = self._own_folder()
        for name, content in files.items():
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise ModelError(f"expected the name of a file of a model, found {name!r}")
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def copy_to(self, folder: Path) -> None:
        """Copy all files into a folder; those of another model in it are removed."""
        folder.mkdir(parents=True, exist_ok=True)
        if folder.samefile(self.folder):
            return
        if (folder / MANIFEST).is_file():
            for path in model_files(folder):
                path.unlink()
        for path in model_files(self.folder):
            place = folder / path.relative_to(self.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)

    def copy_from(self, folder: Path) -> None:
        """Use copies of the files of a folder from now on."""
        if not folder.is_dir():
            raise ModelError(f"{folder}: expected the model of a saved pipeline, found no such folder")
        shutil.copytree(folder, self._own_folder(), dirs_exist_ok=True)

    def _own_folder(self) -> Path:
        """A new folder that goes with this object."""
        self._folder = Path(tempfile.mkdtemp(prefix="pointree-"))
        self._parser = None
        weakref.finalize(self, _remove, self._folder, os.getpid())
        return self._folder

    def __getstate__(self) -> dict[str, Any]:
        how = {"device": self.device, "precision": self.precision, "engine": self.engine}
        return {"name": self.name, **how, "files": self.read_files()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        files = state.pop("files")
        self.__init__(**state)  # type: ignore[misc]
        self.take_files(files)


def _remove(folder: Path, process: int) -> None:
    """Remove a folder, but not that of the process from which this one was forked."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
