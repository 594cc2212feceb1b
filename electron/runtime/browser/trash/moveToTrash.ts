/** Moves a folder to the person's trash, so that a deleted profile can be got back. */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import { errnoOf } from "../../storage/atomicWrite.ts";

export interface TrashDeps {
  platform: NodeJS.Platform;
  /** PATH finds the `trash` command, XDG_DATA_HOME the trash folder. */
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  nowMs(): number;
}

export interface Trashed {
  /** Where it lies now; null when the `trash` command took it and does not say. */
  to: string | null;
}

const commandTimeoutMs = 60_000;

/**
 * The `trash` command when there is one, else the trash folder of the desktop (freedesktop.org specification on
 * Linux, `~/.Trash` on macOS, the recycle bin on Windows).
 * @param target absolute
 * @returns null when there is nothing at `target`
 * @throws AppError UNAVAILABLE when it cannot be moved; it is then still where it was
 */
export async function moveToTrash(target: string, deps: TrashDeps): Promise<Trashed | null> {
  if (!(await exists(target))) return null;
  if (await runs("trash", [target], deps.env)) {
    if (!(await exists(target))) return { to: null };
  }
  try {
    if (deps.platform === "win32") return await toRecycleBin(target, deps);
    if (deps.platform === "darwin") {
      const folder = path.join(deps.homeDir, ".Trash");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const to = path.join(folder, `${path.basename(target)}-${deps.nowMs()}-${suffix()}`);
      await move(target, to);
      return { to };
    }
    return await toDesktopTrash(target, deps);
  } catch (cause) {
    throw new AppError("UNAVAILABLE", `${target} cannot be moved to the trash: ${messageOf(cause)}.`, {
      cause,
      data: { path: target },
    });
  }
}

/** The information file comes first: a file in the trash without one could not be restored. */
async function toDesktopTrash(target: string, deps: TrashDeps): Promise<Trashed> {
  const data = deps.env.XDG_DATA_HOME;
  const root = data?.startsWith("/") === true ? data : path.join(deps.homeDir, ".local", "share");
  const trash = path.join(root, "Trash");
  await mkdir(path.join(trash, "files"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(trash, "info"), { recursive: true, mode: 0o700 });
  const name = `${path.basename(target)}-${deps.nowMs()}-${suffix()}`;
  const infoPath = path.join(trash, "info", `${name}.trashinfo`);
  const to = path.join(trash, "files", name);
  const original = target.split("/").map(encodeURIComponent).join("/");
  const info = await open(infoPath, "wx", 0o600);
  try {
    await info.writeFile(`[Trash Info]\nPath=${original}\nDeletionDate=${localDate(deps.nowMs())}\n`);
  } finally {
    await info.close();
  }
  try {
    await move(target, to);
  } catch (error) {
    await rm(infoPath, { force: true });
    throw error;
  }
  return { to };
}

async function toRecycleBin(target: string, deps: TrashDeps): Promise<Trashed> {
  // The path goes in as an environment variable, so that no character of it is read as script.
  const script =
    "Add-Type -AssemblyName Microsoft.VisualBasic; [Microsoft.VisualBasic.FileIO.FileSystem]::DeleteDirectory($env:SALLYPORT_TRASH, 'OnlyErrorDialogs', 'SendToRecycleBin')";
  const isDone = await runs("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", script], {
    ...deps.env,
    SALLYPORT_TRASH: target,
  });
  if (!isDone || (await exists(target))) throw new Error("the recycle bin did not take it");
  return { to: null };
}

/** Over the border of a file system it is copied whole before the original goes. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    try {
      await cp(from, to, { recursive: true, errorOnExist: true, force: false, verbatimSymlinks: true });
    } catch (copyError) {
      await rm(to, { recursive: true, force: true });
      throw copyError;
    }
    await rm(from, { recursive: true, force: true });
  }
}

/** False when the program is not there or fails; then the next way is tried. */
function runs(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env: { ...env }, timeout: commandTimeoutMs, windowsHide: true }, (error) =>
      resolve(error === null),
    );
  });
}

async function exists(target: string): Promise<boolean> {
  try {
    await lstat(target);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

function suffix(): string {
  return randomBytes(3).toString("hex");
}

/** Local time without zone, as the specification wants it. */
function localDate(nowMs: number): string {
  const date = new Date(nowMs);
  const local = new Date(nowMs - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
