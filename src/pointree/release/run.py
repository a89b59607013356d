"""Make the models of a recipe: train, score, shrink and package them, step by step and resumable.

WORK/CODE/model          the training run
WORK/CODE/trained.json   that it is complete, and what it depends on
WORK/CODE/small          the model as it is released, without its card
WORK/CODE/scores.json    its scores
WORK/CODE/udpipe1/       the baseline, and its scores in udpipe1.json
OUTPUT/CODE              the package
RESULTS/CODE.json        its scores, size and learning curve
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointree.errors import InputError, OutputError, UsageError
from pointree.experiments.results import read_json, read_metrics, write_json
from pointree.files import make_folder
from pointree.locks import lock_folder
from pointree.models.folder import read_folder, write_card
from pointree.models.layout import CARD, MANIFEST
from pointree.models.shrink import shrink_model
from pointree.models.summary import model_files
from pointree.release.baseline import train_baseline
from pointree.release.card import release_card
from pointree.release.package_folder import packaged_size, write_project
from pointree.release.recipe import SPLITS, LanguageRecipe, choose, load_recipe
from pointree.release.scores import model_annotator, score_splits
from pointree.treebank.formats import read_treebank

if TYPE_CHECKING:
    from pointree.training.observer import TrainingObserver

__all__ = ["STEPS", "ReleasedModel", "release_models"]

STEPS = ("train", "score", "baseline", "package")
"""The steps in their order; the baseline runs only if it is asked for."""

_ROOM = 30_000
"""Bytes of a package for its card, licence and metadata."""
_WORD_BYTES = 200
"""More than a word takes in the files of a model: its row, its letters and its lemma."""

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class ReleasedModel:
    """A model whose steps are done; ``result`` is what its JSON file has, None before the step ``package``."""

    code: str
    folder: Path
    result: dict[str, Any] | None


def release_models(
    recipe: PathLike,
    codes: Sequence[str] = (),
    *,
    data: PathLike,
    output: PathLike = "models",
    work: PathLike = "runs/languages",
    results: PathLike | None = None,
    only: Sequence[str] = (),
    baseline: bool = False,
    device: str = "cpu",
    threads: int | None = None,
    observing: Callable[[], AbstractContextManager[TrainingObserver]] | None = None,
    on_notice: Callable[[str], None] | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> list[ReleasedModel]:
    """Train, score, shrink and package the models of a recipe.

    A run that was stopped goes on where it was: finished steps are skipped, and a training is resumed.

    Args:
        recipe: A TOML file; see `pointree.release.recipe`.
        codes: The languages, such as ``sv``; all of the recipe without any.
        data: The folder of the treebanks.
        output: The folder of the packages, one folder a language.
        work: The folder of training runs.
        results: The folder of the results, one JSON file a language; None is ``results/NAME`` beside the recipe.
        only: Steps to do: train, score, baseline, package. Without any, all but the baseline.
        baseline: Whether to train UDPipe 1 on the same files too, and to score it.
        device: Where to compute: ``cpu``, ``cuda``, …
        threads: CPU threads of training; None is all cores. Scores and speeds are those of one thread.
        observing: Makes an observer of each training, as a context.
        on_notice: Told, in one line each, which step begins.
        on_warning: Told, in one line each, of what the user should look at.
    """
    recipe, steps = Path(recipe), _steps(only, baseline)
    chosen = sorted(choose(load_recipe(recipe), codes), key=lambda each: each.start is not None)  # starts come first
    for each in chosen:
        for split in SPLITS:
            if not each.file(split, Path(data)).is_file():
                raise InputError(f"{each.file(split, Path(data))}: no such file; {each.code} needs it under --data")
    made = []
    for each in chosen:
        job = _Job(
            each,
            recipe,
            data=Path(data),
            work=Path(work) / each.code,
            target=Path(output) / each.code,
            result_file=(recipe.parent / "results" / recipe.stem if results is None else Path(results))
            / f"{each.code}.json",
            notice=on_notice or _ignore,
            warn=on_warning or _ignore,
        )
        lock = lock_folder(job.work)
        if lock is None:
            raise UsageError(f"{job.work}: another process is making this model; wait for it, or end it")
        with lock:
            if "train" in steps:
                job.train(device, threads, observing or _unobserved)
            if "score" in steps:
                job.score()
            if "baseline" in steps:
                job.baseline()
            made.append(ReleasedModel(each.code, job.target, job.package() if "package" in steps else None))
    return made


@dataclass(frozen=True, slots=True)
class _Job:
    """The making of one model."""

    recipe: LanguageRecipe
    recipe_file: Path
    data: Path
    work: Path
    target: Path
    result_file: Path
    notice: Callable[[str], None]
    warn: Callable[[str], None]

    @property
    def start(self) -> Path | None:
        """The package of another language whose network this one starts from."""
        return None if self.recipe.start is None else self.target.with_name(self.recipe.start)

    @property
    def small(self) -> Path:
        return self.work / "small"

    def train(
        self,
        device: str,
        threads: int | None,
        observing: Callable[[], AbstractContextManager[TrainingObserver]],
    ) -> None:
        """Train the model, or go on with its training, and shrink it."""
        start = self.start
        if start is not None and not (start / MANIFEST).is_file():
            raise UsageError(f"{start}: no such model; {self.recipe.code} starts from it, so make it first")
        marker, identity = self.work / "trained.json", self._identity()
        done = read_json(marker)
        if done is not None and done != identity:
            changed = ", ".join(name for name in identity if done.get(name) != identity[name])
            raise UsageError(f"{self.work}: was trained with other {changed}; remove the folder or choose another")
        if done is None:
            from pointree.training.run import train

            self.notice(f"{self.recipe.code}: training on {self.recipe.treebank} {self.recipe.release}")
            with observing() as observer:
                train(
                    self._file("train"),
                    self._file("dev"),
                    self.work / "model",
                    preset=self.recipe.preset if start is None else None,
                    settings=self.recipe.settings,
                    vectors=self._vectors,
                    init=start,
                    other_language=start is not None,
                    resume=(self.work / "model").exists(),
                    text_model=True,
                    device=device,
                    threads=threads,
                    observer=observer,
                    on_warning=self.warn,
                )
            write_json(marker, identity)
        self._shrink()

    def _shrink(self) -> None:
        """Write the small model, unless it is there; without its card, which follows from the scores."""
        if (self.small / MANIFEST).is_file():
            return
        self.notice(f"{self.recipe.code}: shrinking")
        fresh = self.work / "small.new"
        forms = self._forms()
        kept = len(forms)
        while True:
            shutil.rmtree(fresh, ignore_errors=True)
            shrink_model(
                self.work / "model",
                fresh,
                only=None if self.recipe.prune_words is None else forms[:kept],
                bits=None if self.recipe.bits == 32 else self.recipe.bits,  # type: ignore[arg-type]  # it is checked
                word_bits=self.recipe.word_bits,  # type: ignore[arg-type]  # it is checked too
                precision=self.recipe.precision,
            )
            over = packaged_size(fresh) + _ROOM - (self.recipe.max_mb or 0) * 1_000_000
            if over <= 0 or not kept or self.recipe.max_mb is None or self.recipe.prune_words is None:
                break
            kept = max(kept - over // _WORD_BYTES - 1, 0)
        (fresh / CARD).unlink(missing_ok=True)
        licence = self._file("train").with_name("LICENSE.txt")
        if licence.is_file():
            shutil.copyfile(licence, fresh / "LICENSE")
        else:
            self.warn(f"{licence}: no such file; the package will lack the licence of the treebank")
        shutil.rmtree(self.small, ignore_errors=True)
        fresh.rename(self.small)

    def _forms(self) -> list[str]:
        """The words of the package, the most frequent first: those of the training data, then others that it knows."""
        if self.recipe.prune_words is None:
            return []
        counts = Counter(form for each in read_treebank(self._file("train")) for form in each.forms)
        known = read_folder(self.work / "model").vocabularies.words
        others = [word for word in known.symbols[len(known.specials) :] if word not in counts]
        if self.start is not None:  # words of the other language come last
            foreign = set(read_folder(self.start).vocabularies.words.symbols)
            others.sort(key=foreign.__contains__)
        return [*(form for form, _ in counts.most_common()), *others][: self.recipe.prune_words]

    def score(self) -> None:
        """Score the small model on dev and test."""
        path = self.work / "scores.json"
        if not (self.small / MANIFEST).is_file():
            raise UsageError(f"{self.small}: no such model; run the step train first")
        model = _sha256(self.small / MANIFEST)
        done = read_json(path)
        if done is None or done["model"] != model:
            scores = score_splits(self._scored_files(), model_annotator(self.small), self._tell_score)
            write_json(path, {"model": model, **scores})

    def baseline(self) -> None:
        """Train UDPipe 1 on the same files, and score it."""
        path = self.work / "udpipe1.json"
        if not path.exists():
            udpipe = train_baseline(
                self._file("train"), self._file("dev"), self.work / "udpipe1", on_part=self._tell_part
            )
            write_json(path, score_splits(self._scored_files(), udpipe, self._tell_score))

    def _tell_part(self, part: str) -> None:
        self.notice(f"{self.recipe.code}: training the {part} of UDPipe 1; its log is in {self.work / 'udpipe1'}")

    def _tell_score(self, what: str) -> None:
        self.notice(f"{self.recipe.code}: scoring {what}")

    def package(self) -> dict[str, Any]:
        """Write the package, with its card, and the result."""
        scores = read_json(self.work / "scores.json")
        if scores is None:
            raise UsageError(f"{self.work / 'scores.json'}: no such file; run the step score first")
        fresh = self.target.with_name(self.target.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        make_folder(fresh)
        for path in model_files(self.small):
            make_folder((fresh / path.relative_to(self.small)).parent)
            shutil.copyfile(path, fresh / path.relative_to(self.small))
        result = self._result(scores, packaged_size(fresh))
        write_card(fresh, release_card(self.recipe, result, result["command"]))
        write_project(
            fresh,
            name=self.recipe.code,
            version=self.recipe.version,
            language=self.recipe.name,
            licence=self.recipe.licence,
        )
        if self.target.exists() and not (self.target / MANIFEST).is_file():
            shutil.rmtree(fresh)
            raise OutputError(f"{self.target}: exists and is no model; move it or choose another --output")
        shutil.rmtree(self.target, ignore_errors=True)
        fresh.rename(self.target)
        write_json(self.result_file, result)
        limit = self.recipe.max_mb
        if limit is not None and result["size"] > limit * 1e6:
            self.warn(f"{self.target}: has {result['size'] / 1e6:.1f} MB, more than the {limit} of the recipe")
        self.notice(f"{self.recipe.code}: {self.target} is made")
        return result

    def _result(self, scores: Mapping[str, Any], size: int) -> dict[str, Any]:
        """Everything that cards and documents tell of the model."""
        lines = read_metrics(self.work).epochs
        best = max(lines, key=lambda line: line["dev_las"])
        earlier = read_json(self.result_file) or {}
        udpipe = read_json(self.work / "udpipe1.json") or earlier.get("udpipe1")
        recipe = self.recipe
        return {
            "code": recipe.code,
            "name": recipe.name,
            "treebank": recipe.treebank,
            "release": recipe.release,
            "licence": recipe.licence,
            "version": recipe.version,
            "command": f"pointree release {recipe.code} --recipe {self.recipe_file.name} --data FOLDER",
            "size": size,
            "dev": scores["dev"],
            "test": scores["test"],
            **({"udpipe1": udpipe} if udpipe else {}),
            **{
                key: asdict(figures)
                for key in ("published", "published_udpipe1")
                if (figures := getattr(recipe, key)) is not None
            },
            "epochs": len(lines),
            "best_epoch": best["epoch"],
            "seconds": round(lines[-1]["seconds"]),
            "dev_las": [round(line["dev_las"], 2) for line in lines],
            "settings": recipe.settings,
        }

    def _file(self, split: str) -> Path:
        return self.recipe.file(split, self.data)

    @property
    def _vectors(self) -> Path | None:
        return None if self.recipe.vectors is None else self.data / self.recipe.vectors

    def _scored_files(self) -> dict[str, Path]:
        return {split: self._file(split) for split in ("dev", "test")}

    def _identity(self) -> dict[str, Any]:
        """What the trained weights depend on."""
        files = [self._file("train"), self._file("dev"), *([self._vectors] if self._vectors else [])]
        return {
            "settings": self.recipe.config.to_dict(),
            "data": {path.name: _sha256(path) for path in files},
            **({} if self.start is None else {"start": _sha256(self.start / MANIFEST)}),
        }


def _steps(only: Sequence[str], baseline: bool) -> set[str]:
    for step in only:
        if step not in STEPS:
            raise UsageError(f"--only must be one of {', '.join(STEPS)}, found {step}")
    return (set(only) or set(STEPS) - {"baseline"}) | ({"baseline"} if baseline else set())


def _sha256(path: Path) -> str:
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _unobserved() -> AbstractContextManager[TrainingObserver]:
    from pointree.training.observer import TrainingObserver

    return nullcontext(TrainingObserver())


def _ignore(_line: str) -> None:
    pass
