/** The operator's secret, when neither config nor environment gives one: made once, kept private. */

import { randomBytes } from "node:crypto";
import { AppError } from "../../../shared/errors/index.ts";
import { readTextFile, writeFileAtomic } from "./atomicWrite.ts";
import { withFileLock } from "./fileLock.ts";

/**
 * @returns the kept token, or a new one of 32 random bytes (base64url)
 * @throws AppError UNAVAILABLE when the file is there but holds no usable token; it is not replaced
 */
export async function loadOperatorToken(path: string): Promise<string> {
  return withFileLock(path, async () => {
    const kept = await readTextFile(path);
    if (kept === null) {
      const token = randomBytes(32).toString("base64url");
      await writeFileAtomic(path, `${token}\n`);
      return token;
    }
    const token = kept.trim();
    if (/^[\w-]{32,}$/.test(token)) return token;
    throw new AppError("UNAVAILABLE", `${path} holds no usable token. Delete it to have a new one made.`, {
      data: { path },
    });
  });
}
