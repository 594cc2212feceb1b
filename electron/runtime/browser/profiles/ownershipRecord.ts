/** Notes on disk which process runs a profile, so that a browser left by a crash of ours is found and ended. */

import { mkdir, readdir, readlink, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";
import { readBootId } from "../../exec/sessions/ownership.ts";
import { readProcess } from "../../exec/sessions/processTable.ts";
import type { Logger } from "../../logging/logger.ts";
import { errnoOf, readTextFile, writeFileAtomic } from "../../storage/atomicWrite.ts";
import { commandLineOf, endTree, isSameProcess } from "./browserProcess.ts";

const processId = z.object({ pid: z.number().int().positive(), startTime: z.string() });
const recordSchema = z.object({
  browser: processId,
  bootId: z.string().nullable(),
  userDataDir: z.string(),
  cdpPort: z.number().int(),
  /** The Sallyport process that started it. */
  owner: processId,
});

export type OwnershipRecord = z.infer<typeof recordSchema>;

const fileName = "sallyport-browser.json";
/** What the inside of a bubblewrap sandbox is called. */
const sandboxHostname = "sandbox";

/** `<state>/browser/<profile>`: everything of a managed profile. */
export function profileFolder(stateDir: string, name: string): string {
  return path.join(stateDir, "browser", name);
}

export function userDataDirOf(stateDir: string, name: string): string {
  return path.join(profileFolder(stateDir, name), "user-data");
}

/** Makes the folders of a profile, readable by the user alone. */
export async function makeProfileFolders(stateDir: string, name: string): Promise<string> {
  const userDataDir = userDataDirOf(stateDir, name);
  await mkdir(userDataDir, { recursive: true, mode: 0o700 });
  return userDataDir;
}

export async function writeRecord(
  stateDir: string,
  name: string,
  about: Omit<OwnershipRecord, "bootId" | "owner">,
): Promise<void> {
  const owner = { pid: process.pid, startTime: readProcess(process.pid)?.startTime ?? "" };
  const record: OwnershipRecord = { ...about, bootId: readBootId(), owner };
  await writeFileAtomic(recordPath(stateDir, name), `${JSON.stringify(record)}\n`);
}

export async function removeRecord(stateDir: string, name: string): Promise<void> {
  await rm(recordPath(stateDir, name), { force: true });
}

/** @returns null when there is none, or none that can be understood: nothing is ended on its word */
export async function readRecord(stateDir: string, name: string): Promise<OwnershipRecord | null> {
  const text = await readTextFile(recordPath(stateDir, name));
  if (text === null) return null;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    // Half of a record is none; the port check still finds a browser that runs.
    return null;
  }
}

function recordPath(stateDir: string, name: string): string {
  return path.join(profileFolder(stateDir, name), fileName);
}

/**
 * Ends the browser of one profile when a former run of ours left it. Foreign processes are never touched: pid, start
 * time, boot and the folder in its command line must all be those of the record.
 * @returns true when one was ended
 */
export async function endOrphan(stateDir: string, name: string, logger: Logger): Promise<boolean> {
  const record = await readRecord(stateDir, name);
  if (record === null) return false;
  const isSameBoot = record.bootId === readBootId();
  const isOwnerAlive = isSameBoot && record.owner.pid !== process.pid && isSameProcess(record.owner);
  if (isOwnerAlive) return false;
  const isOurs =
    isSameBoot && isSameProcess(record.browser) && runsOn(record.browser.pid, record.userDataDir);
  if (isOurs) {
    logger.warn("browser.orphanFound", { profile: name, pid: record.browser.pid });
    await endTree(record.browser);
  }
  await removeRecord(stateDir, name);
  return isOurs;
}

/** Looks through all profile folders, at start. @returns names of the profiles whose browser was ended */
export async function endOrphans(stateDir: string, logger: Logger): Promise<string[]> {
  const names = await readdir(path.join(stateDir, "browser")).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  });
  const ended: string[] = [];
  for (const name of names) {
    try {
      if (await endOrphan(stateDir, name, logger)) ended.push(name);
    } catch (error) {
      // One that cannot be ended must not keep the product from starting; its port will be reported as taken.
      logger.error("browser.orphanNotEnded", { profile: name, error });
    }
  }
  return ended;
}

function runsOn(pid: number, userDataDir: string): boolean {
  const words = commandLineOf(pid);
  // Where the system does not tell, pid and start time to the second decide.
  return words === null ? process.platform !== "linux" : words.includes(`--user-data-dir=${userDataDir}`);
}

/**
 * Chromium marks a folder in use by a link `SingletonLock` → `<host>-<pid>`.
 * @throws AppError UNAVAILABLE when a living process of this computer, or another computer, has the folder
 */
export async function checkFolderFree(userDataDir: string, profile: string): Promise<void> {
  return checkLock(userDataDir, profile, () => false);
}

/**
 * The same for a browser in a sandbox: computer and process of its mark are those of the inside, which say nothing
 * outside. No record of a living browser means that it is gone, and its mark goes too.
 * @throws AppError UNAVAILABLE when a browser of another run of ours has the folder
 */
export async function checkSandboxFolderFree(
  stateDir: string,
  userDataDir: string,
  profile: string,
): Promise<void> {
  const record = await readRecord(stateDir, profile);
  if (record !== null && record.bootId === readBootId() && isSameProcess(record.browser))
    throw new AppError(
      "UNAVAILABLE",
      `The folder of the browser profile "${profile}" is in use by process ${record.browser.pid}, which another Sallyport started. Close that browser and try again.`,
      { data: { kind: "profile_locked", status: 409, profile, pid: record.browser.pid } },
    );
  await checkLock(userDataDir, profile, (host) => host === sandboxHostname);
  for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"])
    await rm(path.join(userDataDir, name), { force: true });
}

async function checkLock(
  userDataDir: string,
  profile: string,
  isIgnored: (host: string) => boolean,
): Promise<void> {
  const lockPath = path.join(userDataDir, "SingletonLock");
  const target = await readlink(lockPath).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "EINVAL") return null;
    throw error;
  });
  const match = /^(.*)-(\d+)$/.exec(target ?? "");
  if (match === null) return;
  const [, host = "", pidText = ""] = match;
  if (isIgnored(host)) return;
  const pid = Number(pidText);
  const data = { kind: "profile_locked", status: 409, profile, pid };
  if (host !== hostname())
    throw new AppError(
      "UNAVAILABLE",
      `The folder of the browser profile "${profile}" is marked as in use by another computer (${host}). If no browser runs there, remove ${lockPath}.`,
      { data },
    );
  const row = readProcess(pid);
  // A reused number is not a browser on this folder.
  if (row === undefined || row.isZombie || (process.platform === "linux" && !runsOn(pid, userDataDir)))
    return;
  throw new AppError(
    "UNAVAILABLE",
    `The folder of the browser profile "${profile}" is in use by process ${pid}, which Sallyport did not start. Close that browser and try again.`,
    { data },
  );
}
