// The analysis of a sentence as a table: one row a word.

import { rowsOf } from "./conllu.js";
import { make } from "./dom.js";

const COLUMNS = ["ID", "Form", "Lemma", "UPOS", "XPOS", "Features", "Head", "Relation"];

export function makeTable(sentence, name, differing = new Set()) {
  const table = make("table", "analysis");
  const caption = table.createCaption();
  caption.className = "unseen";
  caption.textContent = name;
  const head = table.createTHead().insertRow();
  head.append(...COLUMNS.map((column) => Object.assign(make("th", "", column), { scope: "col" })));
  const forms = ["ROOT", ...sentence.tokens.map((token) => token.form)];
  const body = table.createTBody();
  for (const [id, form, lemma, upos, xpos, feats, to, deprel] of rowsOf(sentence)) {
    const row = body.insertRow();
    row.className = differing.has(Number(id)) ? "differs" : /^\d+$/.test(id) ? "" : "is-other";
    const word = Object.assign(make("th"), { scope: "row" });
    word.append(make("bdi", "", form));
    const cells = [...[lemma, upos, xpos].map(cell), featureCell(feats), headCell(to, forms), cell(deprel)];
    row.append(make("td", "number", id), word, ...cells);
  }
  return table;
}

function cell(value) {
  const made = make("td");
  made.append(make("bdi", "", value === "_" ? "" : value));
  return made;
}

function featureCell(feats) {
  const made = make("td", "feats");
  if (feats !== "_") made.append(...feats.split("|").flatMap((feature) => [make("span", "", feature), " "]));
  return made;
}

function headCell(head, forms) {
  const made = make("td", "head");
  if (head !== "_") made.append(make("span", "number", head), " ", make("bdi", "form", forms[head]));
  return made;
}
