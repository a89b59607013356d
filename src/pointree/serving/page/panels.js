// What the step-through shows beside and below the rows: relations, states, gate and hypotheses.

import { make, percent } from "./dom.js";

const SLOTS = {
  previous: "Previous step",
  leftmost: "Leftmost dependent",
  rightmost: "Rightmost dependent",
  "last-left": "Last attached, left",
  "last-right": "Last attached, right",
  parent: "Parent",
  sibling: "Last sibling",
};
// A share as a name, a bar and a number; all three blocks of the side column are made of these.
function meter(name, share, { empty = false, first = false } = {}) {
  const element = make("div", `meter${empty ? " is-empty" : ""}${first ? " is-first" : ""}`);
  const bar = make("span", "bar");
  bar.style.width = `${100 * share}%`;
  const track = make("span", "track");
  track.append(bar);
  element.append(name, track, make("span", "value", empty ? "empty" : percent(share)));
  return element;
}

export function showLabels(place, trace, step) {
  place.replaceChildren(...step.labels.map((label, rank) =>
    meter(make("span", "name", label.deprel), label.prob, { first: rank === 0 })));
}

export function showSources(place, trace, step) {
  place.replaceChildren(...step.sources.map((source) => {
    const name = make("span", "name", SLOTS[source.slot] ?? source.slot);
    const isStart = source.slot === "previous" && source.word === null;
    if (source.word !== null || isStart) {
      const start = step.number === 1 ? "initial state" : trace.forms[0];
      name.append(" ", make("bdi", "form", isStart ? start : trace.forms[source.word]));
    }
    return meter(name, source.share, { empty: source.word === null && !isStart });
  }));
}

export function showGate(openings, histogram, gate) {
  openings.replaceChildren(
    meter(make("span", "name", "Hidden state, mean"), gate.hidden),
    meter(make("span", "name", "Cell, mean"), gate.cell));
  const most = Math.max(...gate.tenths);
  histogram.replaceChildren(...gate.tenths.map((share, tenth) => {
    const bar = make("span");
    bar.style.height = `${(100 * share) / most}%`;
    bar.title = `${percent(share)} of the units opened ${tenth / 10} to ${(tenth + 1) / 10}`;
    return bar;
  }));
  const widest = gate.tenths.indexOf(most);
  histogram.setAttribute("aria-label", `Units by opening; most opened ${widest / 10} to ${(widest + 1) / 10}`);
}

export function showBeam(place, trace, step) {
  place.replaceChildren(...step.hypotheses.map((hypothesis) => {
    const row = make("tr", hypothesis.best ? "is-best" : hypothesis.kept ? "" : "is-dropped");
    const arc = make("td", "arc");
    const target = hypothesis.head === null ? make("em", "", "pop") : make("bdi", "", trace.forms[hypothesis.position]);
    arc.append(make("bdi", "", trace.forms[hypothesis.focus]), " → ", target);
    const isUp = hypothesis.head === hypothesis.position;
    const dependent = hypothesis.head === null ? null : isUp ? hypothesis.focus : hypothesis.position;
    const heads = make("td", "so-far");
    heads.append(...hypothesis.heads.map((head, place) =>
      make("span", place + 1 === dependent ? "new" : "", head === null ? "·" : String(head))));
    heads.title = hypothesis.heads.flatMap((head, place) =>
      head === null ? [] : [`${trace.forms[place + 1]} → ${trace.forms[head]}`]).join("\n");
    row.append(
      make("td", "number", String(hypothesis.rank)),
      make("td", "number", hypothesis.log_prob.toFixed(3)),
      make("td", "number", hypothesis.origin === null ? "–" : String(hypothesis.origin)),
      arc,
      make("td", "fate", hypothesis.best ? "becomes the tree" : hypothesis.kept ? "kept" : "dropped"),
      heads);
    return row;
  }));
}
