/** Commands that agents asked for in the past, as the ledger holds them: material for previews, never for decisions. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Ledger, LedgerEntry } from "../storage/index.ts";

export interface PastCommand {
  command: string;
  atMs: number;
  agentId: string;
  sessionKey: string;
  /** As it was asked for; links followed when the folder still exists. */
  cwd: string;
  hasEnv: boolean;
  /** Identical ones counted together; `atMs` is the newest. */
  count: number;
}

const proposedData = z.object({ tool: z.literal("exec"), args: z.string() });
const args = z.object({
  command: z.string(),
  workdir: z.string().optional(),
  env: z.record(z.string(), z.unknown()).optional(),
});
const requestedData = z.object({ command: z.string(), cwd: z.string() });

/** How many calls of any tool are looked through for commands. */
const callsReadBack = 2000;
/** Stands in shown arguments where a secret was masked or a text was cut: such a command is not the one that ran. */
const altered = /••••••|… \(\d+ characters\)$/;

/**
 * @param limit commands, identical ones counted one by one
 * @returns newest first
 */
export async function pastCommands(
  ledger: Ledger,
  workspaceOf: (agentId: string) => string,
  limit: number,
): Promise<PastCommand[]> {
  const asked = new Map<string, { command: string; cwd: string }>();
  for (const entry of ledger.listByKind("approval.requested", { limit })) {
    const parsed = requestedData.safeParse(entry.data);
    if (parsed.success && entry.toolCallId !== null) asked.set(entry.toolCallId, parsed.data);
  }
  const realPaths = new Map<string, string>();
  const canonical = async (path: string) => {
    const known = realPaths.get(path);
    if (known !== undefined) return known;
    // A folder that is gone keeps its name.
    const found = await realpath(path).catch(() => path);
    realPaths.set(path, found);
    return found;
  };
  const distinct = new Map<string, PastCommand>();
  let left = limit;
  for (const entry of ledger.listByKind("call.proposed", { limit: callsReadBack })) {
    if (left === 0) break;
    const call = readCall(entry);
    if (call === null || entry.agentId === null || entry.sessionKey === null) continue;
    const exact = asked.get(entry.toolCallId ?? "");
    if (exact === undefined && altered.test(call.command)) continue;
    left -= 1;
    const workspace = workspaceOf(entry.agentId);
    const cwd = exact?.cwd ?? (await canonical(resolve(workspace, call.workdir ?? "")));
    const past: PastCommand = {
      command: exact?.command ?? call.command,
      atMs: entry.atMs,
      agentId: entry.agentId,
      sessionKey: entry.sessionKey,
      cwd,
      hasEnv: Object.keys(call.env ?? {}).length > 0,
      count: 1,
    };
    const key = JSON.stringify([past.command, past.agentId, past.sessionKey, past.cwd, past.hasEnv]);
    const same = distinct.get(key);
    if (same === undefined) distinct.set(key, past);
    else same.count += 1;
  }
  return [...distinct.values()];
}

function readCall(entry: LedgerEntry): z.infer<typeof args> | null {
  const data = proposedData.safeParse(entry.data);
  if (!data.success) return null;
  try {
    const parsed = args.safeParse(JSON.parse(data.data.args));
    return parsed.success ? parsed.data : null;
  } catch {
    // Arguments that were cut are no JSON any more; the command is unknown.
    return null;
  }
}
