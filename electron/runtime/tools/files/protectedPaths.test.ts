import { link, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTestDesk, type TestDesk, textOf } from "./testDesk.ts";

let desk: TestDesk;
beforeEach(async () => {
  desk = await makeTestDesk();
  await mkdir(path.join(desk.stateDir, "desktop"));
  for (const name of stateFiles) await writeFile(path.join(desk.stateDir, name), `secret of ${name}`);
  desk.settings.hardening = new Set();
});
afterEach(() => desk.remove());

const stateFiles = [
  "openclaw.json",
  "exec-approvals.json",
  "sallyport.json5",
  "sallyport.db",
  "sallyport.db-wal",
  "sallyport-gateway.json",
  "sallyport-operator-token",
  "desktop/window.json",
  "anything-else.json",
];

/** Each way to touch a file; none of them may, with every hardening rule off and no workspace limit. */
const attempts: [tool: string, args: (file: string) => unknown][] = [
  ["read", (file) => ({ path: file })],
  ["write", (file) => ({ path: file, content: "mine" })],
  ["edit", (file) => ({ path: file, edits: [{ oldText: "secret", newText: "mine" }] })],
  ["apply_patch", (file) => ({ input: `*** Begin Patch\n*** Add File: ${file}\n+mine\n*** End Patch` })],
  ["apply_patch", (file) => ({ input: `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch` })],
  [
    "apply_patch",
    (file) => ({
      input: `*** Begin Patch\n*** Update File: own.txt\n*** Move to: ${file}\n@@\n-own\n+mine\n*** End Patch`,
    }),
  ],
];

async function expectRefused(file: string, real: string) {
  desk.settings.patchWorkspaceOnly = false;
  await writeFile(path.join(desk.workspace, "own.txt"), "own\n");
  const before = await readFile(real, "utf8");
  for (const [tool, args] of attempts) {
    await expect(desk.call(tool, args(file)), `${tool} ${file}`).rejects.toMatchObject({
      data: { kind: "protected" },
    });
    expect(await readFile(real, "utf8")).toBe(before);
  }
}

describe("the state of the product", () => {
  it.each(stateFiles)("is out of bounds for every tool: %s", async (name) => {
    const real = path.join(desk.stateDir, name);
    await expectRefused(real, real);
    await expectRefused(`../${name}`, real);
    await expectRefused(`~/.openclaw/${name}`, real);
  });

  it("is out of bounds through a symbolic link, a linked folder and a chain of links", async () => {
    const real = path.join(desk.stateDir, "exec-approvals.json");
    await symlink(real, path.join(desk.workspace, "link.json"));
    await symlink("link.json", path.join(desk.workspace, "chain.json"));
    await symlink(desk.stateDir, path.join(desk.outside, "state"));
    const [reading, writing, editing, adding] = attempts;
    for (const file of ["link.json", "chain.json", path.join(desk.outside, "state", "exec-approvals.json")]) {
      for (const attempt of [reading, writing, editing, adding]) {
        if (attempt === undefined) continue;
        desk.settings.patchWorkspaceOnly = false;
        await expect(desk.call(attempt[0], attempt[1](file))).rejects.toMatchObject({
          data: { kind: "protected" },
        });
      }
    }
    expect(await readFile(real, "utf8")).toBe("secret of exec-approvals.json");
  });

  it("is out of bounds through a hard link in the workspace, also of a nested file", async () => {
    await mkdir(path.join(desk.stateDir, "agents", "main"), { recursive: true });
    await writeFile(path.join(desk.stateDir, "agents", "main", "auth.json"), "secret of auth");
    for (const name of ["openclaw.json", "agents/main/auth.json"]) {
      const real = path.join(desk.stateDir, name);
      const alias = path.join(desk.workspace, `hard-${path.basename(name)}`);
      await link(real, alias);
      await expectRefused(alias, real);
    }
  });

  it("is out of bounds in another spelling of its case, existing or not", async () => {
    for (const name of ["OpenClaw.JSON", "Exec-Approvals.json", "SALLYPORT.db-shm"]) {
      await expect(
        desk.call("write", { path: path.join(desk.stateDir, name), content: "mine" }),
      ).rejects.toMatchObject({ data: { kind: "protected" } });
    }
  });

  it("cannot be created where it does not exist yet, nor through a dangling link", async () => {
    const missing = path.join(desk.stateDir, "sallyport-new-token");
    await symlink(missing, path.join(desk.workspace, "dangling"));
    for (const file of [missing, "dangling"]) {
      await expect(desk.call("write", { path: file, content: "mine" })).rejects.toMatchObject({
        data: { kind: "protected" },
      });
    }
    await expect(stat(missing)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("stays out of bounds when the workspace is the state directory, its parent, or a link to it", async () => {
    const alias = path.join(desk.home, "alias");
    await symlink(desk.stateDir, alias);
    for (const workspace of [desk.stateDir, desk.home, alias]) {
      desk.settings.workspaces = [workspace];
      await expect(
        desk.call("read", { path: path.join(desk.stateDir, "openclaw.json") }),
      ).rejects.toMatchObject({
        data: { kind: "protected" },
      });
    }
  });

  it("stays out of bounds when a configuration calls a folder of it a workspace", async () => {
    desk.settings.workspaces = [path.join(desk.stateDir, "desktop")];
    await expect(desk.call("read", { path: "window.json" })).rejects.toMatchObject({
      data: { kind: "protected" },
    });
  });

  it("leaves workspaces below it usable", async () => {
    await desk.call("write", { path: "notes/a.txt", content: "hello" });
    expect(textOf(await desk.call("read", { path: "notes/a.txt" }))).toBe("hello");
    await mkdir(path.join(desk.stateDir, "workspace-helper"));
    const other = path.join(desk.stateDir, "workspace-helper", "b.txt");
    await desk.call("write", { path: other, content: "hi" });
    expect(await readFile(other, "utf8")).toBe("hi");
    desk.settings.workspaces = [path.join(desk.stateDir, "projects", "x")];
    await desk.call("write", { path: "c.txt", content: "own" });
    expect(await readFile(path.join(desk.stateDir, "projects", "x", "c.txt"), "utf8")).toBe("own");
  });

  it.runIf(process.platform === "linux")("keeps the environment of running programs closed", async () => {
    for (const file of ["/proc/self/environ", `/proc/${process.pid}/mem`, "/sys/kernel/notes"]) {
      await expect(desk.call("read", { path: file })).rejects.toMatchObject({ data: { kind: "protected" } });
    }
    await expect(
      desk.call("read", { path: `/proc/self/root${desk.stateDir}/openclaw.json` }),
    ).rejects.toMatchObject({
      data: { kind: "protected" },
    });
  });
});
