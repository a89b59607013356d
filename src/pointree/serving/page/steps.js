// The step-through of one trace (docs/reference/trace.md): controls that stay in view, and what every step did.

import { languageOf, make, percent } from "./dom.js";
import { LONG_SENTENCE, drawTree, makeFrame } from "./drawing.js";
import { drawArcs } from "./gutter.js";
import { showBeam, showGate, showLabels, showSources } from "./panels.js";
import { keepInView, makeRow, showRow } from "./rows.js";

const SECONDS_A_STEP = 1.3;

const quoted = (trace, position) => (position ? `“${trace.forms[position]}”` : "ROOT");

// `onStep(step)` is called with every step that is shown, so that a drawing can mark its arc.
export function openSteps(element, trace, sentence, onStep) {
  const find = (selector) => element.querySelector(selector);
  const [slider, list, sticky] = [".slider", ".positions", ".sticky"].map(find);
  const rows = trace.forms.map((form, position) => makeRow(form, position, trace));
  const strip = trace.forms.length > LONG_SENTENCE ? makeStrip(find(".strip"), sentence) : null;
  let number = 1;
  let timer = null;

  const lang = languageOf(trace.forms.slice(1).join(""));
  rows.slice(1).forEach((row) => (row.word.lang = lang));
  find(".heads tbody").append(...rows.map((row) => row.element));
  slider.max = trace.steps.length;
  find(".beam").hidden = trace.beam === 1;
  find(".gate").hidden = trace.steps[0].gate === null;
  element.setAttribute("aria-label", `Step-through, ${trace.order}, ${trace.steps.length} steps`);

  function show(wanted) {
    const before = number;
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
    element.classList.toggle("moved", number !== before);
    draw();
    keepInView(list, rows, step);
    strip?.mark(step);
    onStep(step);
    for (const selector of [".first", ".previous"]) setDisabled(find(selector), number === 1);
    for (const selector of [".next", ".last"]) setDisabled(find(selector), number === trace.steps.length);
  }

  function draw() {
    drawArcs(find(".arcs"), find(".inner"), rows, trace.steps[number - 1]);
  }

  // Brings the controls and the focus row into the window, if one of them is outside.
  function comeIntoView() {
    const { focus } = trace.steps[number - 1];
    const [head, row] = [sticky, rows[focus].element].map((each) => each.getBoundingClientRect());
    const isSeen = head.top >= 0 && row.top >= head.bottom - 1 && row.bottom <= window.innerHeight;
    if (isSeen) return;
    // Down to the end of the rows, but never so far that the controls would have to stick.
    const [top, below] = [element.getBoundingClientRect().top, list.getBoundingClientRect().bottom - window.innerHeight];
    window.scrollBy({ top: top > 0 ? Math.min(top, Math.max(below, 0)) : top, behavior: "instant" });
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    element.classList.remove("playing");
    setLabel(find(".play"), "Play");
  }

  function play() {
    if (timer !== null) return pause();
    move(number === trace.steps.length ? 1 : number);
    element.classList.add("playing");
    setLabel(find(".play"), "Pause");
    timer = setInterval(() => {
      if (!element.isConnected || number === trace.steps.length) return pause();
      show(number + 1);
      if (number === trace.steps.length) pause();
    }, 1000 * SECONDS_A_STEP);
  }

  function move(wanted) {
    show(wanted);
    comeIntoView();
  }

  const go = (wanted) => {
    pause();
    move(wanted);
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
  // The rows get the height that the controls leave.
  new ResizeObserver(() => element.style.setProperty("--taken", `${sticky.offsetHeight}px`)).observe(sticky);
  return {
    element,
    pause,
    refresh: () => show(number),
    focus() {
      element.focus({ preventScroll: true });
      comeIntoView();
    },
  };
}

// A small drawing beside the controls: the one of a long sentence is out of sight while one steps.
function makeStrip(place, sentence) {
  const frame = makeFrame("Drawing of the step");
  place.append(frame);
  place.hidden = false;
  return drawTree(frame, sentence, "strip");
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
  const sure = `with a probability of ${percent(step.head_prob)}`;
  const deed = step.dependent === null
    ? [` has all of its dependents, ${sure}, and is popped`]
    : [
      " points at ",
      make("strong", "", quoted(trace, step.position)),
      ` ${sure}, as its ${step.dependent === step.focus ? "" : "dependent "}`,
      make("em", "", step.labels[0].deprel),
    ];
  const parts = [
    make("strong", "", quoted(trace, step.focus)),
    ...deed,
    `. ${illegal === 1 ? "1 position was" : `${illegal} positions were`} illegal.`,
  ];
  const unseen = make("span", "unseen", `Step ${step.number} of ${trace.steps.length}: `);
  return [unseen, ...parts];
}
