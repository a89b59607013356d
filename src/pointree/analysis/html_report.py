"""An analysis as one HTML page that needs nothing else: styles, charts and tables are all in the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pointree.analysis.bootstrap import Comparison
from pointree.analysis.breakdown import Breakdown
from pointree.analysis.compare import Analysis
from pointree.analysis.line_chart import LineChart, marker

__all__ = ["html_report"]

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2430; --faint: #667085; --rule: #e4e7ec; --wash: #f7f8fa;
  --s0: #3d4652; --s1: #0072b2; --s2: #d55e00; --s3: #009e73; --s4: #b0508c; --s5: #a37a00; --s6: #2f8fc4;
  --s7: #7a5cc9; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161c; --ink: #e6e9ee; --faint: #98a2b3; --rule: #2a313b;
  --wash: #191f27; --s0: #cbd2dc; --s1: #56b4e9; --s2: #ff8a4c; --s3: #2fc796; --s4: #e690c0; --s5: #e5b93c;
  --s6: #8fd0f5; --s7: #b29df0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 70rem; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p { max-width: 46rem; margin: .4rem 0; } .faint { color: var(--faint); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .3rem .65rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--faint); } th:first-child, td:first-child { text-align: left; }
tbody tr:hover { background: var(--wash); } td.best { font-weight: 700; }
th.over { text-align: center; color: var(--ink); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .5rem; border: 1px solid var(--rule); border-radius: 8px; }
.chart { width: 100%; height: auto; display: block; } .chart text { fill: var(--ink); font-size: 12px; }
.chart .title { font-size: 14px; font-weight: 600; } .chart .words { fill: var(--faint); font-size: 10.5px; }
.chart .grid { stroke: var(--rule); } .line { fill: none; stroke: currentColor; stroke-width: 2; }
.chart g path:not(.line), .legend path { fill: currentColor; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: .6rem 0; padding: 0; list-style: none; }
.legend li { display: flex; align-items: center; gap: .45rem; } .legend svg { width: 14px; height: 14px; }
.legend span { color: var(--ink); }
"""

_COLOURS = "\n".join(f".s{number} {{ color: var(--s{number}); }}" for number in range(8))


def html_report(analysis: Analysis) -> str:
    """The page as text."""
    title = f"Analysis of {analysis.gold}"
    breakdowns = {breakdown.key: breakdown for breakdown in analysis.breakdowns}
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="faint">{analysis.words:,} words in {analysis.sentences:,} sentences. Accuracies in percent of gold '
        f"words; labels are compared {'as a whole' if analysis.subtypes else 'without their subtypes'}.</p>",
        "<h2>Scores</h2>",
        _scores(analysis),
        _differences(analysis),
        "<h2>Accuracy by sentence length and word position</h2>",
        "<p>The two questions of the paper's figure, and its groups. Below each group: its number of words.</p>",
        _charts(analysis, [breakdowns["sentence_length"], breakdowns["word_position"]]),
        "<h2>Dependency length and crossing arcs</h2>",
        "<p>P is precision: of the arcs of that kind in the system's trees, the share with right head and label.</p>",
        _charts(analysis, [breakdowns["dependency_length"]]),
        *(_table(analysis, breakdowns[key]) for key in ("dependency_length", "projectivity")),
        "<h2>Labels</h2>",
        _table(analysis, breakdowns["label"]),
        "<h2>Tags</h2>",
        _table(analysis, breakdowns["upos"]),
    ]
    body = "\n".join(section for section in sections if section)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}{_COLOURS}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _scores(analysis: Analysis) -> str:
    rows = [
        [escape(name), *score.cells(of_arcs=False)]
        for name, score in zip(analysis.systems, analysis.scores, strict=True)
    ]
    best = [(row, column) for column in (1, 2) for row in _best([float(cells[column]) for cells in rows])]
    return _markup(["system", "UAS", "LAS"], rows, best)


def _differences(analysis: Analysis) -> str:
    if not analysis.differences:
        return ""
    rows = [
        [
            f"{escape(difference.first)} − {escape(difference.second)}",
            *(cell for each in (difference.uas, difference.las) for cell in _comparison(each)),
        ]
        for difference in analysis.differences
    ]
    columns = ["systems", "UAS", "95 % interval", "p", "LAS", "95 % interval", "p"]
    significant = [
        (row, column)
        for row, difference in enumerate(analysis.differences)
        for column, each in ((1, difference.uas), (4, difference.las))
        if each.p_value < 0.05
    ]
    note = (
        f'<p class="faint">Paired bootstrap over sentences, {analysis.resamples:,} resamples, seed {analysis.seed}, '
        "two-sided; bold: p &lt; 0.05.</p>"
    )
    return "<h2>Differences</h2>" + _markup(columns, rows, significant) + note


def _comparison(comparison: Comparison) -> list[str]:
    p_value = "&lt; 0.001" if comparison.p_value < 0.001 else f"{comparison.p_value:.3f}"
    interval = f"{comparison.low:+.2f} … {comparison.high:+.2f}"
    return [_signed(f"{comparison.difference:+.2f}"), _signed(interval), p_value]


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _charts(analysis: Analysis, breakdowns: Sequence[Breakdown]) -> str:
    figures = []
    for metric in ("las", "uas"):
        for breakdown in breakdowns:
            groups = [group for group in breakdown.groups if group.words]
            series = [
                (name, [getattr(group.accuracies[place], metric) for group in groups])
                for place, name in enumerate(analysis.systems)
            ]
            sizes = [(group.name, group.words) for group in groups]
            chart = LineChart(f"{metric.upper()} by {breakdown.title.lower()}", sizes, series)
            figures.append(f"<figure>{chart.to_svg()}</figure>")
    return _legend(analysis.systems) + f'<div class="charts">{"".join(figures)}</div>'


def _legend(systems: Sequence[str]) -> str:
    items = "".join(
        f'<li class="s{number % 8}"><svg viewBox="-7 -7 14 14"><path d="{marker(number)}"/></svg>'
        f"<span>{escape(name)}</span></li>"
        for number, name in enumerate(systems)
    )
    return f'<ul class="legend">{items}</ul>'


def _table(analysis: Analysis, breakdown: Breakdown) -> str:
    measures = ["UAS", "LAS", "P"] if breakdown.of_arcs else ["UAS", "LAS"]
    columns = [breakdown.title, "words", *(measure for _name in analysis.systems for measure in measures)]
    over = "<th></th><th></th>" + "".join(
        f'<th class="over" colspan="{len(measures)}">{escape(name)}</th>' for name in analysis.systems
    )
    rows, best = [], []
    for number, group in enumerate(breakdown.groups):
        cells = [cell for accuracy in group.accuracies for cell in accuracy.cells(breakdown.of_arcs)]
        rows.append([escape(group.name), f"{group.words:,}", *cells])
        winners = _best([accuracy.las for accuracy in group.accuracies if accuracy.las is not None])
        best += [(number, 2 + place * len(measures) + 1) for place in winners]
    return _markup(columns, rows, best, over)


def _best(values: Sequence[float]) -> list[int]:
    """The places of the greatest value, if there is anything to compare."""
    return [place for place, value in enumerate(values) if len(values) > 1 and value == max(values)]


def _markup(
    columns: Sequence[str], rows: Sequence[Sequence[str]], best: Iterable[tuple[int, int]], over: str = ""
) -> str:
    """A table, some of its cells in bold; `over` are the cells of a row above the names of the columns."""
    bold = set(best)
    head = (f"<tr>{over}</tr>" if over else "") + f"<tr>{''.join(f'<th>{column}</th>' for column in columns)}</tr>"
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="best">{cell}</td>' if (number, place) in bold else f"<td>{cell}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>\n"
        for number, row in enumerate(rows)
    )
    return f'<div class="scroll"><table><thead>{head}</thead><tbody>\n{body}</tbody></table></div>'
