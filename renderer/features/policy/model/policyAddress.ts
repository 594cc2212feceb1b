/** Addresses of the policy view: part, tool, context, semantics and line, so that a link lands on a state. */

import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { contextToSearch, searchToContext } from "./contextAddress.ts";
import { type Semantics, semanticsIds } from "./semantics.ts";

export const policyParts = ["matrix", "why", "whatif", "compare", "assertions"] as const;
export type PolicyPart = (typeof policyParts)[number];

export function partOf(path: string): { part: PolicyPart; tool: string | null } {
  const [, , name, tool] = path.split("/");
  if (name === "why") return { part: "why", tool: tool === undefined ? null : decoded(tool) };
  return { part: policyParts.find((part) => part === name) ?? "matrix", tool: null };
}

/** A typed address may hold a stray percent sign; then it is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface PolicyPlace {
  context: PolicyContext;
  semantics: Semantics;
  /** Line of the config to show, counted from 1. */
  line: number | null;
  /** The tool that the matrix puts its cursor on. */
  tool: string | null;
  /** What a comparison starts with: the same context by the other semantics. */
  compare: "semantics" | null;
}

/**
 * @param fallbackAgent who is meant when the address names nobody
 * @param isFile an opened file is read as OpenClaw would, unless the address says otherwise
 */
export function placeOf(search: string, fallbackAgent: string | undefined, isFile: boolean): PolicyPlace {
  const params = new URLSearchParams(search);
  const asked = searchToContext(search);
  const isNamed = asked.agentId !== undefined || asked.sessionKey !== undefined;
  const line = Number(params.get("line") ?? "");
  return {
    context: isNamed || fallbackAgent === undefined ? asked : { agentId: fallbackAgent, ...asked },
    semantics: semanticsIds.find((id) => id === params.get("as")) ?? (isFile ? "openclaw" : "here"),
    line: Number.isInteger(line) && line > 0 ? line : null,
    tool: params.get("at"),
    compare: params.get("b") === "semantics" ? "semantics" : null,
  };
}

export function addressOf(place: {
  part: PolicyPart;
  tool: string | null;
  context: PolicyContext;
  semantics: Semantics;
  isFile?: boolean;
  line?: number | null | undefined;
  /** The tool that the matrix puts its cursor on. */
  at?: string | undefined;
  compare?: "semantics" | undefined;
}): string {
  const params = new URLSearchParams(contextToSearch(place.context));
  if (place.semantics !== "here" || place.isFile === true) params.set("as", place.semantics);
  if (place.line != null) params.set("line", String(place.line));
  if (place.at !== undefined) params.set("at", place.at);
  if (place.compare !== undefined) params.set("b", place.compare);
  const query = params.toString();
  const path =
    place.part === "matrix"
      ? "/policy"
      : place.part === "why"
        ? `/policy/why/${encodeURIComponent(place.tool ?? "")}`
        : `/policy/${place.part}`;
  return query === "" ? path : `${path}?${query}`;
}
