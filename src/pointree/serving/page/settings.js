// The settings of the form: what to parse, with which model, and how.

import { ask } from "./api.js";
import { byId, say } from "./dom.js";

const [text, input, order, model, beam, trees, projective, singleRoot] =
  ["text", "input", "order", "model", "beam", "trees", "projective", "single-root"].map(byId);

export const CONTROLS = [input, order, model, beam, trees, projective, singleRoot];

let models = [];

export async function loadModels() {
  if (models.length) return;
  const known = await ask("v1/models");
  models = known.models;
  model.replaceChildren(...models.map((each) => new Option(each.name, each.name)));
  order.replaceChildren(...[...new Set(models.flatMap((each) => each.orders))].map((each) => new Option(each, each)));
  model.value = known.default;
  order.value = chosenModel().orders[0];
  allowModels();
}

const chosenModel = () => models.find((each) => each.name === model.value);

const readsText = () => input.value === "text" || input.value === "lines";

// Raw text needs a model with a tokeniser; the other inputs take any model.
function allowModels() {
  if (!models.length) return;
  if (!models.some((each) => each.reads_text) && readsText()) {
    input.value = "words";
    say("No model of this service reads raw text. Enter words or CoNLL-U.", true);
  }
  const allowed = models.filter((each) => each.reads_text || !readsText());
  for (const option of model.options) option.disabled = !allowed.some((each) => each.name === option.value);
  for (const option of order.options) option.disabled = !allowed.some((each) => each.orders.includes(option.value));
  if (model.selectedOptions[0]?.disabled ?? true) model.value = allowed[0].name;
  const { orders } = chosenModel();
  if (!orders.includes(order.value)) [order.value] = orders;
}

// Orders are properties of a model: choosing one chooses a model that has it, and the other way round.
order.addEventListener("change", () => {
  const fits = (name) => models.find((each) => each.name === name).orders.includes(order.value);
  if (!fits(model.value)) model.value = [...model.options].find((each) => !each.disabled && fits(each.value)).value;
});
model.addEventListener("change", allowModels);
input.addEventListener("change", allowModels);

export const hasModel = (name) => models.some((each) => each.name === name);

export function readSettings() {
  return {
    text: text.value,
    input: input.value,
    model: model.value,
    order: order.value,
    beam: beam.valueAsNumber,
    trees: trees.valueAsNumber,
    projective: projective.checked,
    singleRoot: singleRoot.checked,
  };
}

// Sets the settings that are given and leaves the others as they are.
export function writeSettings(given) {
  const current = { ...readSettings(), ...given };
  text.value = current.text;
  input.value = current.input;
  beam.value = current.beam;
  trees.value = current.trees;
  projective.checked = current.projective;
  singleRoot.checked = current.singleRoot;
  if (hasModel(current.model)) model.value = current.model;
  if ([...order.options].some((each) => each.value === current.order)) order.value = current.order;
  allowModels();
}

const INPUTS = {
  text: (value) => ({ text: value }),
  lines: (value) => ({ text: value, sentences: "presegmented" }),
  words: (value) => ({ words: value.split("\n").map((line) => line.match(/\S+/gu)).filter((words) => words !== null) }),
  conllu: (value) => ({ conllu: value.endsWith("\n") ? `${value}\n` : `${value}\n\n` }),
};

export const isInput = (name) => Object.hasOwn(INPUTS, name);

// The body of a request for `/v1/parse`.
export function parseRequest(settings) {
  return {
    ...INPUTS[settings.input](settings.text),
    model: settings.model,
    order: settings.order || null,
    beam: settings.beam,
    n_best: settings.trees,
    projective: settings.projective,
    single_root: settings.singleRoot,
  };
}

// The body of a request for `/v1/trace` or `/v1/draw` that leads to the best tree of the parse: the search for several
// trees keeps at least that many hypotheses.
export function searchRequest(settings, conllu) {
  return {
    conllu,
    model: settings.model,
    order: settings.order || null,
    beam: Math.max(settings.beam, settings.trees),
    projective: settings.projective,
    single_root: settings.singleRoot,
  };
}
