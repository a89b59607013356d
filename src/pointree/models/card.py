"""The model card: what a model was trained on, how, and how well it does; writing it, and finding facts in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pointree.config import READ_TAGS, Config, TagColumn
from pointree.files import read_bounded
from pointree.models.layout import CARD
from pointree.transitions import paper_name
from pointree.version import __version__
from pointree.vocabulary import COLUMNS

__all__ = ["CardFacts", "TrainingRecord", "model_card", "pretrained_folder", "read_card"]

_MAX_CARD = 1 << 20
_LAS = re.compile(r"\bLAS[\s:=|*]{1,8}(100(?:\.0+)?|\d{1,2}\.\d+)\b(?:\*\*)?(?: on (.+))?")
_LAS_ON_OF_0_1 = re.compile(r"^On (dev, .+), greedy, after epoch \d", re.MULTILINE)
_LICENCE = re.compile(r"^[ >*_|-]*licen[cs]e[ *_]*[:|](.+)$|^#+ *licen[cs]e *\n+(.+)$", re.IGNORECASE | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_PHRASE_END = re.compile(r"[.;:](?:\s|$)| \(|\|")
_CLAUSE_END = re.compile(rf",(?:\s|$)|{_PHRASE_END.pattern}")

_TAGS: dict[TagColumn, str] = {
    "upos": "UPOS is read",
    "xpos": "XPOS is read",
    "none": "none are read",
}


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a program finds in a card: ``LAS 87.63 on English-EWT 2.6 test``, and ``Licence: CC BY-SA 4.0``."""

    las: float | None = None
    las_on: str | None = None
    """What the LAS was measured on, and what the parser was given."""
    licence: str | None = None


def read_card(folder: Path) -> CardFacts:
    """Find the first LAS, what it was measured on, and the first licence; None for what the card does not say."""
    try:
        card = read_bounded(folder / CARD, _MAX_CARD).decode("utf-8", "replace")
    except OSError:
        return CardFacts()
    las, licence = _LAS.search(card), _LICENCE.search(card)
    measured_on = las and (las[2] or ((old := _LAS_ON_OF_0_1.search(card)) and old[1]))
    return CardFacts(
        las=float(las[1]) if las else None,
        las_on=_start(measured_on, _PHRASE_END) if measured_on else None,
        licence=_start(licence[1] or licence[2], _CLAUSE_END) if licence else None,
    )


def _start(line: str, end: re.Pattern[str]) -> str | None:
    """The start of a line of Markdown, up to a mark, without links and emphasis."""
    plain = _LINK.sub(r"\1", line).strip(" \t*_|`\"'")
    return end.split(plain, maxsplit=1)[0].strip(" *_`\"'") or None


class TrainingRecord(Protocol):
    """What a card tells of a training run."""

    @property
    def best_epoch(self) -> int:
        """The epoch whose weights were kept, from 1."""

    @property
    def order_las(self) -> Mapping[str, float]:
        """The LAS on dev of each order on its own, if the model has several and they were measured."""

    @property
    def metrics(self) -> Sequence[Mapping[str, Any]]:
        """The figures of every epoch, as in the file of metrics."""


def pretrained_folder(model: str) -> Path | None:
    """The folder of a pretrained model, of which a card gives the name only; None for a Hub id."""
    folder = Path(model)
    return folder if model and (folder.is_absolute() or folder.is_dir()) else None


def model_card(
    config: Config,
    progress: TrainingRecord,
    data: Mapping[str, Sequence[Path]],
    training_size: tuple[int, int],
    command: str,
    *,
    predicted_tags: bool = False,
    init: str | None = None,
    teachers: Sequence[str] = (),
) -> str:
    """A card in Markdown; files are named without their folders, which mean nothing to other people.

    ``init`` is the name of the model from which the training started, ``teachers`` are those that it learnt from.
    """
    decoder, best = config.decoder, progress.metrics[progress.best_epoch - 1]
    sentences, words = training_size
    files = "\n".join(f"- {role}: {path.name}" for role, paths in data.items() for path in paths)
    start = f"\nThe training started from the model {init}, which was trained on other data before.\n" if init else ""
    if teachers:
        start += f"\nIt learnt from the probabilities of {' and '.join(teachers)} too.\n"
    pretrained = config.embeddings.pretrained
    vectors = ""
    if pretrained.model:
        folder = pretrained_folder(pretrained.model)
        name = pretrained.model if folder is None else folder.name
        vectors = f"; {'fine-tuned' if pretrained.fine_tune else 'frozen'} {name}"
    fusions = " + ".join(dict.fromkeys(paper_name(order, decoder.fusion) for order in decoder.orders))
    orders = ", ".join(f"{order} {las:.2f}" for order, las in progress.order_las.items())
    alone = f"\nEach order on its own: {orders}." if orders else ""
    gate = "" if decoder.fusion == "none" else f", {decoder.gate.upper()}"
    given = "gold words"
    if config.embeddings.tag in READ_TAGS:
        given = "gold words, predicted tags" if predicted_tags else "gold words and tags"
    columns = {name.upper(): best[f"dev_{name}"] for name in COLUMNS if f"dev_{name}" in best}
    predicted = f", {', '.join(columns)} are predicted" if columns else ""
    accuracies = "".join(f", {name} {score:.2f}" for name, score in columns.items())
    dev = ", ".join(path.name for path in data.get("dev", ())) or "dev"
    return f"""# A dependency parser made with pointree {__version__}

{"Order" if len(decoder.orders) == 1 else "Orders"} {" + ".join(decoder.orders)}, fusion {fusions}{gate}; encoder \
{config.encoder.describe()}, decoder {decoder.size}; tags: {_TAGS[config.embeddings.tag]}{predicted}{vectors}.

## Training data
{files}

{sentences:,} sentences, {words:,} words. The licence of the model follows from that of these data.
{start}
## Scores
Greedy search, after epoch {progress.best_epoch} of {config.training.epochs}: UAS {best["dev_uas"]:.2f}, \
LAS {best["dev_las"]:.2f} on {dev}, {given} (with subtypes of labels: {best["dev_las_subtypes"]:.2f}){accuracies}.\
{alone}

## Command
```
{command}
```
All settings are in `config.toml`.
"""
