/** Variables of a server that a person has to see with their values: what changes the program, and what is looked up. */

import { changesWhatRuns } from "../../../shared/exec/index.ts";
import { readSecretInput } from "../secrets/index.ts";
import type { RawValue } from "./entries.ts";

export interface ShownVariable {
  name: string;
  /** As the config has it; a SecretRef as `${source:provider:id}`. */
  value: string;
  kind: "program" | "reference";
}

const reference = /^\$\{[A-Z][A-Z0-9_]{0,127}\}$/;

/** @returns them in the order of the config; the names of all others are shown beside the command */
export function shownVariables(env: ReadonlyMap<string, RawValue>): ShownVariable[] {
  return [...env].flatMap(([name, raw]): ShownVariable[] => {
    if (typeof raw !== "string") return [{ name, value: referenceOf(raw), kind: "reference" }];
    if (reference.test(raw)) return [{ name, value: raw, kind: "reference" }];
    return changesWhatRuns(name) ? [{ name, value: raw, kind: "program" }] : [];
  });
}

/** One that cannot be read is no reason to hide the name; the start fails on it. */
function referenceOf(raw: Record<string, unknown>): string {
  if (readSecretInput(raw, undefined).kind !== "ref") return `\${?}`;
  const { source, provider, id } = raw;
  return `\${${[source, provider, id].filter((part) => typeof part === "string").join(":")}}`;
}
