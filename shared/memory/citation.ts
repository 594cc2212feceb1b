/** Where a passage stands, and whether an answer says so. */

import { parseAgentSessionKey } from "../policy/index.ts";

export type CitationMode = "auto" | "on" | "off";

/** @returns `path#L3` or `path#L3-L9` */
export function citationOf(path: string, startLine: number, endLine: number): string {
  return startLine === endLine ? `${path}#L${startLine}` : `${path}#L${startLine}-L${endLine}`;
}

/** `auto`: only where one person reads along, not in groups and channels. */
export function showsCitations(mode: CitationMode, sessionKey: string): boolean {
  if (mode !== "auto") return mode === "on";
  const parts = (parseAgentSessionKey(sessionKey)?.rest ?? sessionKey).split(":");
  return !parts.includes("group") && !parts.includes("channel");
}
