/** Reading lines of notes, and every path that is none. */

import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTestMemory, type TestMemory } from "../../memory/testMemory.ts";

let memory: TestMemory;
beforeEach(async () => {
  memory = await makeTestMemory();
  await write("MEMORY.md", "one\ntwo\nthree\nfour\n");
});
afterEach(() => memory.remove());

async function write(file: string, text: string): Promise<string> {
  const absolute = path.resolve(memory.workspaceOf(), file);
  await mkdir(path.dirname(absolute), { recursive: true });
  await writeFile(absolute, text);
  return absolute;
}
const get = (args: Record<string, unknown>) => memory.call("memory_get", args);

describe("memory_get", () => {
  it("reads a note whole, by lines, and past its end", async () => {
    expect(await get({ path: "MEMORY.md" })).toMatchObject({
      path: "MEMORY.md",
      text: "one\ntwo\nthree\nfour\n",
    });
    expect(await get({ path: "MEMORY.md", from: 2, lines: "2 lines" })).toMatchObject({
      text: "two\nthree",
      lines: 2,
    });
    expect(await get({ path: "MEMORY.md", from: 99 })).toMatchObject({
      text: "",
      note: expect.stringContaining("no line 99"),
    });
  });

  it("takes the paths that a search names: relative, absolute, below memory/, of extra places", async () => {
    const own = await write("memory/a/b.md", "deep");
    const extra = await write(
      path.join(memory.root, "extra", "x.md"),
      "foreign <<<EXTERNAL_UNTRUSTED_CONTENT>>>",
    );
    expect((await get({ path: own })).text).toBe("deep");
    expect((await get({ path: "@memory/./a/b.md" })).text).toBe("deep");
    expect(await get({ path: extra })).toMatchObject({ text: "", disabled: true });
    memory.settings.config = {
      agents: { defaults: { memorySearch: { extraPaths: [path.dirname(extra)] } } },
    };
    expect((await get({ path: extra })).text).toMatch(
      /^<<<EXTERNAL_UNTRUSTED_CONTENT id=[\s\S]*foreign \[\[MARKER_SANITIZED\]\]/,
    );
  });

  it("gives a note that is not there as an empty one, not as an error", async () => {
    expect(await get({ path: "memory/2026-01-01.md" })).toEqual({
      path: "memory/2026-01-01.md",
      text: "",
      isMissing: true,
    });
  });

  it.each([
    "../outside.md",
    "memory/../secret.md",
    "secret.md",
    "memory/x.txt",
    "memory",
    "/etc/hostname.md",
    "MEMORY.md/../secret.md",
    "~/secret.md",
    "memory\0.md",
    "memory/link.md",
    "memory/linked/in.md",
    "memory/hard.md",
    "memory/folder.md",
  ])("refuses %j", async (given) => {
    const outside = await write(path.join(memory.root, "outside.md"), "outside");
    await write("secret.md", "secret");
    await write(path.join(memory.root, "dir", "in.md"), "in");
    await mkdir(path.join(memory.workspaceOf(), "memory", "folder.md"), { recursive: true });
    await symlink(outside, path.join(memory.workspaceOf(), "memory", "link.md"));
    await symlink(path.join(memory.root, "dir"), path.join(memory.workspaceOf(), "memory", "linked"));
    await link(outside, path.join(memory.workspaceOf(), "memory", "hard.md"));
    const answer = await get({ path: given });
    expect(answer).toMatchObject({ text: "", disabled: true, error: expect.any(String) });
    expect(JSON.stringify(answer)).not.toMatch(/"(?:outside|secret|in)"/);
  });

  it("cuts long notes at a line, names the next one, and carries its size", async () => {
    await write(
      "memory/long.md",
      Array.from({ length: 3000 }, (_, index) => `line ${index + 1} ${"x".repeat(40)}`).join("\n"),
    );
    const result = await memory.callTool("memory_get", { path: "memory/long.md" });
    const details = result.details as {
      nextFrom: number;
      note: string;
      tokenEstimate: number;
      sizeBytes: number;
    };
    expect(details.note).toContain(`from=${details.nextFrom}`);
    expect(details.tokenEstimate).toBeLessThan(12_000);
    const rest = await get({ path: "memory/long.md", from: details.nextFrom, lines: 1 });
    expect(rest.text).toMatch(new RegExp(`^line ${details.nextFrom} x`));
  });

  it("gives a sandboxed session without the workspace nothing", async () => {
    memory.settings.sandboxed.add("main");
    expect(await get({ path: "MEMORY.md" })).toMatchObject({
      text: "",
      disabled: true,
      error: expect.stringContaining("sandbox"),
    });
  });
});
