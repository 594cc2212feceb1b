/** The config that the policy view speaks of: the saved one, or a file that a person opened to look at. */

import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { ConfigView, FileProblem } from "../../../../shared/contract/index.ts";
import { parseJson5 } from "../../../../shared/json5/json5Document.ts";
import { findInclude } from "../../../../shared/policy/includes.ts";

/** A file whose text was read here; it is never written. */
export interface OpenedFile {
  name: string;
  text: string;
  /** The parsed document, or why there is none. */
  parsed:
    | { kind: "ok"; value: unknown }
    | { kind: "broken"; problem: FileProblem }
    | { kind: "includes"; line: number; column: number }
    | { kind: "tooLarge" };
}

export type Subject =
  | { kind: "saved"; name: string; text: string | null; config: unknown; hash: string | null }
  | { kind: "file"; name: string; text: string; config: unknown; hash: null };

/** The contract's limit for a config text. */
const maxTextLength = 4_194_304;

interface Opened {
  /** What the whole view shows instead of the saved config. */
  shown: OpenedFile | null;
  /** The other side of a comparison. */
  other: OpenedFile | null;
}

const openedStore = createStore<Opened>(() => ({ shown: null, other: null }));

export const useOpened = () => useStore(openedStore);

export function showFile(file: OpenedFile | null): void {
  openedStore.setState({ shown: file });
}

export function setOtherFile(file: OpenedFile | null): void {
  openedStore.setState({ other: file });
}

/** Reads a file that was dropped or chosen. A text that is no JSON5 is opened all the same, with its problem. */
export async function readOpenedFile(file: File): Promise<OpenedFile> {
  if (file.size > maxTextLength) return { name: file.name, text: "", parsed: { kind: "tooLarge" } };
  return openedFile(file.name, await file.text());
}

export function openedFile(name: string, text: string): OpenedFile {
  const result = parseJson5(text, { path: name });
  if (!result.ok) return { name, text, parsed: { kind: "broken", problem: result.problem } };
  const { document } = result;
  const included = findInclude(document.value);
  if (included === null) return { name, text, parsed: { kind: "ok", value: document.value } };
  return { name, text, parsed: { kind: "includes", ...document.nearestPosition(included) } };
}

/** @returns null while the saved config is not known, or when the opened file is broken */
export function subjectOf(saved: ConfigView | null, shown: OpenedFile | null): Subject | null {
  if (shown !== null) {
    if (shown.parsed.kind !== "ok") return null;
    return { kind: "file", name: shown.name, text: shown.text, config: shown.parsed.value, hash: null };
  }
  if (saved === null) return null;
  return {
    kind: "saved",
    name: saved.path.split(/[\\/]/u).at(-1) ?? saved.path,
    text: saved.exists ? saved.raw : "{\n}\n",
    config: saved.config,
    hash: saved.hash,
  };
}
