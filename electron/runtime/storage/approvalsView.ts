/** The approvals file as readers get it: without the socket token, with findings about each entry. */

import type { z } from "zod";
import type { approvalsFileView, Reason } from "../../../shared/contract/index.ts";
import type { ApprovalsFileState } from "./approvalsState.ts";

export type ApprovalsFileView = z.infer<typeof approvalsFileView>;

/** Hygiene of one entry. @param agentId whose list it stands in */
export type EntryFindings = (pattern: string, agentId: string, lastUsedAtMs: number | null) => Reason[];

export function approvalsView(state: ApprovalsFileState, findings: EntryFindings): ApprovalsFileView {
  if (state.kind !== "ok")
    return {
      path: state.path,
      exists: state.kind === "broken",
      state: state.kind,
      problems: state.kind === "broken" ? state.problems : [],
      hash: state.kind === "broken" ? state.hash : null,
      file: state.kind === "broken" ? null : { version: 1 },
      entries: [],
    };
  return {
    path: state.path,
    exists: true,
    state: "ok",
    problems: [],
    hash: state.hash,
    file: withoutToken(state.raw),
    entries: [...state.file.agents].flatMap(([agentId, agent]) =>
      (agent.allowlist ?? []).map((entry) => ({
        agentId,
        id: entry.id === undefined || entry.id === "" ? null : entry.id,
        pattern: entry.pattern,
        lastUsedAtMs: entry.lastUsedAt ?? null,
        lastUsedCommand: entry.lastUsedCommand ?? null,
        findings: findings(entry.pattern, agentId, entry.lastUsedAt ?? null),
      })),
    ),
  };
}

function withoutToken(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { socket } = raw;
  if (typeof socket !== "object" || socket === null || Array.isArray(socket)) return { ...raw };
  return { ...raw, socket: Object.fromEntries(Object.entries(socket).filter(([key]) => key !== "token")) };
}
