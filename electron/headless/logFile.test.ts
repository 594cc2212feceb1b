import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileLogger } from "./logFile.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sallyport-log-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it("writes one private file of JSON lines", async () => {
  const logsDir = path.join(dir, "logs");
  const log = createFileLogger(logsDir, "headless");
  log.info("a.happened", { token: "hush" });
  log.debug("not.kept");
  const file = path.join(logsDir, "headless.log");
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: "a.happened", token: "[redacted]" }]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("starts a new file when the old one has grown, and keeps one", async () => {
  await writeFile(path.join(dir, "headless.log"), "x".repeat(5_000_001));
  const log = createFileLogger(dir, "headless");
  log.info("after");
  expect(await readdir(dir)).toEqual(["headless.1.log", "headless.log"]);
  expect((await readFile(path.join(dir, "headless.log"), "utf8")).length).toBeLessThan(500);
});
