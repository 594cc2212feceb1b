import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Binding, bind, changedSince } from "./binding.ts";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "binding-")));
  await mkdir(join(dir, "cwd"));
  await writeFile(join(dir, "tool"), "#!/bin/sh\necho one\n", { mode: 0o755 });
  await writeFile(join(dir, "other"), "#!/bin/sh\necho two\n", { mode: 0o755 });
  await symlink(join(dir, "tool"), join(dir, "link"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function bindTool(): Promise<Binding> {
  const bound = await bind(join(dir, "cwd"), [{ path: join(dir, "link"), realPath: join(dir, "tool") }]);
  if (!bound.ok) throw new Error("not bound");
  return bound.binding;
}

describe("a binding", () => {
  it("holds while nothing changes", async () => {
    expect(await changedSince(await bindTool())).toBeNull();
  });

  it("notices a program that was rewritten", async () => {
    const binding = await bindTool();
    await writeFile(join(dir, "tool"), "#!/bin/sh\nrm -rf /\n");
    expect(await changedSince(binding)).toMatchObject({ code: "fileChanged" });
  });

  it("notices a link that points elsewhere", async () => {
    const binding = await bindTool();
    await rm(join(dir, "link"));
    await symlink(join(dir, "other"), join(dir, "link"));
    expect(await changedSince(binding)).toMatchObject({ code: "linkChanged" });
  });

  it("notices a folder that was replaced by another of the same name", async () => {
    const binding = await bindTool();
    await rename(join(dir, "cwd"), join(dir, "old"));
    await mkdir(join(dir, "cwd"));
    expect(await changedSince(binding)).toMatchObject({ code: "folderChanged" });
  });

  it("notices a program that is gone", async () => {
    const binding = await bindTool();
    await rm(join(dir, "tool"));
    expect(await changedSince(binding)).toMatchObject({ code: "fileGone" });
  });

  it("notices a namesake in a folder that is searched earlier, and only that", async () => {
    await mkdir(join(dir, "earlier"));
    const searchPath = `${join(dir, "earlier")}:${dir}`;
    const tool = join(dir, "tool");
    const bound = await bind(join(dir, "cwd"), [{ path: tool, realPath: tool, name: "tool" }], searchPath);
    if (!bound.ok) throw new Error("not bound");
    expect(await changedSince(bound.binding)).toBeNull();
    await writeFile(join(dir, "earlier", "tool"), "no program");
    expect(await changedSince(bound.binding)).toBeNull();
    await rm(join(dir, "earlier", "tool"));
    await writeFile(join(dir, "earlier", "tool"), "#!/bin/sh\n", { mode: 0o755 });
    expect(await changedSince(bound.binding)).toMatchObject({ code: "nameChanged" });
  });

  it("refuses to bind what cannot be read", async () => {
    expect(await bind(join(dir, "cwd"), [{ path: "/none", realPath: "/none" }])).toMatchObject({
      ok: false,
      reason: { code: "cannotBind" },
    });
  });
});
