/** The list of tools in the system prompt: its fixed order and its lines (policy §17). */

import { catalogTools, uncataloguedCoreTools } from "./catalog.ts";
import { normalizeToolName } from "./names.ts";

/** Known tools come in this order, all others behind them by name. */
const fixedOrder: readonly string[] = [
  "read",
  "write",
  "edit",
  "apply_patch",
  "grep",
  "find",
  "ls",
  "exec",
  "process",
  "code_execution",
  "web_search",
  "web_fetch",
  "browser",
  "canvas",
  "nodes",
  "cron",
  "message",
  "gateway",
  "agents_list",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "subagents",
  "session_status",
  "image",
  "image_generate",
];

const rank: ReadonlyMap<string, number> = new Map(fixedOrder.map((name, index) => [name, index]));

/** Sorts names as the prompt lists them; spelling is kept, repeated names are listed once. */
export function promptOrder(toolNames: readonly string[]): string[] {
  const bySpelling = new Map<string, string>();
  for (const name of toolNames) {
    const key = name.trim().toLowerCase();
    if (key !== "" && !bySpelling.has(key)) bySpelling.set(key, name.trim());
  }
  const keys = [...bySpelling.keys()].sort((a, b) => {
    const rankA = rank.get(a) ?? fixedOrder.length;
    const rankB = rank.get(b) ?? fixedOrder.length;
    if (rankA !== rankB) return rankA - rankB;
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return keys.map((key) => bySpelling.get(key) ?? key);
}

const summaries: ReadonlyMap<string, string> = new Map(
  [...catalogTools, ...uncataloguedCoreTools].map((tool) => [tool.id, tool.summary]),
);

/** @returns the built-in one-line summary of a tool, or undefined */
export function toolSummary(name: string): string | undefined {
  return summaries.get(normalizeToolName(name));
}

/**
 * The prompt's lines about tools.
 * @param tools surviving tools; the description stands in where there is no summary
 */
export function promptToolLines(tools: readonly { name: string; description?: string }[]): string[] {
  if (tools.length === 0) return ["No tool is available in this session."];
  const descriptions = new Map(tools.map((tool) => [tool.name.trim().toLowerCase(), tool.description]));
  return promptOrder(tools.map((tool) => tool.name)).map((name) => {
    const description = descriptions.get(name.toLowerCase())?.split("\n")[0]?.trim();
    const summary = toolSummary(name) ?? description ?? "";
    return summary === "" ? `- ${name}` : `- ${name}: ${summary}`;
  });
}
