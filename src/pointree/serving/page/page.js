// The form and the cards. Whatever comes from users or the server is set as text or as an image, never as markup.

import { openSteps } from "./steps.js";

const byId = (id) => document.getElementById(id);
const form = byId("form");
const [text, order, model, beam, projective, key] = ["text", "order", "model", "beam", "projective", "key"].map(byId);
const results = byId("results");
let models = [];
let pending = null;

async function ask(path, body, signal) {
  const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
  const options = body === undefined ? { headers, signal } : {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  const reply = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server does not answer.");
  });
  if (reply.status === 401) byId("key-field").hidden = false;
  const value = await reply.json().catch(() => null);
  if (!reply.ok) throw new Error(value?.error?.message ?? `The server answered with status ${reply.status}.`);
  return value;
}

function say(message, isError = false) {
  byId("message").textContent = message;
  byId("message").classList.toggle("error", isError);
}

function choose(select, values, chosen) {
  select.replaceChildren(...values.map((value) => new Option(value, value, false, value === chosen)));
}

async function loadModels() {
  const known = await ask("v1/models");
  models = known.models.filter((each) => each.reads_text);
  if (!models.length) throw new Error("No model of this server reads raw text.");
  const first = models.find((each) => each.name === known.default) ?? models[0];
  choose(order, [...new Set(models.map((each) => each.order))], first.order);
  choose(model, models.map((each) => each.name), first.name);
}

// An order is a property of a model: choosing one chooses a model that has it, and the other way round.
order.addEventListener("change", () => {
  model.value = models.find((each) => each.order === order.value).name;
});
model.addEventListener("change", () => {
  order.value = models.find((each) => each.name === model.value).order;
});

function options() {
  return { model: model.value, beam: beam.valueAsNumber, projective: projective.checked };
}

async function parse() {
  if (!form.reportValidity()) return;
  pending?.abort();
  const { signal } = (pending = new AbortController());
  results.setAttribute("aria-busy", "true");
  say("Parsing …");
  try {
    if (!models.length) await loadModels();
    const chosen = options();
    const sentences = await ask("v1/draw", { text: text.value, ...chosen }, signal);
    const opened = [...results.children].map((card) => card.querySelector(".toggle").ariaExpanded === "true");
    const cards = sentences.map((sentence, place) => makeCard(sentence, place, sentences.length, chosen));
    results.replaceChildren(...cards.map((card) => card.element));
    say(sentences.length === 1 ? "1 sentence." : `${sentences.length} sentences.`);
    cards.forEach((card, place) => opened[place] && card.open());
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  } finally {
    if (!signal.aborted) results.removeAttribute("aria-busy");
  }
}

function makeCard(sentence, place, count, chosen) {
  const element = byId("card-template").content.firstElementChild.cloneNode(true);
  const [toggle, copy, download, tree, steps] = [".toggle", ".copy", ".download", ".tree", ".steps"].map((selector) =>
    element.querySelector(selector));
  const name = count === 1 ? "the sentence" : `sentence ${place + 1}`;
  element.querySelector("h2").textContent = sentence.text;
  element.setAttribute("aria-label", `Tree ${place + 1} of ${count}`);
  tree.setAttribute("aria-label", `Drawing of ${name}, can be scrolled sideways`);
  const image = tree.querySelector("img");
  image.alt = describe(sentence.conllu);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sentence.svg)}`;

  copy.addEventListener("click", async () => {
    const done = await copyText(sentence.conllu);
    flash(copy, done ? "Copied" : "Not allowed");
  });
  download.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([sentence.svg], { type: "image/svg+xml" }));
    Object.assign(document.createElement("a"), { href: address, download: `sentence-${place + 1}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });

  let player = null;
  const open = async (focus = false) => {
    toggle.ariaExpanded = "true";
    steps.hidden = false;
    if (player === null) {
      steps.textContent = "Tracing …";
      try {
        const [trace] = await ask("v1/trace", { conllu: sentence.conllu, ...chosen });
        player = openSteps(byId("steps-template").content.firstElementChild.cloneNode(true), trace);
        steps.replaceChildren(player.element);
        player.show(1);
      } catch (error) {
        steps.textContent = error.message;
      }
    }
    if (focus) player?.element.focus({ preventScroll: true });
  };
  toggle.addEventListener("click", () => {
    if (toggle.ariaExpanded === "true") {
      toggle.ariaExpanded = "false";
      steps.hidden = true;
      player?.pause();
    } else {
      open(true);
    }
  });
  return { element, open };
}

// The tree in words, for those who cannot see it.
function describe(conllu) {
  const words = conllu.split("\n").map((row) => row.split("\t")).filter((row) => /^\d+$/.test(row[0]));
  const forms = ["ROOT", ...words.map((row) => row[1])];
  return words.map((row) => `${row[1]} is ${row[7]} of ${forms[row[6]]}`).join("; ");
}

async function copyText(value) {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    // Browsers give the clipboard to secure origins alone; the older way works everywhere.
    const area = Object.assign(document.createElement("textarea"), { value, className: "unseen" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function flash(button, message) {
  const usual = button.dataset.usual ?? (button.dataset.usual = button.textContent);
  button.textContent = message;
  say(message === "Copied" ? "CoNLL-U copied." : "The browser does not allow copying.");
  setTimeout(() => (button.textContent = usual), 1600);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  parse();
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse();
});
for (const control of [order, model, beam, projective]) {
  control.addEventListener("change", () => results.children.length && parse());
}
key.addEventListener("change", () => parse());

loadModels().catch((error) => say(error.message, true));
