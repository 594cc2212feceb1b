import { lstat, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../../../shared/rpc/index.ts";
import { operatorScopes } from "../../runtimeTypes.ts";
import { waitFor } from "../../storage/testFolder.ts";
import { makeTestDesk, type TestDesk, textOf } from "../files/testDesk.ts";
import { applyPatchAvailable } from "./available.ts";

let desk: TestDesk;
beforeEach(async () => {
  desk = await makeTestDesk();
});
afterEach(() => desk.remove());

const person: Principal = { kind: "panel", id: "panel:main", scopes: operatorScopes, approvalSurface: true };
const put = (name: string, text: string) => writeFile(path.join(desk.workspace, name), text);
const get = (name: string) => readFile(path.join(desk.workspace, name), "utf8");
const patch = (...lines: string[]) =>
  desk.call("apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

describe("apply_patch", () => {
  it("changes no file when a later part fails; the reference leaves the earlier ones changed", async () => {
    const parts = [
      "*** Add File: new.txt",
      "+x",
      "*** Update File: a.txt",
      "@@",
      "-a",
      "+b",
      "*** Delete File: none.txt",
    ];
    await put("a.txt", "a\n");
    await expect(patch(...parts)).rejects.toMatchObject({ data: { kind: "not_found" } });
    expect(await readdir(desk.workspace)).toEqual(["a.txt"]);
    expect(await get("a.txt")).toBe("a\n");
    desk.settings.hardening = new Set();
    await expect(patch(...parts)).rejects.toThrow(/Already changed:\nA new.txt\nM a.txt/);
    expect(await get("a.txt")).toBe("b\n");
  });

  it("keeps CRLF, a byte order mark and the file's own context lines", async () => {
    await put("w.txt", "\uFEFFone  \r\ntwo\r\nthree\r\n");
    await patch("*** Update File: w.txt", "@@", " one", "-two", "+TWO", "+more", " three");
    expect(await get("w.txt")).toBe("\uFEFFone  \r\nTWO\r\nmore\r\nthree\r\n");
  });

  it("inserts behind the named line", async () => {
    await put("a.txt", "one\ntwo\n");
    await patch("*** Update File: a.txt", "@@ one", "+between");
    expect(await get("a.txt")).toBe("one\nbetween\ntwo\n");
  });

  it("moves a file, also onto itself, and removes only the link of a link", async () => {
    await put("a.txt", "a\n");
    await patch("*** Update File: a.txt", "*** Move to: a.txt", "@@", "-a", "+b");
    expect(await get("a.txt")).toBe("b\n");
    await patch("*** Update File: a.txt", "*** Move to: sub/c.txt", "@@", "-b", "+c");
    expect(await readdir(desk.workspace)).toEqual(["sub"]);
    expect(await get("sub/c.txt")).toBe("c\n");
    await writeFile(path.join(desk.outside, "o.txt"), "outside");
    await symlink(path.join(desk.outside, "o.txt"), path.join(desk.workspace, "link"));
    await patch("*** Delete File: link");
    expect(await readFile(path.join(desk.outside, "o.txt"), "utf8")).toBe("outside");
    await expect(lstat(path.join(desk.workspace, "link"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("removes and replaces files that are no text", async () => {
    for (const name of ["a.bin", "b.bin"]) {
      await writeFile(path.join(desk.workspace, name), Buffer.from([0, 0xff, 0x80]));
    }
    await patch("*** Delete File: a.bin", "*** Add File: b.bin", "+text");
    expect(await readdir(desk.workspace)).toEqual(["b.bin"]);
    expect(await get("b.bin")).toBe("text\n");
  });

  it("names the line of a mistake and what was expected", async () => {
    await expect(patch("*** Add File: a.txt", "+x", "", "*** Add File: b.txt", "+y")).rejects.toThrow(
      /line 4/,
    );
    expect(await readdir(desk.workspace)).toEqual([]);
  });

  it("is held to the workspace unless the configuration frees it; then a person decides on all files", async () => {
    const outside = path.join(desk.outside, "o.txt");
    const parts = [`*** Add File: ${outside}`, "+x", "*** Add File: in.txt", "+y"];
    await expect(patch(...parts)).rejects.toMatchObject({ data: { kind: "path_escape" } });
    desk.settings.patchWorkspaceOnly = false;
    const running = patch(...parts);
    const request = await waitFor(() => desk.approvals.pending()[0]);
    expect(request.command).toContain(`apply_patch: create ${outside}`);
    expect(request.command).toContain(`apply_patch: create ${path.join(desk.workspace, "in.txt")}`);
    expect(await readdir(desk.workspace)).toEqual([]);
    await desk.approvals.resolve({ id: request.id, decision: "allow-once", digest: request.digest }, person);
    expect(textOf(await running)).toBe(`The patch was applied:\nA ${outside}\nA in.txt`);
    expect(await readFile(outside, "utf8")).toBe("x\n");
  });

  it("refuses a change that is too broad for one decision", async () => {
    desk.settings.patchWorkspaceOnly = false;
    const parts = Array.from({ length: 30 }, (_, index) => [
      `*** Add File: ${desk.outside}/${index}`,
      "+x",
    ]).flat();
    await expect(patch(...parts)).rejects.toThrow(/split it/);
    expect(await readdir(desk.outside)).toEqual([]);
  });

  it("is there only for the providers and models that the configuration names", () => {
    expect(applyPatchAvailable({}, "main", "openai", "gpt-5")).toEqual({ isAvailable: true });
    expect(applyPatchAvailable({}, "main", null, null)).toMatchObject({ reason: "provider-without-patch" });
    const config = { tools: { exec: { applyPatch: { allowModels: ["gpt-5"] } } } };
    expect(applyPatchAvailable(config, "main", "openai", "gpt-4")).toMatchObject({
      reason: "model-not-listed",
    });
  });
});
