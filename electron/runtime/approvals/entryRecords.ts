/** Where allowlist entries came from and how often they were used: what the approvals file itself does not hold. */

import { z } from "zod";
import { approvalDecision, type approvalsFileView } from "../../../shared/contract/index.ts";
import type { Ledger } from "../storage/index.ts";

type FileView = z.infer<typeof approvalsFileView>;
type Entry = FileView["entries"][number];
type Source = NonNullable<Entry["source"]>;

export interface EntryRecords {
  /** One run of a command that the entry let through. */
  countUse(agentId: string, pattern: string): void;
  /** An entry was stored with an answer, or by hand; the older word stays while the entry does. */
  noteAdded(agentId: string, pattern: string, source: "always" | "hand"): void;
  noteRemoved(agentId: string, pattern: string): void;
  /** Adds source and count to each entry. */
  withRecords(view: FileView): FileView;
}

const readBack = 500;
const storedInDecision = z.object({ decision: approvalDecision.pick({ stored: true }) });
const changedByHand = z.object({ agentId: z.string(), pattern: z.string() });

/** @see product.md, view "Approvals" */
export function createEntryRecords(ledger: Ledger): EntryRecords {
  const sources = new Map<string, Source>();
  const counts = new Map<string, number>();
  const keyOf = (agentId: string, pattern: string) => JSON.stringify([agentId.trim(), pattern.trim()]);
  const noteAdded: EntryRecords["noteAdded"] = (agentId, pattern, source) => {
    const key = keyOf(agentId, pattern);
    if (!sources.has(key)) sources.set(key, source);
  };
  const noteRemoved: EntryRecords["noteRemoved"] = (agentId, pattern) => {
    const key = keyOf(agentId, pattern);
    sources.delete(key);
    counts.delete(key);
  };

  const past = ["approval.decided", "allowlist.added", "allowlist.removed"].flatMap((kind) =>
    ledger.listByKind(kind, { limit: readBack }),
  );
  for (const { kind, data } of past.sort((a, b) => a.seq - b.seq)) {
    if (kind === "approval.decided") {
      const parsed = storedInDecision.safeParse(data);
      for (const entry of parsed.success ? parsed.data.decision.stored : [])
        noteAdded(entry.agentId, entry.pattern, "always");
      continue;
    }
    const parsed = changedByHand.safeParse(data);
    if (!parsed.success) continue;
    if (kind === "allowlist.added") noteAdded(parsed.data.agentId, parsed.data.pattern, "hand");
    else noteRemoved(parsed.data.agentId, parsed.data.pattern);
  }

  return {
    countUse(agentId, pattern) {
      const key = keyOf(agentId, pattern);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    noteAdded,
    noteRemoved,
    withRecords: (view) => ({
      ...view,
      entries: view.entries.map((entry) => {
        const key = keyOf(entry.agentId, entry.pattern);
        return { ...entry, useCount: counts.get(key) ?? 0, source: sources.get(key) ?? "file" };
      }),
    }),
  };
}
