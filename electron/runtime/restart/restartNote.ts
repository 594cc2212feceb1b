/** The sentinel file: what a restarted program records about the restart that it comes from. */

import { rm } from "node:fs/promises";
import { z } from "zod";
import { readTextFile, writeFileAtomic } from "../storage/atomicWrite.ts";
import type { RestartRequest } from "./restartDesk.ts";

const text = (maxChars: number) => z.string().max(maxChars);

/** Everyone of this user can write the file: it is checked like any input, and decides nothing. */
const noteSchema = z.object({
  version: z.literal(1),
  payload: z.object({
    kind: z.literal("restart"),
    atMs: z.number(),
    pid: z.number().int(),
    requests: z
      .array(
        z.object({
          by: text(256),
          sessionKey: text(512),
          reason: text(1000).nullable(),
          note: text(2000).nullable(),
        }),
      )
      .max(100),
  }),
});

export type RestartNote = z.infer<typeof noteSchema>["payload"];

export async function leaveRestartNote(
  path: string,
  requests: readonly RestartRequest[],
  about: { atMs: number; pid: number },
): Promise<void> {
  const note: RestartNote = {
    kind: "restart",
    ...about,
    requests: requests.map(({ by, sessionKey, reason, note: left }) => ({
      by,
      sessionKey,
      reason: reason ?? null,
      note: left ?? null,
    })),
  };
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, payload: note }, null, 2)}\n`);
}

export type FoundNote = { kind: "none" } | { kind: "note"; note: RestartNote } | { kind: "unreadable" };

/** Reads the note and removes it: a restart is reported once. */
export async function takeRestartNote(path: string): Promise<FoundNote> {
  const found = await readTextFile(path);
  if (found === null) return { kind: "none" };
  const parsed = noteSchema.safeParse(parse(found));
  await rm(path, { force: true });
  return parsed.success ? { kind: "note", note: parsed.data.payload } : { kind: "unreadable" };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Not of our making: the schema refuses it.
    return undefined;
  }
}
