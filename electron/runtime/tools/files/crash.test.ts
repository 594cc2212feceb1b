/** A process that is killed in the middle of a change leaves the old or the new file, never a part. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTestDesk, type TestDesk } from "./testDesk.ts";

const body = `${"0123456789abcdef".repeat(8)}\n`.repeat(8000);
const rounds = 4;
let outDir: string;
let desk: TestDesk;

beforeAll(async () => {
  const { build } = await import("vite");
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = path.resolve(here, "../../../..");
  // Inside node_modules, so that the packages it imports are found.
  outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-crash-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { ssr: path.join(here, "crashWorker.ts"), outDir, emptyOutDir: false, target: "node20" },
  });
}, 60_000);
afterAll(() => rm(outDir, { recursive: true, force: true }));
beforeEach(async () => {
  desk = await makeTestDesk();
});
afterEach(() => desk.remove());

describe("a process killed while it changes a file", () => {
  it.each(["write", "edit", "apply_patch"])("with %s leaves the file whole", async (tool) => {
    const file = path.join(desk.workspace, "big.txt");
    await writeFile(file, `marker 0 0\n${body}`);
    for (let round = 0; round < rounds; round += 1) {
      const delayMs = Math.random() * 60;
      await killAfter([desk.home, tool], delayMs);
      const text = await readFile(file, "utf8");
      const lineEnd = text.indexOf("\n");
      expect(text.slice(0, lineEnd), `killed after ${delayMs} ms`).toMatch(/^marker \d+ \d+$/);
      expect(text.slice(lineEnd + 1) === body, `killed after ${delayMs} ms`).toBe(true);
    }
  });
});

/** Starts the worker, waits until its first change is done, and kills it at a random moment of the next ones. */
function killAfter(args: string[], delayMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(outDir, "crashWorker.js"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let errors = "";
    let isWorking = false;
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.stdout.once("data", () => {
      isWorking = true;
      setTimeout(() => child.kill("SIGKILL"), delayMs);
    });
    child.on("error", reject);
    child.on("close", () => (isWorking ? resolve() : reject(new Error(errors))));
  });
}
