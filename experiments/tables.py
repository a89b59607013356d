"""Write the tables of the experiments' documents: `python experiments/tables.py`.

Each table stands between `<!-- table: NAME -->` and `<!-- end of table -->` and follows from the recorded results alone
(the table of available dependents: from the dev files in the folder `UD`). A test holds the documents to it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from pointree.analysis import treebank_statistics
from pointree.experiments.differences import SeedDifference, seed_difference
from pointree.experiments.grid import load_grid
from pointree.experiments.paper import PaperScore, paper_available, paper_score
from pointree.experiments.report import Entry, Report, decisive_metric, make_report
from pointree.experiments.results import read_json, result_path
from pointree.experiments.systems import SYSTEMS
from pointree.release.card import SCORE_NAMES
from pointree.release.recipe import load_recipe

HERE = Path(__file__).resolve().parent
NOTES = HERE.parent / "docs" / "notes"
BASE = "l2r-sequential"
QUICK = ("tr_imst_quick", "tr_imst_quick_fusions", "tr_imst_quick_gold")
"""The grids of Turkish at half the width: all are compared with the base of the first."""
FIRST = ("tr_imst", "ko_gsd", "en_ewt", *QUICK)
"""The grids that tables begin with; the others follow by their names."""
BLOCK = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
DEV_FILES = ("en_ewt", "eu_bdt", "fi_tdt", "he_htb", "it_isdt", "ko_gsd", "sv_talbanken", "tr_imst", "zh_gsd")


def reports() -> Iterator[Report]:
    """The reports of all grids that have results, each made when it is asked for first."""
    others = ("earlier", "english", "languages")
    recorded = sorted(path.name for path in (HERE / "results").iterdir() if path.name not in others)
    for name in dict.fromkeys([*FIRST, *recorded]):
        report = _report(name)
        if report.results:
            yield report


@cache  # most tables need most of them
def _report(name: str) -> Report:
    return make_report(load_grid(HERE / f"{name}.toml", {}, need_files=False), HERE / "results" / name)


# Table 3


def beside_the_paper() -> Iterator[str]:
    """Our rows beside the paper's: mean ± standard deviation over seeds, strict and lax."""
    yield "| grid | system | seeds | dev LAS | the paper | test LAS | without subtypes | the paper |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for report in reports():
        if report.grid.paper != "ud" or not any(cell.tested for cell in report.grid.cells):
            continue
        for system in report.row_names:
            for treebank in report.grid.treebanks:
                dev = report.entry("dev", system, treebank.name, "las_subtypes")
                if not dev.values:
                    continue
                strict, lax = (report.entry("test", system, treebank.name, name) for name in ("las_subtypes", "las"))
                cells = [_score(dev), _paper(dev.paper), _score(strict), _score(lax), _paper(strict.paper)]
                yield f"| {report.grid.name} | {_system(system)} | {_seeds(dev)} | " + " | ".join(cells) + " |"


def _system(name: str) -> str:
    system = SYSTEMS.get(name)
    if system is None:
        return name.replace("-", " ")
    return f"{system.transition} sequential" if system.fusion == "none" else f"{system.transition} {system.fusion_name}"


def _seeds(entry: Entry) -> str:
    seeds = sorted(entry.values)
    several = len(seeds) > 1 and seeds == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]}–{seeds[-1]}" if several else ", ".join(map(str, seeds))


def _score(entry: Entry) -> str:
    if entry.mean is None:
        return ""
    return f"{entry.mean:.2f}" + ("" if entry.sd is None else f" ± {entry.sd:.2f}")


def _paper(score: PaperScore | None) -> str:
    if score is None:
        return ""
    return f"{score.mean:.2f}" + ("" if score.sd is None else f" ± {score.sd:.2f}")


# Tables 4 and 5


def penn_protocol() -> Iterator[str]:
    """Grids that are scored without punctuation: mean ± standard deviation over seeds."""
    yield "| grid | system | seeds | dev UAS | dev LAS | test UAS | test LAS |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    metrics = ("no_punct.uas", "no_punct.las")
    for report in reports():
        for entry in report.entries:
            if (entry.split, entry.metric) != ("dev", metrics[0]) or not entry.values:
                continue
            own = {(e.split, e.metric): e for e in report.entries if (e.system, e.treebank) == _place(entry)}
            scores = [own.get((split, metric)) for split in ("dev", "test") for metric in metrics]
            cells = ["" if score is None else _score(score) for score in scores]
            yield f"| {report.grid.name} | {_system(entry.system)} | {_seeds(entry)} | " + " | ".join(cells) + " |"


def _place(entry: Entry) -> tuple[str, str]:
    return entry.system, entry.treebank


# Table 6


def dependents() -> Iterator[str]:
    """Dependents that each order has at hand, per sentence of dev: ours, and the paper's in parentheses."""
    yield "| dev of | L2R | long | R2L | long | O-I | long | longer than 4: L2R, R2L, O-I |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in DEV_FILES:
        found = treebank_statistics(Path(os.environ["UD"], name, f"{name}-ud-dev.conllu")).available
        orders = [found[order] for order in ("left-to-right", "right-to-left", "outside-in")]
        ours = [value for order in orders for value in (order.all, order.longer_than_2)]
        printed = paper_available(name[:2])
        cells = [f"{own:.2f} ({theirs:.2f})" for own, theirs in zip(ours, printed, strict=True)]
        over_4 = ", ".join(f"{order.longer_than_4:.2f}" for order in orders)
        yield f"| {name} | " + " | ".join([*cells, over_4]) + " |"


# Does the hierarchy help?


def differences(split: str) -> Iterator[tuple[str, str, SeedDifference]]:
    """The grid, the system and its difference to the base, for all systems at half the width on Turkish."""
    base: Mapping[int, float] = {}
    for report in reports():
        if report.grid.name not in QUICK:
            continue
        metric = decisive_metric(report.grid)
        for entry in report.entries:
            if (entry.split, entry.metric) != (split, metric):
                continue
            if entry.system == BASE and report.grid.name == QUICK[0]:
                base = entry.values
            elif (found := seed_difference(entry.values, base)) is not None:
                yield report.grid.name, entry.system, found


def hierarchy() -> Iterator[str]:
    """Each system's difference to sequential decoding over seeds, on dev and test."""
    yield "| system | training | dev | 95 % | seeds ahead | test | 95 % | seeds ahead |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    tests = {(grid, system): found for grid, system, found in differences("test")}
    for grid, system, found in differences("dev"):
        histories = "gold histories" if grid.endswith("gold") else "its own predictions"
        on_test = tests.get((grid, system))
        cells = [*found.cells(), *(["", "", ""] if on_test is None else on_test.cells())]
        gate = f" {SYSTEMS[system].gate_name}" if system in SYSTEMS else ""
        yield f"| {_system(system)}{gate} | {histories} | " + " | ".join(cells) + " |"


def verdict() -> Iterator[str]:
    """What the table shows, in a sentence for each split."""
    for split in ("dev", "test"):
        found = [(_label(grid, system), each) for grid, system, each in differences(split) if system in SYSTEMS]
        judged = [(label, each.interval) for label, each in found if each.interval is not None]
        better = [label for label, (low, _high) in judged if low > 0]
        worse = [label for label, (_low, high) in judged if high < 0]
        yield (
            f"- On {split}, of {len(judged)} hierarchical systems with two seeds or more, {_some(better, 'better')} "
            f"than sequential decoding, and {_some(worse, 'worse')}."
        )


def _label(grid: str, system: str) -> str:
    gate = SYSTEMS[system].gate_name
    return f"{_system(system)} {gate}" + (" over gold histories" if grid.endswith("gold") else "")


def _some(labels: list[str], how: str) -> str:
    if not labels:
        return f"none is clearly {how}"
    return f"{len(labels)} {'is' if len(labels) == 1 else 'are'} clearly {how} ({', '.join(labels)})"


# All results


def all_results() -> Iterator[str]:
    """Every recorded cell of the grids as they are."""
    yield from _result_head()
    for report in reports():
        for cell in report.grid.cells:
            if cell.name in report.results:
                path = result_path(HERE / "results" / report.grid.name, cell.name)
                yield _result_row(f"{report.grid.name}/{cell.name}", path)


def earlier_results() -> Iterator[str]:
    """Every recorded cell of earlier recipes."""
    yield from _result_head()
    folder = HERE / "results"
    for path in sorted((folder / "earlier").rglob("*.json")):
        yield _result_row(path.relative_to(folder).with_suffix("").as_posix(), path)


def _result_head() -> Iterator[str]:
    measures = ["dev UAS", "dev LAS", "without subtypes", "test UAS", "test LAS", "without subtypes", "test CLAS"]
    yield "| result | " + " | ".join([*measures, "best epoch", "minutes", "the paper, test LAS"]) + " |"
    yield "| --- " * 11 + "|"


def _result_row(name: str, path: Path) -> str:
    result: dict[str, Any] = read_json(path) or {}
    columns = [(split, metric) for split in ("dev", "test") for metric in ("uas", "las_subtypes", "las")]
    figures = [_figure(result, *column) for column in (*columns, ("test", "clas"))]
    training = ["", ""]
    if "epochs" in result:
        training = [f"{result['best_epoch']} of {result['epochs']}", f"{result['seconds']['train'] / 60:.0f}"]
    paper = paper_score("ud", "test", result["system"], result["treebank"][:2], "las_subtypes")
    link = f"[{name}](../../experiments/{path.relative_to(HERE).as_posix()})"
    return f"| {link} | " + " | ".join([*figures, *training, _paper(paper)]) + " |"


def _figure(result: Mapping[str, Any], split: str, metric: str) -> str:
    return f"{result[split][metric]:.2f}" if split in result else ""


# English


ENGLISH = ("en", "en-fast")
BUNDLED = HERE.parent / "src" / "pointree" / "models" / "bundled"


def english(models: Sequence[str] = ENGLISH) -> Iterator[str]:
    """The bundled models on test, from raw text and with gold tokens."""
    measures = ("tokens", "sentences", "upos", "xpos", "ufeats", "lemmas", "uas", "las", "clas")
    yield "| model | input | " + " | ".join(SCORE_NAMES[name] for name in measures) + " |"
    yield "| --- " * (len(measures) + 2) + "|"
    for name in models:
        if (result := read_json(HERE / "results" / "english" / f"{name}.json")) is None:
            continue
        greedy, beam = result["test"], result["beam"]
        for what, scores in (
            ("raw text", greedy["raw"]),
            ("raw text, `--beam 10`", beam["raw"]),
            ("gold tokens", greedy["gold"]),
            ("gold tokens, `--beam 10`", beam["gold"]),
        ):
            yield f"| `{name}` | {what} | " + " | ".join(f"{scores[measure]:.2f}" for measure in measures) + " |"


# Languages


def released() -> list[dict[str, Any]]:
    """The results of `pointree release`, in the order of the recipe."""
    codes = [recipe.code for recipe in load_recipe(HERE / "languages.toml")]
    found = [read_json(HERE / "results" / "languages" / f"{code}.json") for code in codes]
    return [result for result in found if result is not None]


def languages() -> Iterator[str]:
    """Each model from raw text on test, beside UDPipe 1 and 2."""
    measures = ("tokens", "sentences", "words", "upos", "ufeats", "lemmas", "uas", "las")
    yield (
        "| model | treebank | "
        + " | ".join(SCORE_NAMES[name] for name in measures)
        + " | UDPipe 1 | UDPipe 2 | MB | words/s |"
    )
    yield "| --- " * (len(measures) + 6) + "|"
    for result in released():
        test, published = result["test"], result.get("published")
        cells = [f"{test['raw'][name]:.2f}" for name in measures]
        cells.append(_udpipe1(result, "raw"))
        other = "" if published is None or published["release"] == result["release"] else f" ({published['release']})"
        cells.append("" if published is None else f"{published['raw']:.2f}{other}")
        cells += [f"{result['size'] / 1e6:.1f}", f"{test['words_per_s']:,}"]
        yield (
            f"| `{result['code']}` {result['name']} | {result['treebank']} {result['release']} | "
            + " | ".join(cells)
            + " |"
        )


def languages_with_gold_tokens() -> Iterator[str]:
    """Each model with gold tokens on test, beside UDPipe 1 and 2."""
    measures = ("upos", "xpos", "ufeats", "lemmas", "uas", "las")
    yield (
        "| model | "
        + " | ".join(SCORE_NAMES[name] for name in measures)
        + " | UDPipe 1 | UDPipe 2 | best epoch | minutes |"
    )
    yield "| --- " * (len(measures) + 5) + "|"
    for result in released():
        cells = [f"{result['test']['gold'][name]:.2f}" for name in measures]
        cells.append(_udpipe1(result, "gold"))
        cells.append(f"{result['published']['gold']:.2f}" if "published" in result else "")
        cells += [f"{result['best_epoch']} of {result['epochs']}", f"{result['seconds'] / 60:.0f}"]
        yield f"| `{result['code']}` | " + " | ".join(cells) + " |"


def _udpipe1(result: dict[str, Any], given: str) -> str:
    """The LAS of UDPipe 1: trained here with its defaults, or else that of its authors' model."""
    if "udpipe1" in result:
        return f"{result['udpipe1']['test'][given]['las']:.2f}"
    return f"{result['published_udpipe1'][given]:.2f} (published)" if "published_udpipe1" in result else ""


CATALOGUE = HERE.parent / "src" / "pointree" / "models" / "catalogue.json"


def catalogue() -> str:
    """The list of models that can be installed, as the package has it: those of the folder `models`."""
    entries = {
        result["code"]: {
            "language": result["name"],
            "treebank": f"{result['treebank']} {result['release']}",
            "size": result["size"],
            "las": result["test"]["raw"]["las"],
        }
        for result in released()
        if (HERE.parent / "models" / result["code"] / "pointree.json").is_file()
    }
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "table-3": beside_the_paper,
    "tables-4-5": penn_protocol,
    "table-6": dependents,
    "hierarchy": hierarchy,
    "verdict": verdict,
    "all-results": all_results,
    "earlier-results": earlier_results,
    "english": english,
    **{f"english-{name}": partial(english, (name,)) for name in ENGLISH},
    "languages": languages,
    "languages-gold-tokens": languages_with_gold_tokens,
}
_NOTES = ("results", "hierarchy", "ablations", "languages", "english-model")
_CARDS = (path for name in ENGLISH if (path := BUNDLED / name / "README.md").exists())
DOCUMENTS = (HERE / "README.md", HERE.parent / "README.md", *_CARDS, *(NOTES / f"{name}.md" for name in _NOTES))


def updated(text: str, tables: Mapping[str, Callable[[], Iterator[str]]] = TABLES) -> str:
    """A document with its tables as they should be; those without an entry stay as they are."""

    def replacement(found: re.Match[str]) -> str:
        name = found[2]
        return found[0] if name not in tables else found[1] + "".join(f"{line}\n" for line in tables[name]()) + found[3]

    return BLOCK.sub(replacement, text)


def main() -> None:
    """Bring all documents up to date; without UD, the table of available dependents stays as it is."""
    tables = {name: make for name, make in TABLES.items() if name != "table-6" or "UD" in os.environ}
    for path in DOCUMENTS:
        before = path.read_text(encoding="utf-8")
        after = updated(before, tables)
        if after != before:
            path.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{path.name} has changed\n")
    CATALOGUE.write_text(catalogue(), encoding="utf-8")


if __name__ == "__main__":
    main()
