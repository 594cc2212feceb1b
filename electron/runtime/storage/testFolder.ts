/** A real temporary folder per test, waiting for states, and other processes to race with; for tests only. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** @returns the folder and what removes it */
export async function makeTestFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "sallyport-test-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

type Maybe<T> = T | undefined | null | false;

/** Looks again and again until there is something. @throws Error when nothing comes within the time */
export async function waitFor<T>(look: () => Maybe<T> | Promise<Maybe<T>>, timeoutMs = 8_000): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > endsAtMs) throw new Error("the awaited state did not come");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface TestWorker {
  child: ChildProcess;
  /** What it wrote so far, both streams. */
  output(): string;
  ended: Promise<{ code: number | null; output: string }>;
}

/** Builds `testWorker.ts` for plain Node once. @returns starts it in a process of its own */
export async function buildTestWorker(): Promise<{
  start(...args: string[]): TestWorker;
  remove(): Promise<void>;
}> {
  const { build } = await import("vite");
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = path.resolve(here, "../../..");
  // Inside node_modules, so that the packages it imports are found.
  const outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-worker-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { ssr: path.join(here, "testWorker.ts"), outDir, emptyOutDir: false, target: "node20" },
  });
  return {
    start(...args) {
      const child = spawn(process.execPath, [path.join(outDir, "testWorker.js"), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      const collect = (chunk: Buffer): void => {
        output += chunk.toString();
      };
      child.stdout.on("data", collect);
      child.stderr.on("data", collect);
      const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
        child.on("close", (code) => resolve({ code, output }));
      });
      return { child, output: () => output, ended };
    },
    remove: () => rm(outDir, { recursive: true, force: true }),
  };
}
