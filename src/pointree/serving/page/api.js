// Requests to the service. Every failure is a `Failure` with a message for people.

import { byId } from "./dom.js";
import { brokenOff, failureOf, noAnswer } from "./failures.js";

async function send(path, body, signal) {
  const key = byId("key").value;
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const options = body === undefined ? { headers, signal } : {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  const reply = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : noAnswer();
  });
  if (reply.status === 401) byId("key-field").hidden = false;
  if (!reply.ok) throw failureOf(reply.status, (await reply.json().catch(() => null))?.error);
  return reply;
}

export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

// The lines of a streamed answer, one by one as they come; each is JSON.
export async function* askLines(path, body, signal) {
  const reply = await send(path, body, signal);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read().catch((error) => {
      throw error.name === "AbortError" ? error : brokenOff();
    });
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield line;
  }
  if (rest) yield rest;
}

// A parse as groups of trees: one group for each sentence, best tree first. A tree keeps its line of JSON.
export async function* askTrees(body, signal) {
  let group = [];
  for await (const line of askLines("v1/parse", { ...body, output: "json", stream: true }, signal)) {
    const tree = JSON.parse(line);
    if (tree.error) {
      if (group.length) yield group;
      throw failureOf(0, tree.error);
    }
    const goesOn = body.n_best > 1 && !tree.comments.includes("# tree_rank = 1");
    if (!goesOn && group.length) {
      yield group;
      group = [];
    }
    group.push({ ...tree, line });
  }
  if (group.length) yield group;
}
