// The list of cards. A long text has thousands of sentences; their cards are made as one scrolls.

import { byId, count } from "./dom.js";

const BATCH = 8;
const AHEAD = "800px"; // how far below the window cards are made

const [cards, more] = [byId("cards"), byId("more")];
const button = more.querySelector("button");
const status = more.querySelector("span");

// `makeCard(sentence, place)` makes the card of a sentence when it is needed.
export function makeFeed(makeCard) {
  const sentences = [];
  const made = [];
  let view = "lines";
  let reopen = [];

  function grow() {
    const next = sentences.slice(made.length, made.length + BATCH);
    for (const sentence of next) {
      const card = makeCard(sentence, made.length);
      cards.append(card.element);
      card.show(view);
      if (reopen[made.length]) card.open();
      made.push(card);
    }
    tell();
    return made.at(-next.length);
  }

  function tell() {
    more.hidden = made.length === sentences.length;
    status.textContent = `${count(made.length, "sentence")} of ${sentences.length.toLocaleString("en")} shown.`;
    for (const card of made) card.element.setAttribute("aria-setsize", String(sentences.length));
  }

  // An observer tells of changes alone: after a batch it has to look anew.
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting || made.length === sentences.length) return;
    grow();
    observer.unobserve(more);
    observer.observe(more);
  }, { rootMargin: AHEAD });
  observer.observe(more);
  button.addEventListener("click", () => grow()?.element.querySelector("button").focus({ preventScroll: true }));

  return {
    // Starts anew; steps that were open will be open for the sentences in the same places.
    clear() {
      reopen = made.map((card) => card.isOpen());
      sentences.length = 0;
      made.length = 0;
      cards.replaceChildren();
      more.hidden = true;
    },
    add(sentence) {
      sentences.push(sentence);
      if (made.length < BATCH) grow();
      else tell();
    },
    show(wanted) {
      view = wanted;
      for (const card of made) card.show(view);
    },
    sentences,
  };
}
