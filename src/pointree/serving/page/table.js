// The analysis of a sentence as a table: one row a word.

import { rowsOf } from "./conllu.js";
import { languageOf, make } from "./dom.js";

const COLUMNS = ["ID", "Form", "Lemma", "UPOS", "XPOS", "Features"];

// Several trees of a sentence share the table: they have the same words, and each has its heads and relations.
// `differences` has for each tree the words whose arc is another one than in the first.
export function makeTable(trees, name, differences) {
  const table = make("table", "analysis");
  const caption = table.createCaption();
  caption.className = "unseen";
  caption.textContent = name;
  const ranks = trees.map((_, rank) => (trees.length > 1 ? ` ${rank + 1}` : ""));
  const arcColumns = ranks.flatMap((rank) => [`Head${rank}`, `Relation${rank}`]);
  const head = table.createTHead().insertRow();
  head.append(...[...COLUMNS, ...arcColumns].map((column) => Object.assign(make("th", "", column), { scope: "col" })));
  const forms = ["ROOT", ...trees[0].tokens.map((token) => token.form)];
  const rows = trees.map(rowsOf);
  const body = table.createTBody();
  body.lang = languageOf(forms.slice(1).join(""));
  rows[0].forEach(([id, form, lemma, upos, xpos, feats], place) => {
    const row = body.insertRow();
    row.className = /^\d+$/.test(id) ? "" : "is-other";
    const word = Object.assign(make("th"), { scope: "row" });
    word.append(make("bdi", "", form));
    row.append(make("td", "number", id), word, ...[lemma, upos, xpos].map(cell), featureCell(feats));
    for (const [rank, own] of rows.entries()) {
      const arc = [headCell(own[place][6], forms), cell(own[place][7])];
      if (differences[rank].has(Number(id))) arc.forEach((each) => each.classList.add("differs"));
      row.append(...arc);
    }
  });
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
