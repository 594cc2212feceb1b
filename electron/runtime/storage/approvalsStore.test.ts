import { chmod, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { type ApprovalsStore, createApprovalsStore } from "./approvalsStore.ts";
import { sha256Hex } from "./atomicWrite.ts";
import { buildTestWorker, makeTestFolder, waitFor } from "./testFolder.ts";

const clock = createManualClock(1_800_000_000_000);
let folder: string;
let file: string;
let removeFolder: () => Promise<void>;
let worker: Awaited<ReturnType<typeof buildTestWorker>>;
const stores: ApprovalsStore[] = [];
beforeAll(async () => {
  worker = await buildTestWorker();
});
afterAll(() => worker.remove());
beforeEach(async () => {
  ({ folder, remove: removeFolder } = await makeTestFolder());
  file = path.join(folder, "exec-approvals.json");
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.dispose();
  await removeFolder();
});

async function open(text: string | null, otherPath?: string): Promise<ApprovalsStore> {
  if (text !== null) await writeFile(file, text);
  const store = await createApprovalsStore({
    path: file,
    otherPath: otherPath ?? null,
    logger: silentLogger,
    clock,
    debounceMs: 20,
  });
  stores.push(store);
  return store;
}
const disk = () => readFile(file, "utf8");
const json = async () => JSON.parse(await disk());

describe("approvals file", () => {
  it("does not exist until something is added, and then is private JSON with two blanks and a last line break", async () => {
    const store = await open(null);
    expect(store.current().kind).toBe("missing");
    expect(store.view()).toMatchObject({ exists: false, state: "missing", hash: null, entries: [] });
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
    expect(await store.addAllowlist("*", "  ~/tools/disk-usage.sh ")).toEqual({ added: true });
    const text = await disk();
    const id = JSON.parse(text).agents["*"].allowlist[0].id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).toBe(
      `${JSON.stringify({ version: 1, agents: { "*": { allowlist: [{ id, pattern: "~/tools/disk-usage.sh", lastUsedAt: 1_800_000_000_000 }] } } }, null, 2)}\n`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(store.approvals().own.kind).toBe("ok");
  });

  it("adds an exact duplicate only once and says when nothing was there to remove", async () => {
    const store = await open(null);
    await store.addAllowlist("main", "/bin/ls");
    expect(await store.addAllowlist("main", "/bin/ls")).toEqual({ added: false });
    expect(await store.addAllowlist("main", "/bin/LS")).toEqual({ added: true });
    expect(await store.removeAllowlist("main", "/bin/none")).toEqual({ removed: false });
    expect(await store.removeAllowlist("none", "/bin/ls")).toEqual({ removed: false });
    await expect(store.addAllowlist("main", " ")).rejects.toThrow(/empty/);
    await expect(store.addAllowlist("__proto__", "/bin/ls")).rejects.toThrow(/agent/);
  });

  it("drops an otherwise empty agent with its last entry and keeps one that says more", async () => {
    const store = await open(
      JSON.stringify({
        version: 1,
        agents: {
          a: { allowlist: [{ pattern: "/bin/ls" }] },
          b: { security: "deny", allowlist: [{ pattern: "/bin/ls" }] },
        },
      }),
    );
    await store.removeAllowlist("a", "/bin/ls");
    await store.removeAllowlist("b", "/bin/ls");
    expect(await json()).toEqual({ version: 1, agents: { b: { security: "deny" } } });
  });

  it("keeps fields that it does not know, at every level", async () => {
    const before = {
      version: 1,
      future: { x: [1] },
      socket: { path: "/s", token: "T", more: true },
      defaults: { ask: "always", later: 1 },
      agents: { main: { note: "n", allowlist: [{ id: "i", pattern: "/bin/ls", argPattern: "x" }] } },
    };
    const store = await open(JSON.stringify(before));
    await store.addAllowlist("main", "/bin/cat");
    const after = await json();
    expect(after.agents.main.allowlist[0]).toEqual(before.agents.main.allowlist[0]);
    after.agents.main.allowlist.pop();
    expect(after).toEqual(before);
  });

  it("never writes on a read, and gives ids only when it saves", async () => {
    const text =
      '{"version": 1, "agents": {"main": {"allowlist": ["/bin/ls", {"pattern": "/bin/cat"}, {"pattern": " "}]}}}';
    const store = await open(text);
    await store.reload();
    expect(await disk()).toBe(text);
    expect(store.view().entries.map((entry) => [entry.pattern, entry.id])).toEqual([
      ["/bin/ls", null],
      ["/bin/cat", null],
    ]);
    await store.removeAllowlist("main", "/bin/none");
    expect(await disk()).toBe(text);
    await store.addAllowlist("main", "/bin/rm");
    expect(new Set((await json()).agents.main.allowlist.map((one: { id: string }) => one.id)).size).toBe(3);
  });

  it("records a use in the list where the entry stands", async () => {
    const store = await open(
      JSON.stringify({ version: 1, agents: { "*": { allowlist: [{ id: "i", pattern: "/bin/*" }] } } }),
    );
    clock.advance(5_000);
    await store.recordUse([
      { agentId: "*", pattern: "/bin/*", command: "ls -l", resolvedPath: "/bin/ls" },
      { agentId: "main", pattern: "/gone", command: "x", resolvedPath: null },
    ]);
    expect((await json()).agents).toEqual({
      "*": {
        allowlist: [
          {
            id: "i",
            pattern: "/bin/*",
            lastUsedAt: clock.nowMs(),
            lastUsedCommand: "ls -l",
            lastResolvedPath: "/bin/ls",
          },
        ],
      },
    });
  });

  it("never shows the socket token, and keeps it when a reader writes back", async () => {
    const store = await open('{"version": 1, "socket": {"path": "/s", "token": "TT"}, "agents": {}}');
    const view = store.view();
    expect(JSON.stringify(view)).not.toContain("TT");
    await store.set({ ...view.file, defaults: { security: "deny" } }, view.hash);
    expect(await json()).toEqual({
      version: 1,
      socket: { path: "/s", token: "TT" },
      agents: {},
      defaults: { security: "deny" },
    });
  });

  it("refuses a stale hash and an invalid file, and changes nothing", async () => {
    const text = '{"version": 1}';
    const store = await open(text);
    for (const hash of [null, sha256Hex("x")])
      await expect(store.set({ version: 1 }, hash)).rejects.toMatchObject({ data: { reason: "stale" } });
    for (const bad of [[], "x", null, { version: 2 }, { version: 1, agents: { a: { allowlist: [1] } } }])
      await expect(store.set(bad, sha256Hex(text))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await disk()).toBe(text);
  });

  it.each([
    ['{"version": 1,\n "agents": {', 2, /Not valid/],
    ["", 1, /empty/],
    ['{"version": 2}', 1, /1/],
    ['{"agents": {}}', 1, /1/],
    ['{"version": 1,\n // note\n "agents": {}}', 2, /plain JSON/],
    ['{"version": 1,\n "x": ["position 3",\n ]}', 3, /plain JSON/],
    ['{"version": 1,\n "x":\n NaN}', 3, /plain JSON/],
    ['{"version": 1,\n "x": "a\tb"}', 2, /plain JSON/],
    ['{"version": 1, "agents": {"main": {"security": "deny"},\n"main": {}}}', 2, /twice/],
    ['{"version": 1, "agents": {\n"main": {"allowlist": "all"}}}', 2, /./],
    ['{"version": 1, "agents": {"__proto__": {}}}', 1, /__proto__/],
  ])("acts as deny on %j and is never overwritten", async (text, line, message) => {
    const store = await open(text);
    const state = store.current();
    expect(state.kind).toBe("broken");
    if (state.kind === "broken") {
      expect(state.problems[0]?.line).toBe(line);
      expect(state.problems[0]?.message).toMatch(message);
    }
    expect(store.approvals().own.kind).toBe("unreadable");
    await expect(store.addAllowlist("main", "/bin/ls")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(store.removeAllowlist("main", "/bin/ls")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(store.set({ version: 1 }, sha256Hex(text))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await store.recordUse([{ agentId: "main", pattern: "/bin/ls", command: "ls", resolvedPath: null }]);
    expect(await disk()).toBe(text);
    expect(store.view()).toMatchObject({ state: "broken", file: null, entries: [] });
  });

  it("is broken, not missing, when it is a folder", async () => {
    const store = await createApprovalsStore({ path: folder, logger: silentLogger, clock });
    stores.push(store);
    expect(store.current()).toMatchObject({ kind: "broken", hash: null });
    expect(store.approvals().own.kind).toBe("unreadable");
  });

  it("follows edits, atomic renames, breakage and removal while it runs", async () => {
    const store = await open('{"version": 1}');
    const kinds: string[] = [];
    store.events.on("changed", (state) => kinds.push(state.kind));
    const next = path.join(folder, "next");
    await writeFile(next, '{"version": 1, "defaults": {"security": "deny"}}');
    await rename(next, file);
    await waitFor(() => store.view().file?.defaults !== undefined);
    await writeFile(file, "{");
    await waitFor(() => store.current().kind === "broken");
    await writeFile(file, '{"version": 1}');
    await waitFor(() => store.current().kind === "ok");
    expect(kinds.at(-1)).toBe("ok");
  });

  it("reads the other file beside its own, follows it, and never writes it", async () => {
    const other = path.join(folder, "default.json");
    const text = '{"version": 1, "defaults": {"security": "deny"}}';
    await writeFile(other, text);
    await chmod(other, 0o644);
    const store = await open(null, other);
    expect(store.approvals()).toMatchObject({ own: { kind: "missing" }, other: { kind: "ok" } });
    await store.addAllowlist("main", "/bin/ls");
    expect(await readFile(other, "utf8")).toBe(text);
    await writeFile(other, "{");
    await waitFor(() => store.approvals().other?.kind === "unreadable");
  });

  it("loses no entry when processes and this one write at the same time", async () => {
    const store = await open('{"version": 1, "keep": true}');
    const others = ["x", "y"].map((word) => worker.start("addPatterns", file, word));
    for (let index = 0; index < 15; index += 1) await store.addAllowlist("main", `/bin/me-${index}`);
    for (const { ended } of others) expect(await ended).toMatchObject({ code: 0 });
    const after = await json();
    expect(after.keep).toBe(true);
    expect(after.agents.main.allowlist).toHaveLength(45);
  });
});
