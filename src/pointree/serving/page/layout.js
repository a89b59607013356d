// Where the words and arcs of a drawing go. Words that do not fit the width go on in the next line; an arc between
// lines leaves one at the edge and enters the other at the opposite edge.

// Sizes of text; gaps between words and between the ends of arcs; heights of the first level of arcs and of others.
export const ROOMY = { word: 18, tag: 12, label: 12, gap: 20, port: 8, first: 30, level: 22, margin: 10 };
export const COMPACT = { word: 15, tag: 10, label: 10.5, gap: 12, port: 6, first: 20, level: 15, margin: 6 };
export const STRIP = { ...COMPACT, first: 16, level: 8, isBare: true }; // keeps no room for labels

const MAX_WORD_WIDTH = 400;
const MAX_LETTERS = 200;
const MAX_PORTS_WIDTH = 160; // the ends of very many arcs at one word move closer together
const LABEL_GAP = 14; // at least, between a label and both ends of its arc together
const LABEL_RISE = 3; // of a label over its arc

// `width` may be Infinity: then there is one line. `measure(text, size)` gives the width of a text.
export function layOut(tokens, width, metrics, measure) {
  const widest = Math.min(MAX_WORD_WIDTH, width - 2 * metrics.margin);
  const words = tokens.map((token) => sizeWord(token, widest, metrics, measure));
  const hasTags = words.some((word) => word.tag !== "");
  const arcs = findArcs(tokens, metrics, measure);
  placePorts(words, arcs, metrics.port, Math.min(MAX_PORTS_WIDTH, width / 3));
  const lines = breakLines(words, arcs, width, metrics);
  const right = Math.max(0, ...words.map((word) => word.x + word.reach)) + metrics.margin;
  const segments = arcs.flatMap((arc) => cutArc(arc, words, right));
  const rise = metrics.first + LABEL_RISE + metrics.label + 2;
  const fall = 1.45 * metrics.word + (hasTags ? 1.5 * metrics.tag : 0);
  let bottom = 0;
  for (const [number, line] of lines.entries()) {
    const own = segments.filter((segment) => segment.line === number);
    const levels = placeLevels(own);
    line.ground = bottom + (levels ? rise + (levels - 1) * metrics.level : 2);
    bottom = line.ground + fall + metrics.margin;
    for (const segment of own) segment.top = line.ground - metrics.first - (segment.level - 1) * metrics.level;
  }
  for (const item of [...words, ...segments]) item.ground = lines[item.line].ground;
  return { words, segments, width: right, height: bottom, rise: LABEL_RISE };
}

function sizeWord(token, widest, metrics, measure) {
  const form = cut(token.form, widest, (text) => measure(text, metrics.word));
  const tag = token.upos === null ? "" : cut(token.upos, widest, (text) => measure(text, metrics.tag));
  const ink = Math.max(measure(form, metrics.word), tag ? measure(tag, metrics.tag) : 0);
  return { form, tag, reach: ink / 2, x: 0, line: 0 };
}

// The text, or as much of its beginning as fits.
function cut(text, widest, measure) {
  let letters = [...text.slice(0, MAX_LETTERS)];
  if (text.length <= MAX_LETTERS && measure(text) <= widest) return text;
  while (letters.length > 1 && measure(`${letters.join("")}…`) > widest) {
    letters = letters.slice(0, Math.floor(0.9 * letters.length));
  }
  return `${letters.join("")}…`;
}

function findArcs(tokens, metrics, measure) {
  return tokens.flatMap((token, place) => {
    const [head, dependent] = [token.head, place + 1];
    if (head === null || head < 0 || head > tokens.length || head === dependent) return [];
    const deprel = token.deprel ?? "_";
    const label = metrics.isBare ? 0 : measure(deprel, metrics.label);
    const [left, right] = [Math.min(head, dependent), Math.max(head, dependent)];
    return [{ head, dependent, deprel, label, left, right, out: 0, into: 0 }];
  });
}

// The lines that end at a word stand side by side: those to the left first, the longest nearest to the middle, then
// that of ROOT, then those to the right with the longest first. So the lines of nested arcs never meet.
function placePorts(words, arcs, usualGap, widest) {
  const ports = words.map(() => []);
  for (const arc of arcs) {
    const key = arc.head ? 1 / (arc.right - arc.left) : 0;
    if (arc.head) ports[arc.left - 1].push({ key, arc, side: arc.left === arc.head ? "out" : "into" });
    ports[arc.right - 1].push({ key: -key, arc, side: arc.right === arc.head ? "out" : "into" });
  }
  ports.forEach((around, place) => {
    const gap = Math.min(usualGap, widest / around.length);
    around.sort((a, b) => a.key - b.key);
    around.forEach(({ arc, side }, rank) => (arc[side] = gap * (rank - (around.length - 1) / 2)));
    words[place].reach = Math.max(words[place].reach, (gap * (around.length - 1)) / 2);
  });
  for (const arc of arcs) {
    const word = words[arc.dependent - 1];
    if (!arc.head) word.reach = Math.max(word.reach, arc.label / 2 + Math.abs(arc.into));
  }
}

// Each word as far left as its neighbour and the labels of arcs between them allow.
function breakLines(words, arcs, width, metrics) {
  const endingAt = words.map(() => []);
  for (const arc of arcs) if (arc.head) endingAt[arc.right - 1].push(arc);
  const lines = [{ first: 0 }];
  const leftmost = (place, first) => {
    const { reach } = words[place];
    let x = metrics.margin + reach;
    if (place > first) x = Math.max(x, words[place - 1].x + words[place - 1].reach + metrics.gap + reach);
    for (const arc of endingAt[place]) {
      const [near, far] = arc.head === arc.right ? [arc.out, arc.into] : [arc.into, arc.out];
      const room = arc.label ? arc.label + LABEL_GAP : 0;
      if (arc.left - 1 >= first) x = Math.max(x, words[arc.left - 1].x + far + room - near);
      else if (arc.head === arc.left) x = Math.max(x, room - near);
    }
    return x;
  };
  words.forEach((word, place) => {
    const { first } = lines.at(-1);
    word.x = leftmost(place, first);
    if (place > first && word.x + word.reach > width - metrics.margin) {
      lines.push({ first: place });
      const rightmost = Math.max(metrics.margin + word.reach, width - metrics.margin - word.reach);
      word.x = Math.min(leftmost(place, place), rightmost);
    }
    word.line = lines.length - 1;
  });
  return lines;
}

// The parts of an arc, one in each line that it passes; the one at the dependent has the label.
function cutArc(arc, words, width) {
  const end = words[arc.dependent - 1];
  const reached = end.x + arc.into;
  if (!arc.head) {
    return [{ arc, line: end.line, x1: reached, x2: reached, middle: reached, hasTip: true, isRoot: true }];
  }
  const left = words[arc.left - 1].x + (arc.left === arc.head ? arc.out : arc.into);
  const right = words[arc.right - 1].x + (arc.right === arc.head ? arc.out : arc.into);
  const [from, to] = [words[arc.left - 1].line, words[arc.right - 1].line];
  const parts = [];
  for (let line = from; line <= to; line += 1) {
    const [opensLeft, opensRight] = [line > from, line < to];
    const [x1, x2] = [opensLeft ? 0 : left, opensRight ? width : right];
    const hasTip = line === end.line;
    // Beside a tip, the label of an arc that leaves its line stays close to the word.
    const aside = Math.min((x2 - x1) / 2, 12 + arc.label / 2) * (reached === x1 ? 1 : -1);
    const beside = Math.min(Math.max(reached + aside, arc.label / 2), width - arc.label / 2);
    parts.push({ arc, line, x1, x2, opensLeft, opensRight, hasTip, middle: from === to ? (x1 + x2) / 2 : beside });
  }
  return parts;
}

// Each part on the lowest level above all shorter ones that it spans or crosses; returns the number of levels.
function placeLevels(segments) {
  const ordered = [...segments].sort((a, b) =>
    Number(a.isRoot ?? false) - Number(b.isRoot ?? false) || a.x2 - a.x1 - (b.x2 - b.x1) ||
    a.arc.right - a.arc.left - (b.arc.right - b.arc.left));
  const placed = [];
  for (const segment of ordered) {
    // A line straight down is a pixel wide; a label may be wider than its line.
    const half = segment.hasTip ? Math.max(1, segment.arc.label) / 2 : 0;
    const low = half ? Math.min(segment.x1, segment.middle - half) : segment.x1;
    const high = half ? Math.max(segment.x2, segment.middle + half) : segment.x2;
    const below = placed.filter((other) => other.low < high && low < other.high);
    segment.level = 1 + Math.max(0, ...below.map((other) => other.level));
    placed.push({ low, high, level: segment.level });
  }
  return Math.max(0, ...placed.map((each) => each.level));
}
