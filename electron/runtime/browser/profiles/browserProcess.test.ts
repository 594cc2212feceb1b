/** The end of a browser's tree, with small programs in its place. */

import { describe, expect, it } from "vitest";
import { type BrowserProcess, startBrowser } from "./browserProcess.ts";
import { isPortTaken } from "./endpoint.ts";
import { freePorts } from "./testBrowsers.ts";

/** A program that has its port held by a process in a session of its own, as bubblewrap does, and that ends without it. */
async function startSplit(port: number): Promise<BrowserProcess> {
  const held = `require("node:net").createServer().listen(${port}, "127.0.0.1")`;
  const outer = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(held)}], { detached: true, stdio: "ignore" }); setInterval(() => {}, 1000)`;
  const started = await startBrowser(process.execPath, ["-e", outer], { PATH: process.env.PATH ?? "" });
  await expect.poll(() => isPortTaken(port), { timeout: 20_000 }).toBe(true);
  return started;
}

describe.runIf(process.platform === "linux")("the end of a browser", () => {
  it("that was killed is the end of what it had started outside its group", async () => {
    const [port = 0] = await freePorts(1);
    const started = await startSplit(port);
    started.noteTree();
    process.kill(started.pid, "SIGKILL");
    await started.exited;
    expect(await isPortTaken(port)).toBe(true);
    await started.end();
    expect(await isPortTaken(port)).toBe(false);
  });

  it("that still runs ends such processes without a note", async () => {
    const [port = 0] = await freePorts(1);
    const started = await startSplit(port);
    await started.end();
    expect(started.isAlive()).toBe(false);
    expect(await isPortTaken(port)).toBe(false);
  });
});
