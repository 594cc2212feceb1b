import { describe, expect, it } from "vitest";
import { changedFiles, changeLines } from "./changeLines.ts";

const hash = "ab".repeat(32);
const text = [
  "apply_patch: replace /etc/hosts",
  `before: sha256 ${hash} (20 B)`,
  `after: sha256 ${hash} (24 B)`,
  "--- /etc/hosts",
  "+++ /etc/hosts",
  "@@ -1,2 +1,3 @@",
  " 127.0.0.1 localhost",
  " ",
  "-before: old",
  "+++ looks like a name",
  "--- and so does this",
  "",
  "write /srv/new file",
  "before: no file",
  `after: sha256 ${hash} (1 B)`,
  "--- /dev/null",
  "+++ /srv/new file",
  "+x",
].join("\n");

describe("a change of files as text", () => {
  it("is cut by where a line stands, so that content cannot pose as a head", () => {
    expect(changeLines(text).map((line) => line.kind)).toEqual([
      "title",
      "hash",
      "hash",
      "name",
      "name",
      "hunk",
      "same",
      "same",
      "removed",
      "added",
      "removed",
      "gap",
      "title",
      "hash",
      "hash",
      "name",
      "name",
      "added",
    ]);
  });

  it("keeps every character", () => {
    const lines = changeLines(text);
    expect(lines.map((line) => text.slice(line.start, line.end)).join("\n")).toBe(text);
  });

  it("names each file with what it was and what it becomes", () => {
    expect(changedFiles(text)).toEqual([
      { path: "/etc/hosts", before: `sha256 ${hash} (20 B)`, after: `sha256 ${hash} (24 B)` },
      { path: "/srv/new file", before: "no file", after: `sha256 ${hash} (1 B)` },
    ]);
  });
});
