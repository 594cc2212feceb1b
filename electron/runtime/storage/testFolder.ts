/** A real temporary folder per test, and small processes to race with; for tests only. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** @returns the folder and what removes it */
export async function makeTestFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "sallyport-test-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Waits for a state. @throws Error when it does not come within the time */
export async function waitFor<T>(look: () => T | undefined | null | false | Promise<T | undefined | null | false>, timeoutMs = 8_000): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > endsAtMs) throw new Error("the awaited state did not come");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Runs a module text in another Node process; imports are relative to this folder. */
export function runScript(script: string, args: readonly string[] = []): { child: ChildProcess; ended: Promise<{ code: number | null; output: string }> } {
  const child = spawn(
    process.execPath,
    ["--import", tsLoader, "--input-type=module", "--eval", script.replaceAll("./", `${new URL(".", import.meta.url).href}`), ...args],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, output }));
  });
  return { child, ended };
}

const tsLoader = "";
