// Sentences of the service's JSON as CoNLL-U, and as a description in words.

const orUnderscore = (value) => value ?? "_";
const attributes = (found) =>
  Object.entries(found).map(([name, value]) => (value === null ? name : `${name}=${value}`)).join("|") || "_";
const graph = (deps) => deps.map((arc) => `${arc.head}:${arc.deprel}`).join("|") || "_";

// MISC with the place in the text, which the service tells apart from it.
const placed = (token) => attributes(
  token.start === null || token.start === undefined || "TokenRange" in token.misc
    ? token.misc : { ...token.misc, TokenRange: `${token.start}:${token.end}` },
);

const analysis = (token) =>
  [token.form, token.lemma, token.upos, token.xpos].map(orUnderscore).concat(attributes(token.feats));

// The rows of a sentence in the order of the format; each has ten columns.
export function rowsOf(sentence) {
  const emptyAfter = (id) => sentence.empty_nodes
    .filter((node) => Number.parseInt(node.id, 10) === id)
    .map((node) => [node.id, ...analysis(node), "_", "_", graph(node.deps), attributes(node.misc)]);
  const rangesFrom = (id) => sentence.ranges
    .filter((range) => range.first === id)
    .map((range) => [`${id}-${range.last}`, range.form, ...new Array(7).fill("_"), placed(range)]);
  const isCovered = (id) => sentence.ranges.some((range) => range.first <= id && id <= range.last);
  return [
    ...emptyAfter(0),
    ...sentence.tokens.flatMap((word) => [
      ...rangesFrom(word.id),
      [String(word.id), ...analysis(word), String(word.head), orUnderscore(word.deprel), graph(word.deps),
        isCovered(word.id) ? attributes(word.misc) : placed(word)],
      ...emptyAfter(word.id),
    ]),
  ];
}

export function toConllu(sentence) {
  return [...sentence.comments, ...rowsOf(sentence).map((row) => row.join("\t")), "", ""].join("\n");
}

export const looksLikeConllu = (text) => /^(?:#.*\r?\n)*1(?:-\d+)?\t[^\t\n]+\t/.test(text);

// The tree in words, for those who cannot see it.
export function describe(sentence) {
  const forms = ["ROOT", ...sentence.tokens.map((word) => word.form)];
  return sentence.tokens.map((word) => `${word.form} is ${word.deprel} of ${forms[word.head]}`).join("; ");
}
