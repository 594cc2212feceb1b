/** Reads secrets from a private file: one value, or members of a JSON document. */

import { open } from "node:fs/promises";
import { guardPath } from "./pathGuard.ts";
import { type FileProvider, refProblem } from "./providers.ts";
import type { SecretRef } from "./secretRef.ts";

/** @throws AppError UNAVAILABLE that names the first reference which cannot be had */
export async function readFileSecrets(
  refs: readonly SecretRef[],
  provider: FileProvider,
  homeDir: string,
): Promise<unknown[]> {
  const [first] = refs;
  if (first === undefined) return [];
  const path = provider.path.replace(/^~(?=$|[\\/])/, () => homeDir);
  const guarded = await guardPath(path, {
    isPrivate: true,
    trustedDirs: provider.trustedDirs,
    allowSymlink: false,
    allowInsecure: false,
  });
  if (!guarded.ok) throw refProblem(first, guarded.problem);
  const text = await withinMs(readLimited(guarded.path, provider.maxBytes), provider.timeoutMs).catch(
    (cause: unknown) => {
      throw refProblem(first, `${path} cannot be read`, cause);
    },
  );
  if (text === null) throw refProblem(first, `${path} is larger than maxBytes (${provider.maxBytes})`);
  if (provider.mode === "singleValue")
    return refs.map((ref) => {
      if (ref.id !== "value") throw refProblem(ref, 'a file of one value has the id "value"');
      return text.replace(/\r?\n$/, "");
    });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which is full of secrets.
    throw refProblem(first, `${path} is not JSON`);
  }
  return refs.map((ref) => (ref.id === "value" ? document : pointTo(document, ref)));
}

/** A network folder that does not answer must not hold up everything that waits for a secret. */
async function withinMs<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readLimited(path: string, maxBytes: number): Promise<string | null> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length > maxBytes ? null : buffer.toString("utf8", 0, length);
  } finally {
    await handle.close();
  }
}

/** JSON pointer: `~1` is a slash, `~0` a tilde; own members and array indexes only. */
function pointTo(document: unknown, ref: SecretRef): unknown {
  let current = document;
  for (const part of ref.id.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const isThere = typeof current === "object" && current !== null && Object.hasOwn(current, key);
    const isIndex = !Array.isArray(current) || /^(?:0|[1-9]\d*)$/.test(key);
    if (!isThere || !isIndex) throw refProblem(ref, "the file has no such member");
    current = Reflect.get(current as object, key);
  }
  return current;
}
