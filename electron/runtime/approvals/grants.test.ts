import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecDecision, Grant } from "../../../shared/exec/index.ts";
import { createManualClock } from "../clock.ts";
import { createSettingsStore, type SettingsStore } from "../config/index.ts";
import { silentLogger } from "../logging/logger.ts";
import { createLedger, openDatabase } from "../storage/index.ts";
import { createGrants, type Grants } from "./grants.ts";

let folder: string;
let settings: SettingsStore;
let grants: Grants;
let clock: ReturnType<typeof createManualClock>;
let database: ReturnType<typeof openDatabase>;

const path = () => join(folder, "sallyport.json5");
const grant = (id: string, more: Partial<Grant> = {}): Grant => ({
  id,
  scope: { kind: "program", realPath: "/usr/bin/git", name: "git" },
  agentId: "main",
  createdAtMs: clock.nowMs(),
  createdBy: "panel:main",
  ...more,
});
const usedBy = (...ids: string[]) =>
  ({
    segments: ids.map((grantId, segmentIndex) => ({
      segmentIndex,
      satisfiedBy: "grant",
      rule: { kind: "grant", grantId },
    })),
  }) as unknown as ExecDecision;

async function start() {
  settings = await createSettingsStore({ path: path(), logger: silentLogger, clock });
  grants = createGrants({
    settings,
    clock,
    logger: silentLogger,
    ledger: createLedger(database.db),
    findings: () => [],
  });
}
async function stop() {
  await grants.dispose();
  await settings.dispose();
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "grants-"));
  clock = createManualClock();
  database = openDatabase({ path: join(folder, "db.sqlite"), logger: silentLogger });
  await start();
});
afterEach(async () => {
  await stop();
  database.close();
  await rm(folder, { recursive: true, force: true });
});

describe("grants", () => {
  it("are kept in the file over a restart, with comments left alone; those of a session are not", async () => {
    await writeFile(path(), "{ // mine\n}\n");
    await settings.reload();
    await grants.create([grant("a")], "file");
    await grants.create([grant("b", { sessionKey: "s" })], "memory");
    expect(grants.inForce().map((one) => one.id)).toEqual(["b", "a"]);
    const text = await readFile(path(), "utf8");
    expect(text).toContain("// mine");
    expect(text).not.toContain('"b"');
    await stop();
    await start();
    expect(grants.inForce().map((one) => one.id)).toEqual(["a"]);
  });

  it("end at their time to the millisecond, and leave the file", async () => {
    let changes = 0;
    grants.events.on("changed", () => {
      changes += 1;
    });
    await grants.create([grant("lease", { expiresAtMs: clock.nowMs() + 60_000 })], "file");
    clock.advance(59_999);
    expect(grants.inForce()).toHaveLength(1);
    const before = changes;
    clock.advance(1);
    expect(grants.inForce()).toEqual([]);
    expect(grants.list()).toEqual([]);
    expect(changes).toBeGreaterThan(before);
    await expect.poll(() => readFile(path(), "utf8")).not.toContain("lease");
  });

  it("that ended while nothing ran do not count at the next start", async () => {
    await grants.create([grant("lease", { expiresAtMs: clock.nowMs() + 1000 })], "file");
    await stop();
    clock.advance(1000);
    await start();
    expect(grants.inForce()).toEqual([]);
    await expect.poll(() => settings.settings().approvals.grants).toEqual([]);
  });

  it("of one answer are one row, and are revoked together", async () => {
    await grants.create([grant("a", { groupId: "g" }), grant("b", { groupId: "g" })], "file");
    await grants.create([grant("c")], "file");
    expect(grants.list().map((one) => [one.id, one.stores.length])).toEqual([
      ["g", 2],
      ["c", 1],
    ]);
    expect(await grants.revoke("g", "panel:main")).toBe(true);
    expect(grants.inForce().map((one) => one.id)).toEqual(["c"]);
    expect(await grants.revoke("g", "panel:main")).toBe(false);
    expect(await readFile(path(), "utf8")).not.toContain('"g"');
  });

  it("are revoked at once even when the file cannot be written, and the person is told", async () => {
    await grants.create([grant("a")], "file");
    const before = await readFile(path(), "utf8");
    await writeFile(path(), `${before}}`);
    await expect(grants.revoke("a", "panel:main")).rejects.toThrow();
    await settings.reload();
    expect(grants.inForce()).toEqual([]);
    await writeFile(path(), before);
    await settings.reload();
    expect(grants.inForce()).toEqual([]);
  });

  it("do not count while the file is broken", async () => {
    await grants.create([grant("a")], "file");
    await writeFile(path(), "{ approvals: ");
    await settings.reload();
    expect(grants.inForce()).toEqual([]);
    await expect(grants.create([grant("b")], "file")).rejects.toThrow();
  });

  it("end with their session, in memory and in the file", async () => {
    await grants.create([grant("a", { sessionKey: "agent:main:mcp:x" })], "memory");
    await grants.create([grant("b", { sessionKey: "agent:main:mcp:x", expiresAtMs: 1e15 })], "file");
    await grants.create([grant("c")], "file");
    await grants.endSessions((key) => key.endsWith(":x"));
    expect(grants.inForce().map((one) => one.id)).toEqual(["c"]);
  });

  it("count their use, remember the last one over a restart, and write both into the ledger", async () => {
    await grants.create([grant("a", { groupId: "g" }), grant("b", { groupId: "g" })], "file");
    grants.recordUse(usedBy("a", "b"), "git status", "call");
    grants.recordUse(usedBy("a"), "git log", "call");
    grants.recordUse(usedBy(), "ls", "call");
    expect(grants.list()[0]).toMatchObject({ useCount: 2, lastUsedCommand: "git log" });
    await stop();
    await start();
    expect(grants.list()[0]).toMatchObject({ useCount: 0, lastUsedCommand: "git log" });
    const kinds = createLedger(database.db)
      .list({ limit: 9 })
      .map((entry) => entry.kind);
    expect(kinds).toEqual(["grant.used", "grant.used", "grant.created"]);
  });
});
