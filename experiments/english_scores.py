"""Score the English models: `python experiments/english_scores.py TREEBANK MODEL …`.

Writes `results/english/MODEL.json`. TREEBANK is the folder of English-EWT 2.6. Run it once for a model that is final,
because it scores test too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pointree
from pointree.models.summary import model_files
from pointree.release.scores import MEASURES, model_annotator, score_splits

RESULTS = Path(__file__).resolve().parent / "results" / "english"
BEAM = 10


def main(treebank: Path, models: list[Path]) -> None:
    """Score each model with its own engine and precision, one thread."""
    files = {split: treebank / f"en_ewt-ud-{split}.conllu" for split in ("dev", "test")}
    RESULTS.mkdir(parents=True, exist_ok=True)
    for folder in models:
        result: dict[str, Any] = score_splits(files, model_annotator(folder), print)
        parser = pointree.load(folder)
        result["beam"] = {"raw": beam_scores(parser, files["test"], from_text=True)}
        result["beam"]["gold"] = beam_scores(parser, files["test"], retag=True)
        calibrated = pointree.evaluate(files["test"], model=parser, retag=True, calibration=True).calibration
        result["calibration"] = {name: round(error, 4) for name, error in calibrated.items()}
        result["size"] = sum(path.stat().st_size for path in model_files(folder))
        result["engine"], result["precision"] = parser.engine.name, parser.precision
        path = RESULTS / f"{folder.name}.json"
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        print(path)


def beam_scores(parser: pointree.Parser, gold: Path, **options: Any) -> dict[str, float]:
    """The scores on a treebank with a beam."""
    scores = pointree.evaluate(gold, model=parser, beam=BEAM, **options).scores
    return {name: round(scores[name].f1, 2) for name in MEASURES}


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(model) for model in sys.argv[2:]])
