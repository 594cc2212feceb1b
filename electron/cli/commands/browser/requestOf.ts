/** An act as typed on a command line. */

import { AppError } from "../../../../shared/errors/index.ts";

/** `click e4` → `{kind: "click", ref: "e4"}`; what does not fit on a line is given as JSON. */
export function requestOf(kind: string, words: string[]): Record<string, unknown> {
  const [first, ...rest] = words;
  switch (kind) {
    case "json":
      return parseRequest(words.join(" "));
    case "type":
      return { kind, ref: first, text: rest.join(" ") };
    case "select":
      return { kind, ref: first, values: rest };
    case "press":
      return { kind, key: first };
    case "evaluate":
      return { kind, fn: words.join(" ") };
    case "wait":
      return { kind, text: words.join(" ") };
    case "drag":
      return { kind, startRef: first, endRef: rest[0] };
    case "resize":
      return { kind, width: first, height: rest[0] };
    default:
      return { kind, ref: first };
  }
}

function parseRequest(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (cause) {
    throw new AppError("INVALID_INPUT", "The act is no JSON object.", { cause, data: { usage: true } });
  }
  throw new AppError("INVALID_INPUT", "The act is no JSON object.", { data: { usage: true } });
}
