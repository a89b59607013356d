"""Measure how well languages are told apart: the models' own profiles against py3langid.

    python benchmarks/languages/identify.py --data FOLDER

Profiles are made of the training sets of the recipe's languages and English, as `pointree train` makes them; texts are
those of the dev sets, one sentence each, and paragraphs of five neighbouring sentences. py3langid is told to choose
among the same languages; without it (`pip install py3langid`), its column is left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from pointree.models.language import fitting_model
from pointree.release.recipe import load_recipe
from pointree.text.language import LanguageProfile
from pointree.treebank.formats import read_treebank

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = "ud-2.6/en_ewt/en_ewt-ud-{}.conllu"
PARAGRAPH = 5

Texts = Mapping[str, list[str]]


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the treebanks")
    parser.add_argument("--recipe", type=Path, default=ROOT / "experiments" / "languages.toml")
    parser.add_argument("--most", type=int, default=400, help="texts of each language and kind")
    given = parser.parse_args()
    files = {"en": ENGLISH} | {recipe.code: recipe.files for recipe in load_recipe(given.recipe)}

    def sentences(code: str, split: str) -> list[str]:
        return [sentence.text for sentence in read_treebank(given.data / files[code].replace("{}", split))]

    profiles = {code: profile for code in files if (profile := LanguageProfile.of(sentences(code, "train")))}
    dev = {code: sentences(code, "dev") for code in files}
    kinds: dict[str, Texts] = {
        "sentences": {code: texts[: given.most] for code, texts in dev.items()},
        "paragraphs": {code: paragraphs(texts)[: given.most] for code, texts in dev.items()},
    }
    systems: dict[str, Callable[[str], str]] = {"own profiles": lambda text: best_profile(text, profiles)}
    if (other := py3langid(list(files))) is not None:
        systems["py3langid"] = other
    print("| texts of | " + " | ".join(f"{system}, {kind}" for kind in kinds for system in systems) + " |")
    print("| --- |" + " --- |" * (len(kinds) * len(systems)))
    rights: Counter[tuple[str, str]] = Counter()
    for code in files:
        cells = []
        for kind, texts in kinds.items():
            for system, identify in systems.items():
                found = Counter(map(identify, texts[code]))
                rights[kind, system] += found[code]
                cells.append(shown(found, code))
        print(f"| {code} | " + " | ".join(cells) + " |")
    totals = {kind: sum(map(len, texts.values())) for kind, texts in kinds.items()}
    cells = [f"{100 * rights[kind, system] / totals[kind]:.1f}" for kind in kinds for system in systems]
    print("| all | " + " | ".join(cells) + " |")
    print("\nTexts: " + ", ".join(f"{count:,} {kind}" for kind, count in totals.items()))
    for system, identify in systems.items():
        print(f"{system}: {speed(identify, kinds['sentences']):,.0f} sentences a second of CPU time")
    foreign(profiles, kinds["paragraphs"])


def best_profile(text: str, profiles: dict[str, LanguageProfile]) -> str:
    """The language of the profile that fits best, also where `--model auto` would refuse the text as foreign."""
    bits = {code: bits for code, profile in profiles.items() if (bits := profile.bits(text)) is not None}
    return min(bits, key=lambda code: bits[code]) if bits else fitting_model(text, profiles, "text")


def py3langid(codes: list[str]) -> Callable[[str], str] | None:
    """An identifier that chooses among these languages, if the package is installed."""
    try:
        import py3langid as library
    except ImportError:
        print("py3langid is not installed: only the own profiles are measured", file=sys.stderr)
        return None
    library.set_languages(codes)
    return lambda text: str(library.classify(text)[0])


def paragraphs(sentences: list[str]) -> list[str]:
    """Neighbouring sentences, five together."""
    return [" ".join(sentences[i : i + PARAGRAPH]) for i in range(0, len(sentences) - PARAGRAPH + 1, PARAGRAPH)]


def shown(found: Counter[str], code: str) -> str:
    """The share that is right, and the language that most of the others are taken for."""
    right = f"{100 * found[code] / found.total():.1f}"
    wrong = Counter({other: count for other, count in found.items() if other != code})
    return right if not wrong else f"{right} ({wrong.most_common(1)[0][0]})"


def speed(identify: Callable[[str], str], texts: Texts) -> float:
    """Texts a second of CPU time."""
    started = time.process_time()
    for text in (text for each in texts.values() for text in each):
        identify(text)
    return sum(map(len, texts.values())) / (time.process_time() - started)


def foreign(profiles: Mapping[str, LanguageProfile], texts: Texts) -> None:
    """Print how many paragraphs each model takes for foreign, of its own language and of each other one."""
    print("\n| paragraphs of | " + " | ".join(profiles) + " |")
    print("| --- |" + " --- |" * len(profiles))
    for code, own in texts.items():
        cells = [f"{sum(profile.is_foreign(text) for text in own)}" for profile in profiles.values()]
        print(f"| {code} ({len(own)}) | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
