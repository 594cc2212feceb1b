/** One set-up or build at a time per checkout: `npm start`, `npm test` and the command line may meet. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cacheDir } from "./paths.mjs";
import { isRunning } from "./processes.mjs";

const POLL_MS = 200;

/**
 * Runs `work` while no other process of this checkout does. A lock whose owner is gone is taken over.
 * @template T
 * @param {string} name one word
 * @param {(line: string) => void} say told once when there is somebody to wait for
 * @param {() => Promise<T>} work
 * @param {string} [dir] where lock files are
 * @returns {Promise<T>}
 */
export async function withLock(name, say, work, dir = cacheDir) {
  await mkdir(dir, { recursive: true });
  const file = path.join(dir, `${name}.lock`);
  let told = false;
  while (!(await tryTake(file))) {
    const owner = await readOwner(file);
    if (owner !== null && !isRunning(owner)) {
      await rm(file, { force: true });
      continue;
    }
    if (!told && owner !== null)
      say(`• Waiting for process ${owner}, which is doing the same work (${name}) …`);
    told = told || owner !== null;
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function tryTake(file) {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** The pid in the lock; null when it was released meanwhile or is being written. */
async function readOwner(file) {
  // An unreadable lock is one that just went away: the caller tries again.
  const pid = Number(await readFile(file, "utf8").catch(() => ""));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}
