// What went wrong, in words for people: what happened, and what to do.

const number = (value) => value.toLocaleString("en");
const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(/\.0$/, "")} MB`;

const OVER_LIMIT = {
  words: (most) => `The text has more than ${number(most)} words, the most for one request. Parse it in parts.`,
  sentence_words: (most) =>
    `A sentence has more than ${number(most)} words, the most that the service takes. Break it up with line breaks.`,
  trace_words: (most) => `Only sentences of up to ${number(most)} words can be stepped through.`,
  beam: (most) => `Beam and trees can be at most ${number(most)}.`,
  body_bytes: (most) => `The text is too large: the service takes up to ${megabytes(most)}. Parse it in parts.`,
  queue: () => "The service is busy. Try again in a moment.",
  connections: () => "The service is busy. Try again in a moment.",
  seconds: (most) => `Parsing took longer than ${number(most)} seconds. Try less text or a smaller beam.`,
};

const BY_STATUS = {
  401: "This service needs an API key. Enter it beside the settings.",
  404: "The service does not have this model any more. Reload the page.",
  500: "The service failed on this input. The details are in its log.",
  503: "The service is busy or still starting. Try again in a moment.",
};

export class Failure extends Error {}

export const noAnswer = () => new Failure("The service does not answer. Check that it runs, then try again.");

export const brokenOff = () => new Failure("The connection to the service broke off. Try again.");

// The failure that an answer of the service tells of; `error` is the object that all of its errors have.
export function failureOf(status, error) {
  const { message = "", limit = null, request_id: id = null } = error ?? {};
  if (limit && limit.name in OVER_LIMIT) return new Failure(OVER_LIMIT[limit.name](limit.value));
  if (status in BY_STATUS) return new Failure(BY_STATUS[status] + (status === 500 && id ? ` Request: ${id}.` : ""));
  const [, line, fault] = /^conllu:(\d+): (.*)$/s.exec(message) ?? [];
  if (line) return new Failure(`The input is not valid CoNLL-U. Line ${line}: ${fault}.`);
  if (message) return new Failure(`The service did not accept the request: ${message}.`);
  return new Failure(`The service answered with status ${status}. Try again.`);
}
