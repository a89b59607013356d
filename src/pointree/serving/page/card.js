// The card of one sentence: its trees side by side, as drawings or tables, and the step-through of the best one.

import { ask } from "./api.js";
import { toConllu } from "./conllu.js";
import { copyOf, count, languageOf, make, say } from "./dom.js";
import { drawTree, makeFrame } from "./drawing.js";
import { copyText, save } from "./files.js";
import { searchRequest } from "./settings.js";
import { openSteps } from "./steps.js";
import { makeTable } from "./table.js";

// `trees` are the trees of the sentence, best first; `place` counts sentences from 0.
export function makeCard(trees, place, settings) {
  const element = copyOf("card-template");
  const find = (selector) => element.querySelector(selector);
  const [toggle, copy, download, steps] = [".toggle", ".copy", ".download", ".steps"].map(find);
  const [best] = trees;
  const name = `sentence ${place + 1}`;
  const conllu = toConllu(best);
  let drawings = [];
  let player = null;

  find("h2").textContent = best.text;
  find("h2").lang = languageOf(best.text);
  element.setAttribute("aria-label", `Sentence ${place + 1}`);
  element.setAttribute("aria-posinset", String(place + 1));
  const differences = trees.map((tree) => differing(tree, best));
  const frames = trees.map((tree, rank) => {
    const figure = make("figure", "tree");
    const frame = makeFrame(trees.length > 1 ? `Tree ${rank + 1} of ${name}` : `Tree of ${name}`);
    if (trees.length > 1) figure.append(makeCaption(tree, rank, differences[rank].size));
    figure.append(frame);
    find(".trees").append(figure);
    return frame;
  });
  find(".trees").classList.toggle("several", trees.length > 1);
  find(".words").setAttribute("aria-label", `Words of ${name}`);

  function show(view) {
    drawings.forEach((drawing) => drawing.stop());
    drawings = [];
    find(".trees").hidden = view === "table";
    find(".words").hidden = view !== "table";
    if (view === "table") {
      find(".words").replaceChildren(makeTable(trees, `Words of ${name}`, differences));
    } else {
      drawings = frames.map((frame, rank) => drawTree(frame, trees[rank], view, differences[rank]));
    }
    if (toggle.ariaExpanded === "true") player?.refresh();
  }

  async function open(byUser = false) {
    toggle.ariaExpanded = "true";
    steps.hidden = false;
    if (player === null) {
      steps.textContent = "Tracing …";
      try {
        const [trace] = await ask("v1/trace", searchRequest(settings, conllu));
        player = openSteps(copyOf("steps-template"), trace, best, (step) => drawings[0]?.mark(step));
        steps.replaceChildren(player.element);
      } catch (error) {
        steps.replaceChildren(make("p", "message error", error.message));
        return;
      }
    }
    player.refresh();
    if (byUser) player.focus();
  }

  function close() {
    toggle.ariaExpanded = "false";
    steps.hidden = true;
    player?.pause();
    drawings[0]?.mark(null);
  }

  toggle.addEventListener("click", () => (toggle.ariaExpanded === "true" ? close() : open(true)));
  copy.addEventListener("click", async () => flash(copy, await copyText(trees.map(toConllu).join(""))));
  download.addEventListener("click", async () => {
    try {
      const [drawn] = await ask("v1/draw", searchRequest(settings, conllu));
      save(`sentence-${place + 1}.svg`, [drawn.svg], "image/svg+xml");
    } catch (error) {
      say(error.message, true);
    }
  });
  return { element, show, open, isOpen: () => toggle.ariaExpanded === "true" };
}

// The words whose arc is another one than in the best tree.
function differing(tree, best) {
  const differs = (word, index) => word.head !== best.tokens[index].head || word.deprel !== best.tokens[index].deprel;
  return new Set(tree.tokens.filter(differs).map((word) => word.id));
}

function makeCaption(tree, rank, nDiffering) {
  const [, logProb] = /= (.*)/.exec(tree.comments.find((comment) => comment.startsWith("# tree_log_prob")) ?? "") ?? [];
  const caption = make("figcaption", "", `Tree ${rank + 1}`);
  const facts = [];
  if (logProb) facts.push(`log-probability ${logProb.replace("-", "−")}`);
  if (rank) facts.push(`${count(nDiffering, "arc")} ${nDiffering === 1 ? "differs" : "differ"}`);
  caption.append(make("span", "", facts.join(", ")));
  return caption;
}

function flash(button, done) {
  const usual = button.dataset.usual ?? (button.dataset.usual = button.textContent);
  button.textContent = done ? "Copied" : "Not allowed";
  say(done ? "CoNLL-U copied." : "The browser does not allow copying.", !done);
  setTimeout(() => (button.textContent = usual), 1600);
}
