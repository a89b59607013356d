// The arcs so far, in the margin left of the rows of the step-through.

import { shape } from "./dom.js";

const LEVEL_WIDTH = 11;
const MAX_GUTTER = 132;

// Arcs so far run in the margin left of the words, each beyond all shorter ones that it spans.
export function drawArcs(svg, frame, rows, step) {
  const top = frame.getBoundingClientRect().top;
  const middles = rows.map((row) => {
    const box = row.word.getBoundingClientRect();
    return box.top - top + box.height / 2;
  });
  const arcs = placeArcs(step.heads);
  const levels = Math.max(1, ...arcs.map((arc) => arc.level));
  const width = svg.getBoundingClientRect().width;
  const gap = Math.min(LEVEL_WIDTH, (Math.min(width, MAX_GUTTER) - 14) / levels);
  svg.replaceChildren(...arcs.map(({ head, dependent, level }) => {
    const down = dependent > head;
    const [start, end] = [middles[head] + (down ? 3 : -3), middles[dependent]];
    const [edge, x] = [width - 6, width - 12 - gap * level];
    const bend = Math.min(6, Math.abs(end - start) / 2) * (down ? 1 : -1);
    const round = Math.min(6, edge - x);
    const path = `M${width} ${start}H${x + round}Q${x} ${start} ${x} ${start + bend}V${end - bend}` +
      `Q${x} ${end} ${x + round} ${end}H${edge}`;
    const group = shape("g", { class: dependent === step.dependent ? "arc new" : "arc" });
    const tip = `M${width} ${end}l-7 -3.5v7z`;
    group.append(shape("path", { class: "line", d: path }), shape("path", { class: "tip", d: tip }));
    return group;
  }));
}

function placeArcs(heads) {
  const skyline = new Array(heads.length + 1).fill(0);
  return heads
    .flatMap((head, place) => (head === null ? [] : [{ head, dependent: place + 1 }]))
    .sort((a, b) => Math.abs(a.head - a.dependent) - Math.abs(b.head - b.dependent))
    .map((arc) => {
      const [low, high] = [Math.min(arc.head, arc.dependent), Math.max(arc.head, arc.dependent)];
      const level = 1 + Math.max(...skyline.slice(low, high));
      skyline.fill(level, low, high);
      return { ...arc, level };
    })
    .sort((a, b) => Number(a.dependent) - Number(b.dependent));
}
