// Sentences to click, for those who want to see something at once.

export const EXAMPLES = [
  { name: "Short", input: "text", text: "John and Mary play tennis together." },
  {
    name: "Ambiguous",
    input: "text",
    trees: 3,
    text: "I saw the man with the telescope.",
  },
  { name: "Crossing arcs", input: "text", text: "A hearing is scheduled on the issue today." },
  {
    name: "Long",
    input: "text",
    text: "When the committee that had been asked to look into the matter met again in the small room behind the old " +
      "town hall, its members, who had read the long report over the weekend, agreed that the bridge could not be " +
      "saved, although the engineers from the city still hoped that a cheaper plan might be found before the winter.",
  },
  {
    name: "A paragraph",
    input: "text",
    text: "The train was late. Nobody seemed to mind. A child counted the birds on the wire while her father slept. " +
      "When it finally came, it did not stop.",
  },
  { name: "Words", input: "words", text: "Colorless green ideas sleep furiously .\nDo n't panic !" },
  {
    name: "CoNLL-U",
    input: "conllu",
    text: [
      "# text = The cat can't sleep.",
      ["1", "The", "the", "DET", "DT", "Definite=Def|PronType=Art"],
      ["2", "cat", "cat", "NOUN", "NN", "Number=Sing"],
      ["3-4", "can't", "_", "_", "_", "_"],
      ["3", "ca", "can", "AUX", "MD", "VerbForm=Fin"],
      ["4", "n't", "not", "PART", "RB", "Polarity=Neg"],
      ["5", "sleep", "sleep", "VERB", "VB", "VerbForm=Inf"],
      ["6", ".", ".", "PUNCT", ".", "_"],
    ].map((row) => (typeof row === "string" ? row : [...row, "_", "_", "_", "_"].join("\t"))).join("\n"),
  },
];
