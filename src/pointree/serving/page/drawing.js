// The drawing of a tree: arcs above the words, in one line or in as many as fit the width.

import { describe } from "./conllu.js";
import { languageOf, make, shape } from "./dom.js";
import { COMPACT, ROOMY, STRIP, layOut } from "./layout.js";

export const LONG_SENTENCE = 40;

const NARROW = 480;
const SHOULDER = 0.4; // the width of the bend of an arc, of its height
const TIP = 7;
const LEFTWARD = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;

const canvas = document.createElement("canvas").getContext("2d");
let family = "";

function measure(text, size) {
  family ||= getComputedStyle(document.body).fontFamily;
  canvas.font = `${size}px ${family}`;
  return canvas.measureText(text).width;
}

// Draws into `place` again whenever its width changes. Kinds: "lines" fits the width, "line" never breaks, "strip" is
// the small one of the step-through. Returns `mark(step)`, which shows a step of the trace or, for null, the whole tree.
export function drawTree(place, sentence, kind, differing = new Set()) {
  let drawn = { element: null, width: 0 };
  let step = null;

  function redraw() {
    const width = Math.floor(place.clientWidth);
    if (!width || width === drawn.width) return;
    const isTight = sentence.tokens.length >= LONG_SENTENCE || width < NARROW;
    const metrics = kind === "strip" ? STRIP : isTight ? COMPACT : ROOMY;
    const layout = layOut(sentence.tokens, kind === "lines" ? width : Infinity, metrics, measure);
    drawn = { ...paint(sentence, layout, metrics, differing), width };
    drawn.element.classList.add(kind);
    place.replaceChildren(drawn.element);
    mark(step);
  }

  function mark(shown) {
    step = shown;
    if (!drawn.element) return;
    drawn.element.classList.toggle("is-stepping", step !== null);
    for (const { dependent, element } of drawn.arcs) {
      element.classList.toggle("is-current", dependent === step?.dependent);
      element.classList.toggle("is-later", step !== null && step.heads[dependent - 1] === null);
    }
    drawn.words.forEach((element, index) => {
      element.classList.toggle("focus-word", index + 1 === step?.focus);
      element.classList.toggle("head-word", index + 1 === step?.position && step.position !== step.focus);
    });
    if (kind !== "lines" && step !== null) centre(place, drawn.words, step);
  }

  const observer = new ResizeObserver(redraw);
  observer.observe(place);
  redraw();
  return { mark, stop: () => observer.disconnect() };
}

// Scrolls sideways so that the arc, or its focus word where the arc is too long, is in the middle.
function centre(place, words, step) {
  const frame = place.getBoundingClientRect();
  const boxes = [step.focus, step.position].filter(Boolean).map((position) => words[position - 1].getBoundingClientRect());
  const [low, high] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
  const middle = high - low < frame.width ? (low + high) / 2 : (boxes[0].left + boxes[0].right) / 2;
  place.scrollLeft += middle - (frame.left + frame.width / 2);
  place.scrollTop = place.scrollHeight; // where the words are, should the arcs be too high for the frame
}

function paint(sentence, layout, metrics, differing) {
  const forms = sentence.tokens.map((token) => token.form).join("");
  const leftward = (forms.match(LEFTWARD)?.length ?? 0) > forms.length / 2;
  const mirror = (x) => (leftward ? layout.width - x : x);
  const element = shape("svg", {
    class: "drawing", role: "img", "aria-label": describe(sentence),
    width: Math.ceil(layout.width), height: Math.ceil(layout.height),
    viewBox: `0 0 ${Math.ceil(layout.width)} ${Math.ceil(layout.height)}`,
  });
  const names = ["ROOT", ...sentence.tokens.map((token) => token.form)];
  const arcs = layout.segments.map((segment) => {
    const { head, dependent, deprel } = segment.arc;
    const group = shape("g", { class: differing.has(dependent) ? "arc differs" : "arc" });
    group.append(shape("title", {}, `${names[dependent]} is ${deprel} of ${names[head]}`));
    group.append(...paintArc(segment, mirror, leftward, metrics, layout.rise));
    return { dependent, element: group };
  });
  const lang = languageOf(forms);
  const words = layout.words.map((word, place) => {
    const group = shape("g", { class: "word" });
    const y = word.ground + 1.15 * metrics.word;
    const x = mirror(word.x);
    group.append(shape("text", { class: "form", lang, x, y, "font-size": metrics.word }, word.form));
    const below = { class: "upos", x, y: y + 1.45 * metrics.tag, "font-size": metrics.tag };
    if (word.tag) group.append(shape("text", below, word.tag));
    if (word.form !== names[place + 1]) group.append(shape("title", {}, names[place + 1]));
    return group;
  });
  element.append(...arcs.map((arc) => arc.element), ...words);
  return { element, arcs, words };
}

function paintArc(segment, mirror, leftward, metrics, rise) {
  const { arc, ground, top, isRoot, hasTip } = segment;
  const foot = ground - TIP / 2; // inside the tip, where the blunt end of the line is not seen
  const [left, right] = [mirror(segment.x1), mirror(segment.x2)].sort((a, b) => a - b);
  const edges = [segment.opensLeft, segment.opensRight];
  const [opensLeft, opensRight] = leftward ? edges.reverse() : edges;
  const bend = Math.min((right - left) / 2, SHOULDER * (foot - top));
  const curve = `A${bend} ${foot - top} 0 0 1`;
  const line = isRoot
    ? `M${left} ${top}V${foot}`
    : (opensLeft ? `M${left} ${top}` : `M${left} ${foot}${curve} ${left + bend} ${top}`) +
      (opensRight ? `H${right}` : `H${right - bend}${curve} ${right} ${foot}`);
  const parts = [shape("path", { class: "line", d: line })];
  if (hasTip) {
    const atLeft = (arc.dependent === arc.left) !== leftward;
    const x = isRoot || atLeft ? left : right;
    const middle = metrics.isBare ? (left + right) / 2 : mirror(segment.middle);
    parts.push(shape("path", { class: "tip", d: `M${x} ${ground}l-3.2 -${TIP}h6.4z` }));
    parts.push(shape("text", { class: "deprel", x: middle, y: top - rise, "font-size": metrics.label }, arc.deprel));
  }
  return parts;
}

// The frame of a drawing, which can be scrolled with the keyboard.
export function makeFrame(name) {
  const frame = make("div", "view");
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", name);
  return frame;
}
