/** The ai and role families out of our own tree: the reference's text, with refs that are bound to elements. */

import { printAriaLines } from "../../../../shared/browser/snapshot/ariaYaml.ts";
import {
  toRoleSnapshot,
  toRoleSnapshotWithAriaRefs,
} from "../../../../shared/browser/snapshot/roleSnapshot.ts";
import { interactiveRoles } from "../../../../shared/browser/snapshot/roles.ts";
import { estimateTokens, type RoleSnapshot } from "../../../../shared/browser/snapshot/snapshotTypes.ts";
import type { SnapNode } from "../../../../shared/browser/snapshot/tree.ts";
import type { Hardening } from "../../../../shared/hardening/index.ts";
import type { RefInfo, Snapshot, SnapshotRequest } from "../browserTypes.ts";
import type { PageReply, TreeReply } from "../page/pageProtocol.ts";
import { cutLines } from "./budget.ts";
import type { TabState } from "./createSnapshotEngine.ts";
import { type FrameBudget, frameBudget, readFrame, startPlace } from "./enterFrames.ts";
import type { FramePlace } from "./pageWorld.ts";
import { badSelector, isBadSelector, nothingMatches } from "./scope.ts";

const DEFAULT_MAX_CHARS = 80_000;
const EFFICIENT_MAX_CHARS = 10_000;

interface ReadTree {
  reply: PageReply<TreeReply>;
  root: SnapNode;
}

export async function takeOwnTree(
  tab: TabState,
  request: SnapshotRequest,
  rules: Hardening,
): Promise<Snapshot> {
  const place = await startPlace(tab, request.frame);
  const notes: string[] = [];
  const family = request.format === "ai" || request.refs === "aria" ? "ai" : "role";
  let tree: ReadTree;
  try {
    tree = await readTree(tab, place, request, family, rules, 0, frameBudget(), notes);
  } catch (error) {
    throw isBadSelector(error) && request.selector !== undefined ? badSelector(request.selector) : error;
  }
  // The reference takes the role family from `:root`, so that a document stands around it all.
  const isWhole = family === "role" && request.selector === undefined;
  const root: SnapNode = isWhole
    ? { role: "fragment", name: "", children: [{ ...tree.root, role: "document" }] }
    : tree.root;
  const printed = printAriaLines(root, {
    refs: family === "ai",
    ...(request.format === "ai" && request.maxDepth !== undefined ? { maxDepth: request.maxDepth } : {}),
  });
  const snapshot =
    request.format === "ai" ? aiSnapshot(printed, root) : roleSnapshot(printed, request, family);
  if (snapshot.omittedByDepth > 0 && rules.has("browser.announceDepth")) {
    notes.push(
      `${snapshot.omittedByDepth} lines below level ${request.maxDepth} are left out: raise depth to see them.`,
    );
  }
  return finish(snapshot, tree.reply, request, notes);
}

function roleSnapshot(
  printed: { lines: string[]; nodes: (SnapNode | null)[] },
  request: SnapshotRequest,
  family: "ai" | "role",
): RoleSnapshot {
  const options = {
    ...(request.interactive === undefined ? {} : { interactive: request.interactive }),
    ...(request.compact === undefined ? {} : { compact: request.compact }),
    ...(request.maxDepth === undefined ? {} : { maxDepth: request.maxDepth }),
  };
  const yaml = printed.lines.join("\n");
  if (family === "ai") return toRoleSnapshotWithAriaRefs(yaml, options, { readsYaml: true });
  return toRoleSnapshot(yaml, options, {
    readsYaml: true,
    nodeOfLine: (index) => printed.nodes[index] ?? null,
  });
}

function aiSnapshot({ lines }: { lines: string[] }, root: SnapNode): RoleSnapshot {
  const refs = new Map<string, RefInfo>();
  const visit = (node: SnapNode): void => {
    if (node.ref !== undefined)
      refs.set(node.ref, node.name === "" ? { role: node.role } : { role: node.role, name: node.name });
    for (const child of node.children) if (typeof child !== "string") visit(child);
  };
  visit(root);
  const text = lines.join("\n");
  return { text, refs, stats: { lines: 0, chars: 0, refs: 0, interactive: 0 }, omittedByDepth: 0 };
}

async function readTree(
  tab: TabState,
  place: FramePlace,
  request: SnapshotRequest,
  family: "ai" | "role",
  rules: Hardening,
  depth: number,
  budget: FrameBudget,
  notes: string[],
): Promise<ReadTree> {
  const reply = await tab.world.call(place, "tree", {
    family,
    prefix: place.prefix,
    masks: rules.has("browser.maskSecrets"),
    clickables: rules.has("browser.clickableRefs"),
    ...(depth === 0 && request.selector !== undefined ? { selector: request.selector } : {}),
  });
  const { value } = reply;
  if (!value.found) {
    if (request.selector !== undefined) throw nothingMatches("selector", request.selector);
    return { reply, root: { role: "fragment", name: "", children: [] } };
  }
  if (value.cutBy !== null) {
    notes.push(
      `The page is too large to read as a whole: reading ended after ${value.elementCount} elements. Take a part of it with selector.`,
    );
  }
  if (value.tooDeep > 0) notes.push(`${value.tooDeep} branches nest too deep to be read.`);
  for (const iframe of framesIn(value.root)) {
    const number = Number(/e(\d+)$/.exec(iframe.ref ?? "")?.[1]);
    const entered = await readFrame(tab, place, number, depth, budget, (inner) =>
      readTree(tab, inner, request, family, rules, depth + 1, budget, notes),
    );
    if (entered.kind === "read") iframe.children = entered.value.root.children;
    else notes.push(`${iframe.ref}: ${entered.why}.`);
  }
  return { reply, root: value.root };
}

function framesIn(root: SnapNode): SnapNode[] {
  const found: SnapNode[] = [];
  const visit = (node: SnapNode): void => {
    for (const child of node.children) {
      if (typeof child === "string") continue;
      if (child.role === "iframe" && child.ref !== undefined) found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

function finish(
  snapshot: RoleSnapshot,
  reply: PageReply,
  request: SnapshotRequest,
  notes: readonly string[],
): Snapshot {
  const isEfficient = request.interactive === true && request.compact === true;
  const budget = request.maxChars !== undefined && request.maxChars > 0 ? request.maxChars : null;
  const cut = cutLines(
    snapshot.text.split("\n"),
    budget ?? (isEfficient ? EFFICIENT_MAX_CHARS : DEFAULT_MAX_CHARS),
    request.after,
  );
  const text = [cut.text, ...notes.map((note) => `… ${note}`)].join("\n");
  const more = [cut.more, ...notes].filter((note) => note !== null).join(" ");
  let interactive = 0;
  for (const { role } of snapshot.refs.values()) if (interactiveRoles.has(role)) interactive += 1;
  return {
    format: request.format,
    text,
    refs: snapshot.refs,
    stats: { lines: text.split("\n").length, chars: text.length, refs: snapshot.refs.size, interactive },
    truncated: cut.isTruncated,
    more: more === "" ? null : more,
    extent: "full",
    tokenEstimate: estimateTokens(text),
    documentId: reply.documentId,
    url: reply.url,
    title: reply.title,
  };
}
