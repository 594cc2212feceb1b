import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { checkoutCommand } from "./checkoutCommand.ts";

it("names the program of this checkout by its whole path, and Node takes it from any folder", async () => {
  const command = checkoutCommand();
  const [script = ""] = command?.args ?? [];
  expect(path.isAbsolute(script)).toBe(true);
  const rootDir = path.resolve(import.meta.dirname, "../..");
  const { bin } = JSON.parse(await readFile(path.join(rootDir, "package.json"), "utf8"));
  expect(path.relative(rootDir, script)).toBe(path.normalize(bin.sallyport));
  // Only read, not run: as a program it would build first whatever changed since the last build.
  await promisify(execFile)(command?.file ?? "", ["--check", script], { cwd: os.tmpdir() });
});
