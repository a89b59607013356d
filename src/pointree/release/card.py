"""The card of a released model: what it is, how good it is, and what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pointree.release.recipe import LanguageRecipe

__all__ = ["SCORE_NAMES", "release_card", "score_rows"]

SCORE_NAMES = {
    "tokens": "tokens",
    "sentences": "sentences",
    "words": "words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "features",
    "lemmas": "lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
}
"""The scores of a model in tables, and how they are headed."""
_INPUTS = {"raw": "raw text", "gold": "gold tokens"}


def release_card(recipe: LanguageRecipe, result: Mapping[str, Any], command: str) -> str:
    """A card in Markdown; the first LAS, which `pointree models` shows, is that of raw text on test."""
    code, data = recipe.code, f"{recipe.treebank} {recipe.release}"
    las = result["test"]["raw"]["las"]
    note = f" {recipe.note}" if recipe.note else ""
    start = f" The training started from the network of `{recipe.start}`." if recipe.start else ""
    vectors = f" Word vectors: {recipe.vectors_licence}." if recipe.vectors else ""
    return f"""# {code}: {recipe.name}

A model of the dependency parser pointree for {recipe.name}. It reads raw text, finds sentences and words, and predicts
tags, features, lemmas and dependency trees. LAS {las:.2f} on {data} test, from raw text.

Licence: {recipe.licence}

```sh
pip install -c constraints.txt ./models/{code}
pointree parse --model {code} text.txt
```

## Scores

F1 of the official evaluator, in percent:

{chr(10).join(score_rows(result))}

{result["size"] / 1e6:.1f} MB; {result["test"]["words_per_s"]:,} words of raw text a second (CPU time, one thread).

## Data

{data} of [Universal Dependencies](https://universaldependencies.org), by the contributors that `LICENSE` and the
page of the treebank name, under {recipe.licence}; the model is under the same licence.{note}{vectors}{start}

## Command

```sh
{command}
```

All settings are in `config.toml`.
"""


def score_rows(result: Mapping[str, Any]) -> Iterator[str]:
    """The table of scores: this model, UDPipe 1 where it was trained, and what is published for both UDPipes."""
    yield f"| | {' | '.join(SCORE_NAMES.values())} |"
    yield f"| --- |{' --- |' * len(SCORE_NAMES)}"
    systems = [("", result), *([("UDPipe 1, ", result["udpipe1"])] if "udpipe1" in result else [])]
    for split in ("dev", "test"):
        for given, what in _INPUTS.items():
            for system, scores in systems:
                figures = (f"{scores[split][given][name]:.2f}" for name in SCORE_NAMES)
                yield f"| {system}{split}, {what} | {' | '.join(figures)} |"
    for key, system in (("published_udpipe1", "UDPipe 1"), ("published", "UDPipe 2")):
        if published := result.get(key):
            for given, what in _INPUTS.items():
                figures = (f"{published[given]:.2f}" if name == "las" else "" for name in SCORE_NAMES)
                yield f"| {system} (published, release {published['release']}), test, {what} | {' | '.join(figures)} |"
