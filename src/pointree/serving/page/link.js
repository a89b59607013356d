// A link that restores text and settings. They are in the fragment of the address, which browsers never send.

import { isInput } from "./settings.js";

export const MAX_FRAGMENT = 8000;

// The link, or null if the text is too long for one.
export function makeLink(settings, view) {
  const fields = new URLSearchParams({
    text: settings.text,
    input: settings.input,
    model: settings.model,
    order: settings.order,
    beam: settings.beam,
    trees: settings.trees,
    projective: Number(settings.projective),
    "single-root": Number(settings.singleRoot),
    view,
  });
  const fragment = `#${fields}`;
  return fragment.length > MAX_FRAGMENT ? null : new URL(fragment, location.href).href;
}

// What a link asks for: the settings that are valid, and the view; null if the fragment is something else.
export function readLink(fragment) {
  const fields = new URLSearchParams(fragment.slice(1, MAX_FRAGMENT));
  if (!fields.has("text")) return null;
  const settings = { text: fields.get("text") };
  if (isInput(fields.get("input"))) settings.input = fields.get("input");
  for (const name of ["model", "order"]) if (fields.has(name)) settings[name] = fields.get(name);
  for (const name of ["beam", "trees"]) {
    if (/^[1-9]\d{0,3}$/.test(fields.get(name) ?? "")) settings[name] = Number(fields.get(name));
  }
  if (fields.has("projective")) settings.projective = fields.get("projective") === "1";
  if (fields.has("single-root")) settings.singleRoot = fields.get("single-root") !== "0";
  return { settings, view: fields.get("view") };
}
