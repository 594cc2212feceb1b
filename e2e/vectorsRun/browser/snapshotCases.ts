/** Reads the recorded snapshots, and refuses what it does not know. */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { RefInfo, SnapshotStats } from "../../../shared/browser/snapshot/snapshotTypes.ts";

export const vectorsDir = path.resolve(
  process.env.VECTORS_DIR ?? path.join(import.meta.dirname, "../../vectors"),
);

export interface SnapshotCase {
  name: string;
  mode?: string;
  options: { interactive?: boolean; compact?: boolean; maxDepth?: number };
  selector?: string;
  frame?: string;
  snapshot: string;
  refs: Record<string, RefInfo>;
  stats: SnapshotStats;
  resolvesTo?: Record<string, string[]>;
}

export interface Control {
  role: string;
  name: string;
  element: string;
  inFrame?: boolean;
}

export interface SnapshotEntry {
  id: string;
  kind?: string;
  page?: string;
  tags?: string[];
  rawAriaSnapshot?: string;
  rawAiSnapshot?: string;
  ai?: { snapshot: string; refs: Record<string, RefInfo> };
  controls?: Control[];
  cases: SnapshotCase[];
}

const entryFields = new Set(
  "id kind page tags note madeWith framePages rawAriaSnapshot rawAiSnapshot ai controls cases".split(" "),
);
const caseFields = new Set("name mode options selector frame snapshot refs stats resolvesTo note".split(" "));
const optionFields = new Set(["interactive", "compact", "maxDepth"]);
const kinds = new Set([undefined, "text-only", "ai-text-only"]);
const modes = new Set([undefined, "role-snapshot", "role-snapshot/refs=aria"]);

export function readEntries(): SnapshotEntry[] {
  const file = path.join(vectorsDir, "browser", "snapshots.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { entries: SnapshotEntry[] }).entries;
}

/** @returns what this runner does not understand, so that nothing recorded goes unchecked */
export function unknownIn(entry: SnapshotEntry): string[] {
  const unknown = [
    ...unknownKeys(entry, entryFields, entry.id),
    ...entry.cases.flatMap((one) => [
      ...unknownKeys(one, caseFields, `${entry.id} case`),
      ...unknownKeys(one.options, optionFields, `${entry.id} options`),
    ]),
  ];
  if (!kinds.has(entry.kind)) unknown.push(`${entry.id}: kind ${entry.kind}`);
  for (const { mode } of entry.cases) if (!modes.has(mode)) unknown.push(`${entry.id}: mode ${mode}`);
  return unknown;
}

function unknownKeys(value: object, known: ReadonlySet<string>, where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${where}: field ${key}`);
}

export const usesAriaRefs = (one: SnapshotCase): boolean => one.mode === "role-snapshot/refs=aria";

/** One line of a snapshot as the comparison across versions sees it. */
export interface OutlineLine {
  depth: number;
  role: string;
  name: string;
  ref: string;
}

/** Roles, names, nesting and refs; attributes, texts and a `document` around it all are left aside. */
export function outline(snapshot: string, options: { refs: boolean }): OutlineLine[] {
  const lines: OutlineLine[] = [];
  const base = snapshot.startsWith("- document") ? 1 : 0;
  for (const line of snapshot.split("\n")) {
    const match = /^(\s*)- '?(\w+)(?: ("(?:[^"\\]|\\.)*"))?(.*)$/.exec(line);
    if (match === null || match[2] === undefined || match[2] === "text" || match[2] === "document") continue;
    lines.push({
      depth: Math.floor((match[1]?.length ?? 0) / 2) - base,
      role: match[2],
      name: match[3] ?? "",
      ref: options.refs ? (/\[ref=(\w+)\]/.exec(match[4] ?? "")?.[1] ?? "") : "",
    });
  }
  return lines;
}

/**
 * Of the AI family newer versions of Playwright leave out wrappers, nameless pictures, and names that the content
 * repeats; everything else must be there, in the same order.
 * @returns roles and names, names of `actual` only where both have one
 */
export function aiOutline(actual: string, recorded: string): { actual: string[]; recorded: string[] } {
  const essential = (snapshot: string) =>
    outline(snapshot, { refs: false }).filter(
      ({ role, name }) => role !== "generic" && (role !== "img" || name !== ""),
    );
  const [a, b] = [essential(actual), essential(recorded)];
  const label = ({ role, name }: OutlineLine, other: OutlineLine | undefined) =>
    other !== undefined && (name === "" || other.name === "") ? role : `${role} ${name}`;
  return {
    actual: a.map((line, index) => label(line, b[index])),
    recorded: b.map((line, index) => label(line, a[index])),
  };
}
