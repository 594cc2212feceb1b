/** Questions on a real terminal. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "node-pty";
import { afterEach, beforeEach, expect, it } from "vitest";

const program = fileURLToPath(new URL("testing/asks.mjs", import.meta.url));
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sallyport-ask-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it.each([
  ["a whole line", "y\r"],
  ["a begun line", "y"],
])("%s typed before the question is no answer", async (_what, typed) => {
  const go = path.join(dir, "go");
  const terminal = spawn(process.execPath, [program, go], { cwd: dir });
  let shown = "";
  let hasEnded = false;
  terminal.onData((text) => {
    shown += text;
  });
  terminal.onExit(() => {
    hasEnded = true;
  });
  try {
    await expect.poll(() => shown, { timeout: 20_000 }).toContain("waits");
    terminal.write(typed);
    // The terminal echoes what it has taken.
    await expect.poll(() => shown, { timeout: 20_000 }).toMatch(/waits\s+y/);
    await writeFile(go, "");
    await expect.poll(() => shown, { timeout: 20_000 }).toContain("Start? ");
    expect(shown).not.toContain("answer");
    terminal.write("n\r");
    await expect.poll(() => shown, { timeout: 20_000 }).toContain('answer "n"');
    await expect.poll(() => hasEnded, { timeout: 20_000 }).toBe(true);
  } finally {
    if (!hasEnded) terminal.kill("SIGKILL");
  }
});
