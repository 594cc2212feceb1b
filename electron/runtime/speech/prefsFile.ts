/** A small JSON file of preferences, shared with other programs: read whole, changed under a lock, private. */

import { AppError } from "../../../shared/errors/index.ts";
import { asRecord } from "../../../shared/policy/configRecord.ts";
import { readTextFile, withFileLock, writeFileAtomic } from "../storage/index.ts";

export type PrefsState =
  /** A missing file is an empty object. */
  | { kind: "ok"; value: Readonly<Record<string, unknown>> }
  /** It is there and cannot be used: nothing is assumed about what it says, and it is never overwritten. */
  | { kind: "broken"; problem: string };

export interface PrefsFile {
  path: string;
  read(): Promise<PrefsState>;
  /**
   * @param change gets the object as it is now, without prototype, and changes it in place
   * @throws AppError UNAVAILABLE when the file is broken or cannot be written; nothing is changed then
   */
  update(change: (value: Record<string, unknown>) => void): Promise<void>;
}

export function createPrefsFile(path: string): PrefsFile {
  const read = async (): Promise<PrefsState> => {
    try {
      const text = await readTextFile(path);
      if (text === null || text.trim() === "") return { kind: "ok", value: Object.create(null) };
      const value = asRecord(JSON.parse(text));
      if (value !== undefined) return { kind: "ok", value };
      return { kind: "broken", problem: `${path} holds no object. Mend or delete it.` };
    } catch (error) {
      const problem =
        error instanceof AppError ? error.message : `${path} is no valid JSON. Mend or delete it.`;
      return { kind: "broken", problem };
    }
  };
  return {
    path,
    read,
    update: (change) =>
      withFileLock(path, async () => {
        const state = await read();
        if (state.kind === "broken") {
          throw new AppError("UNAVAILABLE", `${state.problem} Nothing was changed.`, { data: { path } });
        }
        const next: Record<string, unknown> = Object.assign(Object.create(null), state.value);
        change(next);
        await writeFileAtomic(path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      }),
  };
}
