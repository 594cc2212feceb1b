/** The file tools and a real sandbox look at the same files, and at no others. */

import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallOutcome, Runtime } from "../../runtimeTypes.ts";
import { connectTo, createTestRuntime, testCaller } from "../../testing/testRuntime.ts";

let home: string;
let stateDir: string;
let runtime: Runtime;
let close: () => void;

async function start(sandbox: Record<string, unknown>): Promise<void> {
  const config = {
    agents: { defaults: { sandbox: { mode: "all", ...sandbox } } },
    tools: { profile: "coding" },
  };
  await writeFile(join(stateDir, "openclaw.json"), JSON.stringify(config));
  runtime = await createTestRuntime(stateDir, { homeDir: home });
  const panel = connectTo(runtime);
  close = panel.close;
  await panel.rpc.call("approvals.attend", {});
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const options = { signal: new AbortController().signal, holdMs: null };
  const outcome: CallOutcome = await runtime.tools.callTool(testCaller, name, args, options);
  if (outcome.kind === "refused") return outcome.text;
  if (outcome.kind !== "result") throw new Error(`unexpected ${outcome.kind}`);
  return outcome.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "sandbox-files-")));
  stateDir = join(home, ".openclaw");
  await mkdir(join(stateDir, "workspace"), { recursive: true, mode: 0o700 });
});
afterEach(async () => {
  close?.();
  await runtime?.dispose();
  await rm(home, { recursive: true, force: true });
});

describe("the file tools in a sandbox", () => {
  it("read what a command wrote, and a command reads what they wrote, by inner and by relative paths", async () => {
    await start({ workspaceAccess: "rw" });
    await call("exec", { command: "mkdir -p sub; printf '会议\\n' > sub/a.txt" });
    expect(await call("read", { path: "/workspace/sub/a.txt" })).toBe("会议\n");
    expect(await call("read", { path: "~/sub/a.txt" })).toBe("会议\n");
    await call("write", { path: "file:///workspace/sub/b.txt", content: "one\ntwo\n" });
    await call("edit", { path: "sub/b.txt", edits: [{ oldText: "two", newText: "three" }] });
    expect(await call("exec", { command: "cat /workspace/sub/b.txt" })).toBe("one\nthree");
    expect(await readFile(join(stateDir, "workspace", "sub", "b.txt"), "utf8")).toBe("one\nthree\n");
  });

  it("read the agent's workspace without writing to it, and have no tool that writes then", async () => {
    await writeFile(join(stateDir, "workspace", "notes.md"), "kept");
    await start({ workspaceAccess: "ro" });
    expect(await call("read", { path: "/agent/notes.md" })).toBe("kept");
    for (const name of ["write", "edit"])
      await expect(call(name, { path: "own.txt", content: "mine" })).rejects.toThrow(
        "unexpected unknownTool",
      );
    await call("exec", { command: "printf mine > own.txt" });
    expect(await call("read", { path: "own.txt" })).toBe("mine");
    expect(await readFile(join(stateDir, "workspace", "notes.md"), "utf8")).toBe("kept");
  });

  it("write to no folder that the sandbox shows read-only", async () => {
    const shared = join(home, "shared");
    await mkdir(shared);
    await writeFile(join(shared, "notes.md"), "kept");
    await start({ workspaceAccess: "rw", docker: { binds: [`${shared}:/shared:ro`] } });
    expect(await call("read", { path: "/shared/notes.md" })).toBe("kept");
    expect(await call("write", { path: "/shared/notes.md", content: "changed" })).toMatch(/may only read/);
    expect(await call("write", { path: "own.txt", content: "mine" })).toMatch(/Created own.txt/);
    expect(await readFile(join(shared, "notes.md"), "utf8")).toBe("kept");
  });

  it("reach nothing that the sandbox does not show, by no path and no link", async () => {
    await writeFile(join(home, "secret"), "s3cret");
    await start({ workspaceAccess: "rw" });
    const workspace = join(stateDir, "workspace");
    await symlink(home, join(workspace, "home"));
    await symlink(join(home, "secret"), join(workspace, "link"));
    await link(join(home, "secret"), join(workspace, "hard"));
    await symlink("/workspace", join(workspace, "inner"));
    const ways = [
      join(home, "secret"),
      "../../secret",
      "/workspace/../etc/hostname",
      "/etc/hostname",
      "/proc/self/environ",
      "home/secret",
      "link",
      "hard",
      join(stateDir, "openclaw.json"),
    ];
    for (const path of ways) {
      for (const tool of ["read", "write"]) {
        const text = await call(tool, { path, content: "x" });
        expect(text, `${tool} ${path}`).toMatch(
          /not part of this session's sandbox|lies outside|hard link|link/,
        );
        expect(text).not.toContain("s3cret");
      }
    }
    expect(await readFile(join(home, "secret"), "utf8")).toBe("s3cret");
    // Where a link points to inside of the sandbox is not followed from outside.
    expect(await call("write", { path: "inner/x.txt", content: "x" })).toMatch(/lies outside/);
  });

  it("reach nothing that a mount would show and the sandbox covers up: other agents' workspaces below a bind", async () => {
    const other = join(stateDir, "workspace-other");
    await mkdir(other);
    await writeFile(join(other, "notes.md"), "s3cret");
    await writeFile(join(home, "shared.md"), "shared");
    await symlink(other, join(home, "way"));
    await start({ workspaceAccess: "rw", docker: { binds: [`${home}:/home/mira:rw`] } });
    expect(await call("read", { path: "/home/mira/shared.md" })).toBe("shared");
    for (const path of ["/home/mira/.openclaw/workspace-other/notes.md", "/home/mira/way/notes.md"]) {
      expect(await call("read", { path }), path).toMatch(/not part of this session's sandbox/);
      expect(await call("write", { path, content: "x" }), path).toMatch(/not part of|symbolic link/);
    }
    expect(await readFile(join(other, "notes.md"), "utf8")).toBe("s3cret");
  });

  it("name no path of this machine in what they answer", async () => {
    await writeFile(join(stateDir, "workspace", "file.txt"), "text");
    await start({ workspaceAccess: "rw" });
    for (const path of ["file.txt/below", "missing.txt", `${"x".repeat(300)}`, "."]) {
      for (const tool of ["read", "write"]) {
        if (tool === "write" && path === "missing.txt") continue;
        const text = await call(tool, { path, content: "x" });
        expect(text, `${tool} ${path}`).toMatch(/\S/);
        expect(text, `${tool} ${path}`).not.toContain(home);
      }
    }
  });
});
