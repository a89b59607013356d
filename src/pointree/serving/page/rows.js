// The rows of the step-through: for every position the probability that the pointer gives it, or why it is illegal.

import { make, percent } from "./dom.js";

const TAGS = { leftmost: "leftmost", rightmost: "rightmost", "last-left": "last left", "last-right": "last right",
  parent: "parent", sibling: "sibling" };
const RULES = {
  itself: "itself",
  cycle: "cycle",
  "single-root": "single root",
  crossing: "crossing",
  "covers-top": "covers top",
  covered: "covered",
  root: "ROOT",
  "has-head": "has head",
  passed: "passed",
  "left-behind": "left behind",
};

export function makeRow(form, position, trace) {
  const element = make("tr");
  const head = make("th");
  head.scope = "row";
  const word = make("bdi", "form", form);
  const deprel = make("span", "deprel");
  const tags = make("span", "tags");
  head.append(word, deprel, tags);
  if (position) head.title = `${position}: ${form}${trace.upos[position] === "_" ? "" : `, ${trace.upos[position]}`}`;
  const cell = make("td", "track");
  const [scale, ghost, bar, reason] = ["scale", "ghost", "bar", "reason"].map((name) => make("span", name));
  scale.append(ghost, bar);
  cell.append(scale, reason);
  const value = make("td", "value");
  element.append(head, cell, value);
  return { element, word, deprel, tags, cell, ghost, bar, reason, value };
}

export function showRow(row, position, trace, step) {
  const broken = step.illegal.filter((head) => head.position === position);
  const slots = step.sources.filter((source) => source.word === position && source.slot in TAGS);
  const tags = slots.map((source) => make("span", "tag slot", TAGS[source.slot]));
  if (position === step.focus) tags.push(make("span", "tag focus", "focus"));
  const isTarget = position === step.position && position !== step.focus;
  if (isTarget) tags.push(make("span", "tag head", position === step.head ? "head" : "dependent"));
  if (position === step.position && position === step.focus) tags.push(make("span", "tag head", "popped"));
  row.tags.replaceChildren(...tags);
  row.element.classList.toggle("is-focus", position === step.focus);
  row.element.classList.toggle("is-head", isTarget);
  row.element.classList.toggle("is-slot", slots.length > 0);
  row.element.classList.toggle("is-illegal", broken.length > 0);
  const attached = position > 0 && step.heads[position - 1] !== null;
  const own = trace.steps.find((each) => each.dependent === position);
  row.deprel.textContent = attached ? own.labels[0].deprel : "";
  row.ghost.style.width = `${100 * step.raw_probs[position]}%`;
  row.bar.style.width = `${100 * step.probs[position]}%`;
  row.reason.replaceChildren();
  if (broken.length) {
    const rules = broken.map((head) => RULES[head.rule] ?? head.rule).join(", ");
    row.reason.append(make("span", "unseen", "Illegal: "), make("b", "", rules), ` ${broken[0].explanation}`);
  }
  // A reason needs the room that a probability leaves.
  row.cell.colSpan = broken.length ? 2 : 1;
  row.value.hidden = broken.length > 0;
  row.reason.title = broken.map((head) => head.explanation).join("\n");
  row.value.textContent = percent(step.probs[position]);
  row.value.title = `${percent(step.raw_probs[position])} before illegal positions are ruled out`;
}

// Scrolls `list` so that the focus row and, if there is room, the row that it points at are in view.
export function keepInView(list, rows, step) {
  const frame = list.getBoundingClientRect();
  const offset = frame.top + list.clientTop - list.scrollTop;
  const [focus, head] = [step.focus, step.position].map((position) => {
    const box = rows[position].element.getBoundingClientRect();
    return { top: box.top - offset, bottom: box.bottom - offset };
  });
  const both = { top: Math.min(focus.top, head.top), bottom: Math.max(focus.bottom, head.bottom) };
  const { top, bottom } = both.bottom - both.top <= list.clientHeight ? both : focus;
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) {
    list.scrollTop = (top + bottom - list.clientHeight) / 2;
  }
}
