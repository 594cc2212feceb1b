/** Turns schema issues into problems with line and column. */

import type { z } from "zod";
import type { FileProblem } from "../../../shared/contract/index.ts";
import type { Json5Document } from "../../../shared/json5/json5Document.ts";

/** One problem per issue, in the order that the schema found them. */
export function problemsOf(error: z.ZodError, document: Json5Document, path: string): FileProblem[] {
  return error.issues.map((issue) => {
    const issuePath = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    // An unknown key is reported at its parent, as the release does, but shown where it stands.
    const place = issue.code === "unrecognized_keys" ? [...issuePath, ...issue.keys.slice(0, 1)] : issuePath;
    const { line, column } = document.nearestPosition(place);
    return { path, line, column, message: messageFor(issue), configPath: issuePath.join(".") };
  });
}

function messageFor(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const keys = issue.keys.map((key) => JSON.stringify(key)).join(", ");
  return `Unknown key ${keys}. Remove it or correct its spelling.`;
}
