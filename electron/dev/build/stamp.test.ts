import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isBuildFresh, sourceStamp, stampName } from "./stamp.mjs";

let root: string;

const write = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
};

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "sallyport-stamp-"));
  write("shared/a.ts", "1");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it("calls a build fresh until a source changes, comes or goes", () => {
  expect(isBuildFresh(root)).toBe(false);
  const build = () => write(path.join("out", stampName), sourceStamp(root));
  build();
  expect(isBuildFresh(root)).toBe(true);
  write("shared/a.ts", "22");
  expect(isBuildFresh(root)).toBe(false);
  build();
  write("renderer/b.tsx", "");
  expect(isBuildFresh(root)).toBe(false);
  build();
  rmSync(path.join(root, "renderer/b.tsx"));
  expect(isBuildFresh(root)).toBe(false);
});

it("does not mind what is not built: tests and set-up", () => {
  const before = sourceStamp(root);
  write("shared/a.test.ts", "");
  write("electron/dev/setup/x.mjs", "");
  write("e2e/x.spec.ts", "");
  // The folders themselves are no source.
  expect(sourceStamp(root)).toBe(before);
});
