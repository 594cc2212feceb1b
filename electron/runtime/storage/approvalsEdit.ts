/** Changes to the content of exec-approvals.json as pure functions: in, the file; out, the file to write. */

import { AppError } from "../../../shared/errors/index.ts";
import type { ApprovalsEntry, ApprovalsFile } from "../../../shared/exec/approvalsFile.ts";

/** One run of a command that an entry let through (exec.md §5.3). */
export interface AllowlistUse {
  /** Whose list holds the entry; `*` entries are recorded where they stand, not under the agent. */
  agentId: string;
  pattern: string;
  command: string;
  resolvedPath: string | null;
}

/** @returns null when exactly this pattern is in the list already */
export function withEntry(file: ApprovalsFile, agentId: string, entry: ApprovalsEntry): ApprovalsFile | null {
  const id = checkedAgentId(agentId);
  const pattern = entry.pattern.trim();
  if (pattern === "")
    throw new AppError("INVALID_INPUT", "The pattern is empty. Give a path such as /usr/bin/git.");
  const agent = file.agents.get(id) ?? {};
  const list = agent.allowlist ?? [];
  if (list.some((one) => one.pattern.trim() === pattern)) return null;
  return withAgent(file, id, { ...agent, allowlist: [...list, { ...entry, pattern }] });
}

/** @returns null when no entry has exactly this text */
export function withoutEntry(file: ApprovalsFile, agentId: string, pattern: string): ApprovalsFile | null {
  const id = checkedAgentId(agentId);
  const agent = file.agents.get(id);
  const list = agent?.allowlist ?? [];
  const rest = list.filter((one) => one.pattern.trim() !== pattern.trim());
  if (agent === undefined || rest.length === list.length) return null;
  const { allowlist: _dropped, ...others } = agent;
  if (rest.length > 0) return withAgent(file, id, { ...others, allowlist: rest });
  // The last entry takes an otherwise empty agent along.
  if (Object.keys(others).length > 0) return withAgent(file, id, others);
  const agents = new Map(file.agents);
  agents.delete(id);
  return { ...file, agents };
}

/** @returns null when none of the entries is there any more */
export function withUses(
  file: ApprovalsFile,
  uses: readonly AllowlistUse[],
  nowMs: number,
): ApprovalsFile | null {
  let result = file;
  for (const use of uses) {
    const agent = result.agents.get(use.agentId);
    if (!agent?.allowlist?.some((one) => one.pattern === use.pattern)) continue;
    const allowlist = agent.allowlist.map((one) =>
      one.pattern === use.pattern
        ? {
            ...one,
            lastUsedAt: nowMs,
            lastUsedCommand: use.command,
            ...(use.resolvedPath === null ? {} : { lastResolvedPath: use.resolvedPath }),
          }
        : one,
    );
    result = withAgent(result, use.agentId, { ...agent, allowlist });
  }
  return result === file ? null : result;
}

function withAgent(
  file: ApprovalsFile,
  agentId: string,
  agent: ApprovalsFile["agents"] extends ReadonlyMap<string, infer Agent> ? Agent : never,
): ApprovalsFile {
  return { ...file, agents: new Map(file.agents).set(agentId, agent) };
}

function checkedAgentId(agentId: string): string {
  const id = agentId.trim();
  // Such a key would make the file unreadable for every strict reader, ours included.
  if (id === "" || id === "__proto__")
    throw new AppError(
      "INVALID_INPUT",
      `"${agentId}" cannot name an agent. Use its id, or * for all agents.`,
    );
  return id;
}
