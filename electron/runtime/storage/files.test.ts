import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readTextFile, sha256Hex, writeFileAtomic } from "./atomicWrite.ts";
import { withFileLock } from "./fileLock.ts";
import { readGatewayFile, removeGatewayFile, writeGatewayFile } from "./gatewayFile.ts";
import { acquireInstanceLock } from "./instanceLock.ts";
import { loadOperatorToken } from "./operatorToken.ts";
import { ensureStateDir, resolveHome, resolveStateDir, statePaths } from "./stateDir.ts";
import { buildTestWorker, makeTestFolder, waitFor } from "./testFolder.ts";

let folder: string;
let remove: () => Promise<void>;
let worker: Awaited<ReturnType<typeof buildTestWorker>>;
beforeAll(async () => {
  worker = await buildTestWorker();
});
afterAll(() => worker.remove());
beforeEach(async () => {
  ({ folder, remove } = await makeTestFolder());
});
afterEach(() => remove());

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe("state directory", () => {
  it.each([
    [{}, "/home/ann/.openclaw"],
    [{ OPENCLAW_HOME: "/srv/oc" }, "/srv/oc/.openclaw"],
    [{ OPENCLAW_HOME: "~/deep" }, "/home/ann/deep/.openclaw"],
    [{ OPENCLAW_HOME: "undefined" }, "/home/ann/.openclaw"],
    [{ OPENCLAW_HOME: " " }, "/home/ann/.openclaw"],
    [{ OPENCLAW_STATE_DIR: "/var/oc/", OPENCLAW_HOME: "/srv/oc" }, "/var/oc"],
    [{ OPENCLAW_STATE_DIR: "~/state" }, "/home/ann/state"],
    [{ OPENCLAW_STATE_DIR: "~other" }, path.resolve("~other")],
  ])("with %j is %s", (env, expected) => {
    expect(resolveStateDir(env, "/home/ann")).toBe(expected);
  });

  it("names the other approvals file only when it is another one", () => {
    expect(statePaths("/home/ann/.openclaw", "/home/ann").otherApprovals).toBeNull();
    expect(statePaths("/var/oc", "/home/ann").otherApprovals).toBe("/home/ann/.openclaw/exec-approvals.json");
    expect(resolveHome({ OPENCLAW_HOME: "/srv" }, "/home/ann")).toBe("/srv");
  });

  it("makes the folder private and leaves an existing one as it is", async () => {
    await ensureStateDir(path.join(folder, "a", "b"));
    expect(await modeOf(path.join(folder, "a", "b"))).toBe(0o700);
    await mkdir(path.join(folder, "open"));
    await chmod(path.join(folder, "open"), 0o755);
    await ensureStateDir(path.join(folder, "open"));
    expect(await modeOf(path.join(folder, "open"))).toBe(0o755);
  });

  it("says what to do when the folder cannot be made", async () => {
    await writeFile(path.join(folder, "file"), "");
    await expect(ensureStateDir(path.join(folder, "file", "x"))).rejects.toThrow(/OPENCLAW_STATE_DIR/);
  });
});

describe("atomic write", () => {
  it("writes a private file and makes private folders", async () => {
    const file = path.join(folder, "sub", "x.json");
    await writeFileAtomic(file, "one");
    await writeFileAtomic(file, "two");
    expect(await readTextFile(file)).toBe("two");
    expect(await modeOf(file)).toBe(0o600);
    expect(await modeOf(path.dirname(file))).toBe(0o700);
    expect(await readdir(path.dirname(file))).toEqual(["x.json"]);
  });

  it("keeps a link and replaces what it points to, also when that does not exist yet", async () => {
    const target = path.join(folder, "real", "x.json");
    await mkdir(path.dirname(target));
    await symlink(path.join("real", "x.json"), path.join(folder, "link"));
    await writeFileAtomic(path.join(folder, "link"), "via link");
    expect(await readFile(target, "utf8")).toBe("via link");
    expect(await readlink(path.join(folder, "link"))).toBe(path.join("real", "x.json"));
  });

  it("fails on a link that leads to itself", async () => {
    await symlink("loop", path.join(folder, "loop"));
    await expect(writeFileAtomic(path.join(folder, "loop"), "x")).rejects.toThrow(/Nothing was changed/);
  });

  it("leaves no temporary file when the target cannot be replaced", async () => {
    await mkdir(path.join(folder, "dir", "full"), { recursive: true });
    await expect(writeFileAtomic(path.join(folder, "dir"), "x")).rejects.toThrow(/Cannot write/);
    expect(await readdir(folder)).toEqual(["dir"]);
  });

  it("refuses text that is not UTF-8, and gives null for a missing file", async () => {
    await writeFile(path.join(folder, "latin"), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readTextFile(path.join(folder, "latin"))).rejects.toThrow(/UTF-8/);
    expect(await readTextFile(path.join(folder, "none"))).toBeNull();
    expect(sha256Hex("")).toMatch(/^e3b0c442/);
  });

  it("leaves the old or the new text whole when the writer is killed at any moment", async () => {
    const file = path.join(folder, "big");
    for (let round = 0; round < 5; round += 1) {
      const { child, ended, output } = worker.start("rewriteForEver", file);
      await waitFor(() => output().includes("ready"));
      await waitFor(() => readTextFile(file));
      for (let read = 0; read < 30; read += 1)
        expect(await readTextFile(file)).toMatch(/^(a{400000}|b{400000})\n$/);
      child.kill("SIGKILL");
      await ended;
      expect(await readTextFile(file)).toMatch(/^(a{400000}|b{400000})\n$/);
    }
  });
});

describe("file lock", () => {
  it("runs steps of one process one after another, in order, and goes on after a failure", async () => {
    const file = path.join(folder, "x");
    const log: string[] = [];
    const step = (name: string, fails = false) =>
      withFileLock(file, async () => {
        log.push(`+${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`-${name}`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([step("a"), step("b", true), step("c")]);
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
  });

  it("gives up with the name of the lock while another process holds it, and takes over when that died", async () => {
    const file = path.join(folder, "x");
    const { child, ended, output } = worker.start("holdFileLock", file);
    await waitFor(() => output().includes("ready"));
    await expect(withFileLock(file, async () => 1, { timeoutMs: 100 })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      data: { lock: `${file}.lock` },
    });
    child.kill("SIGKILL");
    await ended;
    expect(await withFileLock(file, async () => 2)).toBe(2);
  });
});

describe("gateway file", () => {
  const info = { address: "127.0.0.1", port: 18_789, pid: process.pid, startedAtMs: 1, token: "secret" };

  it("is private and found while its process lives", async () => {
    const file = path.join(folder, "gw.json");
    expect(await readGatewayFile(file)).toEqual({ kind: "missing" });
    await writeGatewayFile(file, info);
    expect(await modeOf(file)).toBe(0o600);
    expect(await readGatewayFile(file)).toEqual({ kind: "running", info });
    await removeGatewayFile(file, process.pid + 1);
    expect((await readGatewayFile(file)).kind).toBe("running");
    await removeGatewayFile(file, process.pid);
    expect((await readGatewayFile(file)).kind).toBe("missing");
  });

  it("is stale when its process is gone or its pid belongs to another one now", async () => {
    const file = path.join(folder, "gw.json");
    const { child, ended, output } = worker.start("holdInstance", path.join(folder, "lock"));
    await waitFor(() => output().includes("ready"));
    await writeGatewayFile(file, { ...info, pid: child.pid ?? 0 });
    expect((await readGatewayFile(file)).kind).toBe("running");
    child.kill("SIGKILL");
    await ended;
    expect((await readGatewayFile(file)).kind).toBe("stale");
    await writeFile(file, JSON.stringify({ ...info, startTicks: "1" }));
    expect((await readGatewayFile(file)).kind).toBe("stale");
  });

  it.each(["", "{", "[]", '{"port": 99999}'])("is broken when it holds %j", async (text) => {
    await writeFile(path.join(folder, "gw.json"), text);
    expect((await readGatewayFile(path.join(folder, "gw.json"))).kind).toBe("broken");
  });
});

describe("instance lock", () => {
  it("lets one in, names the holder, and is free again after release", () => {
    const file = path.join(folder, "sallyport.lock");
    const first = acquireInstanceLock(file, { shell: "headless" });
    const second = acquireInstanceLock(file, { shell: "electron" });
    expect(first.ok).toBe(true);
    expect(second).toMatchObject({ ok: false, holder: { pid: process.pid, shell: "headless" } });
    if (first.ok) {
      first.release();
      first.release();
    }
    const third = acquireInstanceLock(file, { shell: "electron" });
    expect(third.ok).toBe(true);
    if (third.ok) third.release();
  });

  it("is free at once when its holder was killed", async () => {
    const file = path.join(folder, "sallyport.lock");
    const { child, ended, output } = worker.start("holdInstance", file);
    await waitFor(() => output().includes("got it"));
    expect(acquireInstanceLock(file, { shell: "test" })).toMatchObject({
      ok: false,
      holder: { pid: child.pid },
    });
    child.kill("SIGKILL");
    await ended;
    const mine = acquireInstanceLock(file, { shell: "test" });
    expect(mine.ok).toBe(true);
    if (mine.ok) mine.release();
  });
});

describe("operator token", () => {
  it("is made once, private, and kept", async () => {
    const file = path.join(folder, "token");
    const tokens = await Promise.all([loadOperatorToken(file), loadOperatorToken(file)]);
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[0]?.length).toBeGreaterThanOrEqual(43);
    expect(await modeOf(file)).toBe(0o600);
  });

  it("is not replaced when the file holds something else", async () => {
    const file = path.join(folder, "token");
    await writeFile(file, "short");
    await expect(loadOperatorToken(file)).rejects.toThrow(/no usable token/);
    expect(await readFile(file, "utf8")).toBe("short");
  });
});
