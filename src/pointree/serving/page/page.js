// The form, the results and what connects them.

import { askTrees } from "./api.js";
import { makeCard } from "./card.js";
import { looksLikeConllu, toConllu } from "./conllu.js";
import { byId, count, languageOf, make, say } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { MAX_FILE_MEGABYTES, acceptDrops, copyText, readText, save } from "./files.js";
import { makeFeed } from "./feed.js";
import { makeLink, readLink } from "./link.js";
import { CONTROLS, hasModel, loadModels, parseRequest, readSettings, writeSettings } from "./settings.js";

const [form, text, results, tools] = ["form", "text", "results", "tools"].map(byId);
const views = [...tools.querySelectorAll("input[name=view]")];
let parsed = readSettings(); // the settings of the results
let pending = null;

const feed = makeFeed((trees, place) => makeCard(trees, place, parsed));

// Parses what the form says; `source` names the file that it is from.
async function parse(source = "") {
  if (!form.reportValidity()) return;
  pending?.abort();
  const { signal } = (pending = new AbortController());
  let found = 0;
  text.lang = languageOf(text.value);
  results.setAttribute("aria-busy", "true");
  say("Parsing …");
  try {
    await loadModels();
    const settings = readSettings();
    for await (const trees of askTrees(parseRequest(settings), signal)) {
      if (!found) startResults(settings);
      found += 1;
      feed.add(trees);
    }
    if (!found) startResults(settings);
    say(source + (found ? `${count(found, "sentence")}.` : "There is no sentence in this input."));
  } catch (error) {
    if (error.name === "AbortError") return;
    say(found ? `${error.message} Shown are the ${count(found, "sentence")} before it.` : error.message, true);
    if (!found) outdate();
  } finally {
    if (!signal.aborted) results.removeAttribute("aria-busy");
  }
}

function startResults(settings) {
  parsed = settings;
  feed.clear();
  tools.hidden = false;
  results.classList.remove("outdated");
  byId("outdated").hidden = true;
}

// The results do not belong to what was asked last: grey them, and say so.
function outdate() {
  const hasResults = feed.sentences.length > 0;
  results.classList.toggle("outdated", hasResults);
  byId("outdated").hidden = !hasResults;
}

async function openFile(file) {
  try {
    const content = await readText(file);
    const isConllu = /\.conllu?$/i.test(file.name) || looksLikeConllu(content);
    const { input } = readSettings();
    writeSettings({ text: content, input: isConllu ? "conllu" : input === "conllu" ? "text" : input });
    await parse(`${file.name}: `);
  } catch (error) {
    tell(error);
  }
}

function chosenView() {
  return views.find((each) => each.checked).value;
}

function chooseView(wanted) {
  const view = views.find((each) => each.value === wanted) ?? views[0];
  view.checked = true;
  results.dataset.view = view.value;
  feed.show(view.value);
}

// Parses what the link in the address asks for; whether there is one.
async function restore() {
  const link = readLink(location.hash);
  if (link === null) return false;
  writeSettings(link.settings);
  chooseView(link.view);
  await parse();
  const { model } = link.settings;
  if (model && !hasModel(model)) {
    say(`This service has no model ${model.slice(0, 80)}; ${readSettings().model} parsed the text.`, true);
  }
  return true;
}

async function start() {
  await loadModels();
  return restore();
}

const tell = (error) => say(error.message, true);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  parse();
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse();
});
text.addEventListener("input", (event) => {
  if (event.inputType !== "insertFromPaste" || byId("input").value === "conllu" || !looksLikeConllu(text.value)) return;
  writeSettings({ input: "conllu" });
  say("This looks like CoNLL-U, so the input is set to CoNLL-U.");
});
for (const control of CONTROLS) {
  control.addEventListener("change", () => feed.sentences.length && control.id !== "input" && parse());
}
byId("key").addEventListener("change", () => start().then((restored) => restored || parse()).catch(tell));

byId("examples").append(...EXAMPLES.map((example) => {
  const button = make("button", "chip", example.name);
  button.type = "button";
  button.title = example.text;
  button.addEventListener("click", () => {
    writeSettings({ text: example.text, input: example.input, trees: example.trees ?? 1 });
    parse();
  });
  return button;
}));

byId("size").textContent = `${MAX_FILE_MEGABYTES} MB`;
byId("open-file").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", ({ target }) => {
  if (target.files.length) openFile(target.files[0]);
  target.value = ""; // so that the same file can be opened again
});
acceptDrops(openFile);

for (const view of views) view.addEventListener("change", () => chooseView(view.value));
byId("save-conllu").addEventListener("click", () =>
  save("parsed.conllu", feed.sentences.flat().map(toConllu), "text/x-conllu"));
byId("save-json").addEventListener("click", () => {
  const lines = feed.sentences.flat().map((tree) => tree.line);
  save("parsed.json", lines.length ? ["[\n", lines.join(",\n"), "\n]\n"] : ["[]\n"], "application/json");
});
byId("copy-link").addEventListener("click", async () => {
  const link = makeLink(readSettings(), chosenView());
  if (link === null) return say("The text is too long for a link. Download the trees instead.", true);
  history.replaceState(null, "", link);
  say(await copyText(link) ? "Link copied. It has the text and the settings." : "The link is in the address bar.");
});
window.addEventListener("hashchange", restore);

chooseView(chosenView());
start().catch(tell);
