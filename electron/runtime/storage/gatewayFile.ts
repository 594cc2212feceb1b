/** sallyport-gateway.json: where the running app listens, so that the CLI and the stdio bridge find it. */

import { readFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { z } from "zod";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { errnoOf, readTextFile, writeFileAtomic } from "./atomicWrite.ts";

const gatewayFileInfo = z.object({
  /** Loopback address without brackets, such as `127.0.0.1`. */
  address: z.string().min(1),
  port: z.number().int().min(1).max(65_535),
  pid: z.number().int().positive(),
  startedAtMs: z.number(),
  /** The operator's secret; the file is readable by its owner only. */
  token: z.string().min(1),
});
export type GatewayFileInfo = z.infer<typeof gatewayFileInfo>;

const storedInfo = gatewayFileInfo.extend({
  /** Start time of the process in the kernel's own count: a pid that was given to another process is seen. */
  startTicks: z.string().nullable().default(null),
});

export type GatewayFileState =
  | { kind: "running"; info: GatewayFileInfo }
  /** Its process is gone. */
  | { kind: "stale"; info: GatewayFileInfo }
  | { kind: "missing" }
  | { kind: "broken"; reason: string };

/** Writes it with mode 0600, replacing what a dead process left. */
export async function writeGatewayFile(path: string, info: GatewayFileInfo): Promise<void> {
  const stored = { ...info, startTicks: startTicksOf(info.pid) };
  await writeFileAtomic(path, `${JSON.stringify(stored, null, 2)}\n`);
}

/** Never throws: what cannot be read is `broken`, and nobody can be found through it. */
export async function readGatewayFile(path: string): Promise<GatewayFileState> {
  let text: string | null;
  try {
    text = await readTextFile(path);
  } catch (error) {
    return { kind: "broken", reason: messageOf(error) };
  }
  if (text === null) return { kind: "missing" };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return { kind: "broken", reason: `${path} is not valid JSON.` };
  }
  const parsed = storedInfo.safeParse(raw);
  if (!parsed.success) return { kind: "broken", reason: `${path} does not name a gateway.` };
  const { startTicks, ...info } = parsed.data;
  const isSameProcess = startTicks === null || startTicksOf(info.pid) === startTicks;
  return isAlive(info.pid) && isSameProcess ? { kind: "running", info } : { kind: "stale", info };
}

/** Removes the file when it names this process; another's is left alone. */
export async function removeGatewayFile(path: string, pid: number): Promise<void> {
  const state = await readGatewayFile(path);
  if (state.kind !== "running" && state.kind !== "stale") return;
  if (state.info.pid !== pid) return;
  try {
    await unlink(path);
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return;
    throw new AppError("UNAVAILABLE", `Cannot remove ${path}: ${messageOf(cause)}.`, {
      cause,
      data: { path },
    });
  }
}

/** Whether a process with this id exists, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

/** @returns field 22 of /proc/<pid>/stat; null where there is no such file */
export function startTicksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name in brackets may hold blanks and brackets itself.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    // Other systems have no /proc, and a process that is gone has no entry.
    return null;
  }
}
