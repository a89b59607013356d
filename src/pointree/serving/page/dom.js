// Small helpers over the document. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

// An SVG element with its attributes.
export function shape(tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

export const copyOf = (templateId) => byId(templateId).content.firstElementChild.cloneNode(true);

export const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}\u00a0%`;

export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// The language whose fonts a text needs, "" where other letters prevail: Chinese, Japanese and Korean share characters
// but not their shapes. The rule is that of `script_language` in pointree/rendering/display.py.
export function languageOf(text) {
  const [hangul, kana, han, letters] = [
    /[\u1100-\u11ff\u3131-\u318e\uac00-\ud7ff]/gu, /[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]/gu,
    /[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]/gu, /\p{L}/gu,
  ].map((pattern) => text.match(pattern)?.length ?? 0);
  if (4 * (hangul + kana + han) <= letters) return "";
  return hangul > kana + han ? "ko" : kana ? "ja" : "zh";
}

// The message under the form, which screen readers announce.
export function say(message, isError = false) {
  byId("message").textContent = message;
  byId("message").classList.toggle("error", isError);
}
