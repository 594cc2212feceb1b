/** Format `aria`: the browser's own accessibility tree over CDP, depth first, read only (browser.md 9). */

import { estimateTokens } from "../../../../shared/browser/snapshot/snapshotTypes.ts";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { RefInfo, Snapshot, SnapshotRequest } from "../browserTypes.ts";
import type { TabState } from "./createSnapshotEngine.ts";

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 2_000;
const MASK = "••••";

/** One node as the tool prints it. */
export interface AxEntry {
  ref: string;
  role: string;
  name: string;
  value?: string;
  description?: string;
  backendDOMNodeId?: number;
  depth: number;
}

export async function takeAxTree(
  tab: TabState,
  request: SnapshotRequest,
  rules: Hardening,
): Promise<Snapshot> {
  const place = await tab.world.main();
  const { value: values, documentId, url, title } = await tab.world.call(place, "secrets", {});
  const secrets = new Set(rules.has("browser.maskSecrets") ? values : []);
  const masked = (text: string) =>
    secrets.has(text) || (secrets.size > 0 && /^[•*]+$/.test(text)) ? MASK : text;
  const { nodes } = await place.session.send("Accessibility.getFullAXTree");
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.floor(request.limit ?? DEFAULT_LIMIT)));
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const entries: AxEntry[] = [];
  const refs = new Map<string, RefInfo>();
  const [root] = nodes;
  const stack = root === undefined ? [] : [{ node: root, depth: 0 }];
  const visited = new Set<string>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    if (visited.has(node.nodeId)) continue;
    visited.add(node.nodeId);
    if (entries.length < limit) {
      const ref = `ax${entries.length + 1}`;
      const role = textOf(node.role?.value);
      const name = masked(textOf(node.name?.value));
      const entry: AxEntry = { ref, role, name, depth };
      const value = textOf(node.value?.value);
      const description = textOf(node.description?.value);
      if (value !== "") entry.value = masked(value);
      if (description !== "") entry.description = description;
      if (node.backendDOMNodeId !== undefined) entry.backendDOMNodeId = node.backendDOMNodeId;
      entries.push(entry);
      refs.set(ref, name === "" ? { role } : { role, name });
    }
    for (const id of [...(node.childIds ?? [])].reverse()) {
      const child = byId.get(id);
      if (child !== undefined) stack.push({ node: child, depth: depth + 1 });
    }
  }
  const left = visited.size - entries.length;
  const text = JSON.stringify({ nodes: entries }, null, 2);
  return {
    format: "aria",
    text,
    refs,
    stats: { lines: text.split("\n").length, chars: text.length, refs: refs.size, interactive: 0 },
    truncated: left > 0,
    more:
      left > 0
        ? `${left} of ${visited.size} nodes are left out: raise limit (at most ${MAX_LIMIT}), or use another format.`
        : null,
    extent: "full",
    tokenEstimate: estimateTokens(text),
    documentId,
    url,
    title,
  };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
