// Files in and out: drop or open one, save one, copy text.

import { Failure } from "./failures.js";

export const MAX_FILE_MEGABYTES = 2;

// The text of a file, or a `Failure` that says why it has none.
export async function readText(file) {
  const bytes = MAX_FILE_MEGABYTES * 2 ** 20;
  if (file.size > bytes) {
    const size = (file.size / 2 ** 20).toFixed(1);
    throw new Failure(`${file.name} has ${size} MB; the page takes files of up to ${MAX_FILE_MEGABYTES} MB. ` +
      "Parse larger ones on the command line: pointree parse.");
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new Failure(`${file.name} is not a text file in UTF-8.`);
}

// Calls `open(file)` for a file that is dropped anywhere on the page.
export function acceptDrops(open) {
  const root = document.documentElement;
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    root.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) root.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    root.classList.remove("dropping");
    if (!hasFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) open(file);
  });
}

export function save(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Whether the text is on the clipboard now.
export async function copyText(value) {
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
