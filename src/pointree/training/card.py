"""The model card: what a model was trained on, how, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pointree.config import READ_TAGS, Config, TagColumn
from pointree.training.checkpoint import RunState
from pointree.transitions import paper_name
from pointree.version import __version__

__all__ = ["model_card", "pretrained_folder"]

_TAGS: dict[TagColumn, str] = {
    "upos": "UPOS is read",
    "xpos": "XPOS is read",
    "none": "none are read",
    "joint": "none are read, UPOS is predicted",
}


def pretrained_folder(model: str) -> Path | None:
    """The folder of a pretrained model, of which a card gives the name only; None for a Hub id."""
    folder = Path(model)
    return folder if model and (folder.is_absolute() or folder.is_dir()) else None


def model_card(
    config: Config,
    progress: RunState,
    data: Mapping[str, Sequence[Path]],
    training_size: tuple[int, int],
    command: str,
    *,
    predicted_tags: bool = False,
    init: str | None = None,
) -> str:
    """A card in Markdown; files are named without their folders, which mean nothing to other people.

    ``init`` is the name of the model from which the training started.
    """
    decoder, best = config.decoder, progress.metrics[progress.best_epoch - 1]
    sentences, words = training_size
    files = "\n".join(f"- {role}: {path.name}" for role, paths in data.items() for path in paths)
    start = f"\nThe training started from the model {init}, which was trained on other data before.\n" if init else ""
    pretrained = config.embeddings.pretrained
    vectors = ""
    if pretrained.model:
        folder = pretrained_folder(pretrained.model)
        name = pretrained.model if folder is None else folder.name
        vectors = f"; {'fine-tuned' if pretrained.fine_tune else 'frozen'} {name}"
    gate = "" if decoder.fusion == "none" else f", {decoder.gate.upper()}"
    given = "gold words"
    if config.embeddings.tag in READ_TAGS:
        given = "gold words, predicted tags" if predicted_tags else "gold words and tags"
    upos = f", UPOS {best['dev_upos']:.2f}" if "dev_upos" in best else ""
    return f"""# A dependency parser made with pointree {__version__}

Order {decoder.order}, fusion {paper_name(decoder.order, decoder.fusion)}{gate}; encoder \
{config.encoder.describe()}, decoder {decoder.size}; tags: {_TAGS[config.embeddings.tag]}{vectors}.

## Training data
{files}

{sentences:,} sentences, {words:,} words. The licence of the model follows from that of these data.
{start}
## Scores
On dev, {given}, greedy, after epoch {progress.best_epoch} of {config.training.epochs}: UAS \
{best["dev_uas"]:.2f}, LAS {best["dev_las"]:.2f} (with subtypes of labels: {best["dev_las_subtypes"]:.2f}){upos}.

## Command
```
{command}
```
All settings are in `config.toml`.
"""
