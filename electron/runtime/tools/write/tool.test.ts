import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../../../shared/rpc/index.ts";
import { operatorScopes } from "../../runtimeTypes.ts";
import { waitFor } from "../../storage/testFolder.ts";
import { makeTestDesk, type TestDesk, textOf } from "../files/testDesk.ts";

let desk: TestDesk;
beforeEach(async () => {
  desk = await makeTestDesk();
});
afterEach(() => desk.remove());

const person: Principal = { kind: "panel", id: "panel:main", scopes: operatorScopes, approvalSurface: true };

const pendingRequest = () => waitFor(() => desk.approvals.pending()[0]);

describe("write", () => {
  it("creates folders and files and keeps the mode of an existing one", async () => {
    const first = await desk.call("write", { path: "a/b/c.txt", content: "你好\n" });
    expect(first.details).toMatchObject({ isNew: true, sizeBytes: 7, tokenEstimate: 1 });
    const file = path.join(desk.workspace, "a/b/c.txt");
    await chmod(file, 0o751);
    const second = await desk.call("write", { path: "a/b/c.txt", content: [{ type: "text", text: "x" }] });
    expect(second.details).toMatchObject({ isNew: false, diff: "-1 你好\n+1 x", firstChangedLine: 1 });
    expect(first.details).not.toHaveProperty("diff");
    expect(await readFile(file, "utf8")).toBe("x");
    expect((await stat(file)).mode & 0o777).toBe(0o751);
    expect(await readdir(path.dirname(file))).toEqual(["c.txt"]);
  });

  it("writes an empty file, which the reference refuses", async () => {
    await desk.call("write", { path: "empty.txt", content: "" });
    expect(await readFile(path.join(desk.workspace, "empty.txt"), "utf8")).toBe("");
    desk.settings.hardening = new Set();
    await expect(desk.call("write", { path: "other.txt", content: " \n" })).rejects.toMatchObject({
      data: { kind: "missing_parameter" },
    });
  });

  it("writes through a link to its target, and never through one when held to the workspace", async () => {
    await writeFile(path.join(desk.workspace, "real.txt"), "old");
    await symlink("real.txt", path.join(desk.workspace, "link.txt"));
    await desk.call("write", { path: "link.txt", content: "new" });
    expect(await readFile(path.join(desk.workspace, "real.txt"), "utf8")).toBe("new");
    expect((await lstat(path.join(desk.workspace, "link.txt"))).isSymbolicLink()).toBe(true);
    desk.settings.workspaceOnly = true;
    await expect(desk.call("write", { path: "link.txt", content: "x" })).rejects.toMatchObject({
      data: { kind: "symlinked_parent" },
    });
    await expect(desk.call("write", { path: "../x.txt", content: "x" })).rejects.toMatchObject({
      data: { kind: "protected" },
    });
    await expect(desk.call("write", { path: `${desk.outside}/x.txt`, content: "x" })).rejects.toMatchObject({
      data: { kind: "path_escape" },
    });
  });

  it("gives new files of a held agent to the user alone", async () => {
    desk.settings.workspaceOnly = true;
    await desk.call("write", { path: "own.txt", content: "x" });
    expect((await stat(path.join(desk.workspace, "own.txt"))).mode & 0o777).toBe(0o600);
  });

  it("replaces a hard link without touching the file behind its other name", async () => {
    await writeFile(path.join(desk.outside, "o.txt"), "outside");
    await link(path.join(desk.outside, "o.txt"), path.join(desk.workspace, "hard.txt"));
    await desk.call("write", { path: "hard.txt", content: "mine" });
    expect(await readFile(path.join(desk.outside, "o.txt"), "utf8")).toBe("outside");
  });

  it("refuses folders and paths below a file", async () => {
    await mkdir(path.join(desk.workspace, "folder"));
    await writeFile(path.join(desk.workspace, "file"), "x");
    await expect(desk.call("write", { path: "folder", content: "x" })).rejects.toThrow(/folder/);
    await expect(desk.call("write", { path: "file/below.txt", content: "x" })).rejects.toThrow(
      /not a folder/,
    );
  });

  it("runs changes of one file one after the other", async () => {
    const contents = Array.from({ length: 12 }, (_, index) => `${index}\n`.repeat(2000));
    await Promise.all(contents.map((content) => desk.call("write", { path: "same.txt", content })));
    expect(contents).toContain(await readFile(path.join(desk.workspace, "same.txt"), "utf8"));
    expect(await readdir(desk.workspace)).toEqual(["same.txt"]);
  });
});

describe("write outside the workspace", () => {
  const outsideFile = () => path.join(desk.outside, "o.txt");

  it("waits for a person, who sees path, hashes and difference; then writes", async () => {
    await writeFile(outsideFile(), "one\ntwo\n");
    const waiting: unknown[] = [];
    const running = desk.call(
      "write",
      { path: outsideFile(), content: "one\nTWO\n" },
      { reportWaiting: (state) => waiting.push(state) },
    );
    const request = await pendingRequest();
    expect(request).toMatchObject({ kind: "fileWrite", always: { kind: "withheld" }, onExpiry: "deny" });
    expect(request.command).toContain(`write ${outsideFile()}\nbefore: sha256 `);
    expect(request.command).toContain("@@ -1,2 +1,2 @@\n one\n-two\n+TWO");
    expect(await readFile(outsideFile(), "utf8")).toBe("one\ntwo\n");
    await desk.approvals.resolve({ id: request.id, decision: "allow-once", digest: request.digest }, person);
    await running;
    expect(await readFile(outsideFile(), "utf8")).toBe("one\nTWO\n");
    expect(waiting).toEqual([{ approvalId: request.id }, null]);
  });

  it("asks for the real place behind a link of the workspace", async () => {
    await symlink(desk.outside, path.join(desk.workspace, "way"));
    const running = desk.call("write", { path: "way/new.txt", content: "x" });
    const request = await pendingRequest();
    expect(request.command).toContain(`write ${path.join(desk.outside, "new.txt")}\nbefore: no file`);
    await desk.approvals.resolve({ id: request.id, decision: "deny", note: "not there" }, person);
    const result = await running;
    expect(textOf(result)).toMatch(/denied.*\n.*not there/);
    expect(result.refusal).toMatchObject({ kind: "denied", by: { kind: "person" } });
    expect(await readdir(desk.outside)).toEqual([]);
  });

  it("writes nothing when the file changed after it was shown", async () => {
    await writeFile(outsideFile(), "old");
    const running = desk.call("write", { path: outsideFile(), content: "new" });
    const request = await pendingRequest();
    await writeFile(outsideFile(), "somebody else");
    await desk.approvals.resolve({ id: request.id, decision: "allow-once", digest: request.digest }, person);
    await expect(running).rejects.toMatchObject({ data: { kind: "changed" } });
    expect(await readFile(outsideFile(), "utf8")).toBe("somebody else");
  });

  it("writes nothing when the folder became a link to another place after it was shown", async () => {
    await mkdir(path.join(desk.outside, "a"));
    const running = desk.call("write", { path: path.join(desk.outside, "a", "n.txt"), content: "new" });
    const request = await pendingRequest();
    const { rename } = await import("node:fs/promises");
    await rename(path.join(desk.outside, "a"), path.join(desk.outside, "b"));
    await symlink(path.join(desk.outside, "b"), path.join(desk.outside, "a"));
    await desk.approvals.resolve({ id: request.id, decision: "allow-once", digest: request.digest }, person);
    await expect(running).rejects.toMatchObject({ data: { kind: "changed" } });
    expect(await readdir(path.join(desk.outside, "b"))).toEqual([]);
  });

  it("is refused when nobody can be asked, and expires as an expiry", async () => {
    desk.presence.leave("test");
    const refused = await desk.call("write", { path: outsideFile(), content: "x" });
    expect(refused.refusal).toMatchObject({ kind: "denied", reason: { code: "noOperator" } });
    desk.presence.attend("test");
    const running = desk.call("write", { path: outsideFile(), content: "x" });
    await pendingRequest();
    desk.clock.advance(1_800_000);
    expect((await running).refusal).toMatchObject({ kind: "expired" });
    expect(await readdir(desk.outside)).toEqual([]);
  });

  it("bounds what is shown and covers the rest by the hash", async () => {
    const running = desk.call("write", { path: outsideFile(), content: "行\n".repeat(200_000) });
    const request = await pendingRequest();
    expect(Buffer.byteLength(request.command)).toBeLessThanOrEqual(10_000);
    expect(request.command).toMatch(/after: sha256 [0-9a-f]{64}/);
    expect(request.command).toMatch(/not shown is the rest of 200000 lines/);
    await desk.approvals.resolve({ id: request.id, decision: "deny" }, person);
    await running;
  });

  it("does not ask with the rule off", async () => {
    desk.settings.hardening = new Set();
    await desk.call("write", { path: outsideFile(), content: "x" });
    expect(await readFile(outsideFile(), "utf8")).toBe("x");
  });
});
