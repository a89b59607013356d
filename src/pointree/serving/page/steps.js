// The step-through of one trace (docs/reference/trace.md): focus word, distribution, arcs so far, states, gate and beam.

const SECONDS_A_STEP = 1.3;
const LEVEL_WIDTH = 11;
const MAX_GUTTER = 132;
const SVG = "http://www.w3.org/2000/svg";

const SLOTS = {
  previous: "Previous step",
  leftmost: "Leftmost dependent",
  rightmost: "Rightmost dependent",
  "last-left": "Last attached, left",
  "last-right": "Last attached, right",
};
const TAGS = { leftmost: "leftmost", rightmost: "rightmost", "last-left": "last left", "last-right": "last right" };
const RULES = {
  itself: "itself",
  cycle: "cycle",
  "single-root": "single root",
  crossing: "crossing",
  "covers-top": "covers top",
  covered: "covered",
};

const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
const quoted = (trace, position) => (position ? `“${trace.forms[position]}”` : "ROOT");

function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

export function openSteps(element, trace) {
  const find = (selector) => element.querySelector(selector);
  const slider = find(".slider");
  const rows = trace.forms.map((form, position) => makeRow(form, position, trace));
  let number = 1;
  let timer = null;

  find(".heads tbody").append(...rows.map((row) => row.element));
  slider.max = trace.steps.length;
  find(".beam").hidden = trace.beam === 1;
  find(".gate").hidden = trace.steps[0].gate === null;
  element.setAttribute("aria-label", `Step-through, ${trace.order}, ${trace.steps.length} steps`);

  function show(wanted) {
    const isNew = number !== wanted;
    number = Math.min(Math.max(wanted, 1), trace.steps.length);
    const step = trace.steps[number - 1];
    slider.value = number;
    slider.setAttribute("aria-valuetext", `${number} of ${trace.steps.length}`);
    find(".count").textContent = `${number} / ${trace.steps.length}`;
    find(".narration").replaceChildren(...narrate(trace, step));
    rows.forEach((row, position) => showRow(row, position, trace, step));
    showLabels(find(".labels"), trace, step);
    showSources(find(".sources"), trace, step);
    if (step.gate) showGate(find(".openings"), find(".histogram"), step.gate);
    showBeam(find(".beam tbody"), trace, step);
    element.classList.toggle("moved", isNew);
    draw();
    for (const selector of [".first", ".previous"]) setDisabled(find(selector), number === 1);
    for (const selector of [".next", ".last"]) setDisabled(find(selector), number === trace.steps.length);
  }

  function draw() {
    drawArcs(find(".arcs"), find(".positions"), rows, trace.steps[number - 1]);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    element.classList.remove("playing");
    setLabel(find(".play"), "Play");
  }

  function play() {
    if (timer !== null) return pause();
    if (number === trace.steps.length) show(1);
    element.classList.add("playing");
    setLabel(find(".play"), "Pause");
    timer = setInterval(() => {
      if (!element.isConnected || number === trace.steps.length) return pause();
      show(number + 1);
      if (number === trace.steps.length) pause();
    }, 1000 * SECONDS_A_STEP);
  }

  const go = (wanted) => {
    pause();
    show(wanted);
  };
  find(".first").addEventListener("click", () => go(1));
  find(".previous").addEventListener("click", () => go(number - 1));
  find(".play").addEventListener("click", play);
  find(".next").addEventListener("click", () => go(number + 1));
  find(".last").addEventListener("click", () => go(trace.steps.length));
  slider.addEventListener("input", () => go(slider.valueAsNumber));
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === slider) return;
    const onButton = event.target.closest("button") !== null;
    const actions = {
      ArrowRight: () => go(number + 1),
      ArrowLeft: () => go(number - 1),
      Home: () => go(1),
      End: () => go(trace.steps.length),
      ...(onButton ? {} : { " ": play }),
    };
    if (event.key in actions) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  new ResizeObserver(() => {
    element.classList.remove("moved");
    draw();
  }).observe(find(".heads"));
  return { element, show, pause };
}

// A disabled button loses the focus, and with it the keyboard; one that is only said to be disabled keeps it.
function setDisabled(button, disabled) {
  button.setAttribute("aria-disabled", String(disabled));
}

function setLabel(button, label) {
  button.setAttribute("aria-label", label);
  button.title = `${label} (space)`;
}

function narrate(trace, step) {
  const illegal = new Set(step.illegal.map((head) => head.position)).size;
  const parts = [
    make("strong", "", quoted(trace, step.focus)),
    " points at ",
    make("strong", "", quoted(trace, step.head)),
    ` with a probability of ${percent(step.head_prob)}, as its `,
    make("em", "", step.labels[0].deprel),
    `. ${illegal === 1 ? "1 position was" : `${illegal} positions were`} illegal.`,
  ];
  const unseen = make("span", "unseen", `Step ${step.number} of ${trace.steps.length}: `);
  return [unseen, ...parts];
}

function makeRow(form, position, trace) {
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

function showRow(row, position, trace, step) {
  const broken = step.illegal.filter((head) => head.position === position);
  const slots = step.sources.filter((source) => source.word === position && source.slot in TAGS);
  const tags = slots.map((source) => make("span", "tag slot", TAGS[source.slot]));
  if (position === step.focus) tags.push(make("span", "tag focus", "focus"));
  if (position === step.head) tags.push(make("span", "tag head", "head"));
  row.tags.replaceChildren(...tags);
  row.element.classList.toggle("is-focus", position === step.focus);
  row.element.classList.toggle("is-head", position === step.head);
  row.element.classList.toggle("is-slot", slots.length > 0);
  row.element.classList.toggle("is-illegal", broken.length > 0);
  const attached = position > 0 && step.heads[position - 1] !== null;
  const own = trace.steps.find((each) => each.focus === position);
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
  row.value.title = `${percent(step.raw_probs[position])} before illegal heads are ruled out`;
}

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

function showLabels(place, trace, step) {
  place.replaceChildren(...step.labels.map((label, rank) =>
    meter(make("span", "name", label.deprel), label.prob, { first: rank === 0 })));
}

function showSources(place, trace, step) {
  place.replaceChildren(...step.sources.map((source) => {
    const name = make("span", "name", SLOTS[source.slot] ?? source.slot);
    const isStart = source.slot === "previous" && source.word === null;
    if (source.word !== null || isStart) {
      name.append(" ", make("bdi", "form", isStart ? "initial state" : trace.forms[source.word]));
    }
    return meter(name, source.share, { empty: source.word === null && !isStart });
  }));
}

function showGate(openings, histogram, gate) {
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

function showBeam(place, trace, step) {
  place.replaceChildren(...step.hypotheses.map((hypothesis) => {
    const row = make("tr", hypothesis.best ? "is-best" : hypothesis.kept ? "" : "is-dropped");
    const arc = make("td", "arc");
    arc.append(make("bdi", "", trace.forms[step.focus]), " → ", make("bdi", "", trace.forms[hypothesis.head]));
    const heads = make("td", "so-far");
    heads.append(...hypothesis.heads.map((head, place) =>
      make("span", place + 1 === step.focus ? "new" : "", head === null ? "·" : String(head))));
    heads.title = hypothesis.heads.flatMap((head, place) =>
      head === null ? [] : [`${trace.forms[place + 1]} → ${trace.forms[head]}`]).join("\n");
    row.append(
      make("td", "number", String(hypothesis.rank)),
      make("td", "number", hypothesis.log_prob.toFixed(3)),
      make("td", "number", hypothesis.origin === null ? "–" : String(hypothesis.origin)),
      arc,
      heads,
      make("td", "fate", hypothesis.best ? "becomes the tree" : hypothesis.kept ? "kept" : "dropped"));
    return row;
  }));
}

// Arcs so far run in the margin left of the words, each beyond all shorter ones that it spans.
function drawArcs(svg, frame, rows, step) {
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
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", `M${width} ${start}H${x + round}Q${x} ${start} ${x} ${start + bend}V${end - bend}` +
      `Q${x} ${end} ${x + round} ${end}H${edge}`);
    const tip = document.createElementNS(SVG, "path");
    tip.setAttribute("d", `M${width} ${end}l-7 -3.5v7z`);
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", dependent === step.focus ? "arc new" : "arc");
    line.setAttribute("class", "line");
    tip.setAttribute("class", "tip");
    group.append(line, tip);
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
