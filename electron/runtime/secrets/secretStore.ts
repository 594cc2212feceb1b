/** Keys that a person typed into the product: one private file, sealed by the system's keyring where there is one. */

import { z } from "zod";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import type { Clock } from "../clock.ts";
import { createEmitter } from "../events/emitter.ts";
import type { Logger } from "../logging/logger.ts";
import { readTextFile, withFileLock, writeFileAtomic } from "../storage/index.ts";

/** Electron's safeStorage, or nothing at all when the runtime has no desktop around it. */
export interface SecretVault {
  /** `gnome_libsecret`, `kwallet6`, `keychain`, `dpapi`, … */
  backend: string;
  /** @returns base64 */
  seal(value: string): string;
  /** @throws when it was sealed by another user, machine or keyring */
  open(sealed: string): string;
}

export interface StoredSecret {
  name: string;
  /** The last characters only; null when this process cannot open it. */
  masked: string | null;
  isSealed: boolean;
  updatedAtMs: number;
}

export interface SecretStore {
  /** @returns the value; undefined when there is none, or it cannot be opened here */
  get(name: string): string | undefined;
  list(): StoredSecret[];
  /** @throws AppError INVALID_INPUT for a name or value that no key has, UNAVAILABLE when it cannot be written */
  set(name: string, value: string): Promise<void>;
  /** @returns false when there was none. @throws AppError UNAVAILABLE when the file cannot be read or written */
  remove(name: string): Promise<boolean>;
  /** How new values are kept. */
  protection(): { kind: "keyring"; backend: string } | { kind: "file" };
  /** Why the file cannot be used; it is then neither read as empty nor written. */
  problem(): string | null;
  onChanged(listener: () => void): () => void;
}

const entrySchema = z.union([
  z.object({ value: z.string(), updatedAtMs: z.number() }),
  z.object({ sealed: z.string(), updatedAtMs: z.number() }),
]);
const fileSchema = z.object({ version: z.literal(1), secrets: z.record(z.string(), entrySchema) });
type Entry = z.infer<typeof entrySchema>;

/** As for variables of the environment, whose place a stored key takes. */
const namePattern = /^[A-Z][A-Z0-9_]{0,127}$/;
const valuePattern = /^[\x21-\x7e]{1,4096}$/;

/** @param path `statePaths(...).secrets`, mode 0600 */
export async function createSecretStore(deps: {
  path: string;
  vault: SecretVault | null;
  clock: Clock;
  logger: Logger;
}): Promise<SecretStore> {
  const { path, vault, logger } = deps;
  const events = createEmitter<{ changed: undefined }>({
    onListenerError: (_event, error) => logger.error("secrets.listenerFailed", { error }),
  });
  let entries = new Map<string, Entry>();
  let opened = new Map<string, string>();
  let problem: string | null = null;

  const read = async (): Promise<Map<string, Entry>> => {
    const text = await readTextFile(path);
    if (text === null) return new Map();
    try {
      return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).secrets));
    } catch (cause) {
      throw new AppError(
        "UNAVAILABLE",
        `${path} cannot be read as a file of secrets. Mend or move it; until then stored keys are not used and none is saved.`,
        { cause, data: { path } },
      );
    }
  };

  const take = (found: Map<string, Entry>) => {
    entries = found;
    opened = new Map();
    for (const [name, entry] of found) {
      const value = openEntry(name, entry);
      if (value !== undefined) opened.set(name, value);
    }
  };

  const openEntry = (name: string, entry: Entry): string | undefined => {
    if ("value" in entry) return entry.value;
    if (vault === null) return undefined;
    try {
      return vault.open(entry.sealed);
    } catch (error) {
      // Sealed by another keyring: the list says that it cannot be opened here.
      logger.warn("secrets.notOpened", { name, reason: messageOf(error) });
      return undefined;
    }
  };

  /** @param edit returns whether there is anything to write; so does the whole */
  const change = async (edit: (found: Map<string, Entry>) => boolean): Promise<boolean> => {
    const isChanged = await withFileLock(path, async () => {
      // Another process may have written since: read again, and never write over what cannot be read.
      const found = await read();
      if (!edit(found)) return false;
      const text = JSON.stringify({ version: 1, secrets: Object.fromEntries(found) }, null, 2);
      await writeFileAtomic(path, `${text}\n`, { mode: 0o600 });
      take(found);
      problem = null;
      return true;
    });
    if (isChanged) events.emit("changed", undefined);
    return isChanged;
  };

  const entryOf = (value: string): Entry => {
    const updatedAtMs = deps.clock.nowMs();
    if (vault === null) return { value, updatedAtMs };
    try {
      return { sealed: vault.seal(value), updatedAtMs };
    } catch (cause) {
      throw new AppError(
        "UNAVAILABLE",
        `The keyring (${vault.backend}) did not seal the key, so nothing was saved. Unlock it and try again.`,
        { cause },
      );
    }
  };

  try {
    take(await read());
  } catch (error) {
    problem = messageOf(error);
    logger.error("secrets.unreadable", { path, reason: problem });
  }

  return {
    get: (name) => opened.get(name),
    list: () =>
      [...entries].map(([name, entry]) => {
        const value = opened.get(name);
        return {
          name,
          masked: value === undefined ? null : maskSecret(value),
          isSealed: "sealed" in entry,
          updatedAtMs: entry.updatedAtMs,
        };
      }),
    async set(name, value) {
      if (!namePattern.test(name)) {
        throw new AppError("INVALID_INPUT", "A secret is named as a variable is, for example BRAVE_API_KEY.");
      }
      const plain = value.trim();
      if (!valuePattern.test(plain)) {
        throw new AppError(
          "INVALID_INPUT",
          "A key has 1 to 4096 visible ASCII characters and no spaces. Check what was pasted; nothing was saved.",
        );
      }
      const entry = entryOf(plain);
      await change((found) => {
        found.set(name, entry);
        return true;
      });
    },
    remove: (name) => change((found) => found.delete(name)),
    protection: () => (vault === null ? { kind: "file" } : { kind: "keyring", backend: vault.backend }),
    problem: () => problem,
    onChanged: (listener) => events.on("changed", listener),
  };
}

/** @returns dots and at most the last four characters: enough to tell two keys apart, too little to use one */
export function maskSecret(value: string): string {
  return value.length < 12 ? "••••" : `••••${value.slice(-4)}`;
}

/**
 * The environment with stored keys behind it, for looking up keys. Never hand it to a command: `exec` gets the plain
 * environment, in which stored keys do not stand.
 */
export function withStoredSecrets(
  env: Readonly<Record<string, string | undefined>>,
  store: Pick<SecretStore, "get">,
): Readonly<Record<string, string | undefined>> {
  return new Proxy(Object.create(null) as Record<string, string | undefined>, {
    get(_target, name) {
      if (typeof name !== "string") return undefined;
      const own = Object.hasOwn(env, name) ? env[name] : undefined;
      return own === undefined || own.trim() === "" ? store.get(name) : own;
    },
    has: (_target, name) =>
      typeof name === "string" && (Object.hasOwn(env, name) || store.get(name) !== undefined),
    // Nobody can list the keys by way of an environment.
    ownKeys: () => [],
  });
}
