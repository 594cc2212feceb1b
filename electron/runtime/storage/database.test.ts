import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import Libsql from "libsql";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../logging/logger.ts";
import { canonicalJson } from "./canonicalJson.ts";
import { type OpenedDatabase, openDatabase } from "./database.ts";
import { createLedger, type LedgerInput } from "./ledger.ts";
import { createProcessOwnership } from "./processOwnership.ts";
import { buildTestWorker, makeTestFolder, waitFor } from "./testFolder.ts";

let folder: string;
let file: string;
let removeFolder: () => Promise<void>;
let worker: Awaited<ReturnType<typeof buildTestWorker>>;
const opened: OpenedDatabase[] = [];
beforeAll(async () => {
  worker = await buildTestWorker();
});
afterAll(() => worker.remove());
beforeEach(async () => {
  ({ folder, remove: removeFolder } = await makeTestFolder());
  file = path.join(folder, "sallyport.db");
});
afterEach(async () => {
  for (const database of opened.splice(0)) database.close();
  await removeFolder();
});

function open(): OpenedDatabase {
  const database = openDatabase({ path: file, logger: silentLogger });
  opened.push(database);
  return database;
}

const input = (kind: string, data: Record<string, unknown> = {}): LedgerInput => ({
  atMs: 1_800_000_000_000,
  kind,
  toolCallId: "call",
  agentId: null,
  sessionKey: "agent:main:mcp:x",
  callerId: "mcp:x",
  data,
});

/** Changes the file as somebody without respect for triggers would. */
function tamper(...statements: string[]): void {
  const raw = new Libsql(file);
  raw.exec("DROP TRIGGER ledger_no_update; DROP TRIGGER ledger_no_delete;");
  for (const statement of statements) raw.exec(statement);
  raw.close();
}

describe("database", () => {
  it("is private, keeps its data, and opens again", async () => {
    createLedger(open().db).append(input("a"));
    opened.pop()?.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = open();
    expect(again.problems).toEqual([]);
    expect(createLedger(again.db).count()).toBe(1);
    again.close();
    again.close();
  });

  it("leaves a damaged file as it is, uses the next name, and says so until it is gone", async () => {
    await writeFile(file, "this is no database, and it is long enough to be looked at".repeat(50));
    const before = await readFile(file, "utf8");
    const first = open();
    expect(first.path).toBe(path.join(folder, "sallyport-2.db"));
    expect(first.problems).toMatchObject([{ path: file, message: expect.stringMatching(/damaged/) }]);
    createLedger(first.db).append(input("a"));
    opened.pop()?.close();
    const second = open();
    expect(createLedger(second.db).count()).toBe(1);
    expect(second.problems).toHaveLength(1);
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("notices pages that were overwritten", async () => {
    const ledger = createLedger(open().db);
    for (let index = 0; index < 300; index += 1) ledger.append(input("a", { text: "x".repeat(500) }));
    opened.pop()?.close();
    const bytes = await readFile(file);
    bytes.fill(0xff, 4096 * 3, 4096 * 6);
    await writeFile(file, bytes);
    expect(open().problems).toHaveLength(1);
  });

  it("refuses a file of a newer version", () => {
    open().db.exec("INSERT INTO migrations (id, name) VALUES (999, 'later')");
    opened.pop()?.close();
    expect(() => openDatabase({ path: file, logger: silentLogger })).toThrow(/newer Sallyport/);
  });
});

describe("ledger", () => {
  it("numbers entries without gaps and lists the newest first, in pages and by kind", () => {
    const ledger = createLedger(open().db);
    for (const kind of ["a", "b", "a", "b", "a"]) ledger.append(input(kind, { kind }));
    expect(ledger.list({ limit: 2 }).map((entry) => entry.seq)).toEqual([5, 4]);
    expect(ledger.list({ limit: 9, beforeSeq: 3 }).map((entry) => entry.seq)).toEqual([2, 1]);
    expect(ledger.listByKind("b", { limit: 9 }).map((entry) => entry.seq)).toEqual([4, 2]);
    expect(ledger.listByKind("b", { limit: 9, beforeMs: 1 })).toEqual([]);
    expect(ledger.list({ limit: 1 })[0]).toMatchObject(input("a", { kind: "a" }));
    expect(ledger.count()).toBe(5);
    expect(ledger.verify()).toEqual({ ok: true, entries: 5, firstBadSeq: null });
  });

  it("verifies an empty one, and hostile text", async () => {
    const ledger = createLedger(open().db);
    expect(ledger.verify()).toEqual({ ok: true, entries: 0, firstBadSeq: null });
    const text = "\0\u{1F600}\ud800'\"\n\u202e";
    ledger.append({
      ...input(text, { [text]: text, ["__proto__"]: 1 }),
      toolCallId: text,
      agentId: "",
      atMs: 1.5,
    });
    expect(ledger.verify().ok).toBe(true);
    expect(await ledger.verifyInTurns()).toEqual(ledger.verify());
    expect(ledger.list({ limit: 1 })[0]?.data).toMatchObject({ [text]: text });
  });

  it.each([
    ["an edit", "UPDATE ledger SET data = '{}' WHERE seq = 3", 3],
    ["an edited caller", "UPDATE ledger SET caller_id = 'other' WHERE seq = 3", 3],
    ["an emptied field", "UPDATE ledger SET session_key = NULL WHERE seq = 1", 1],
    ["a deletion", "DELETE FROM ledger WHERE seq = 3", 3],
    [
      "a gap closed by renumbering",
      "DELETE FROM ledger WHERE seq = 3; UPDATE ledger SET seq = seq - 1 WHERE seq > 3",
      3,
    ],
    ["a cut end", "DELETE FROM ledger WHERE seq > 4", 5],
    ["everything deleted", "DELETE FROM ledger", 1],
    [
      "a swapped pair",
      "UPDATE ledger SET seq = 99 WHERE seq = 2; UPDATE ledger SET seq = 2 WHERE seq = 3; UPDATE ledger SET seq = 3 WHERE seq = 99",
      2,
    ],
    ["a head put back", "DELETE FROM ledger WHERE seq > 4; UPDATE ledger_head SET seq = 4", 4],
    ["no head", "DELETE FROM ledger_head", 1],
  ])("finds %s", async (_name, statement, firstBadSeq) => {
    const ledger = createLedger(open().db);
    for (let index = 1; index <= 6; index += 1) ledger.append(input("a", { index }));
    opened.pop()?.close();
    tamper(statement);
    const again = createLedger(open().db);
    expect(again.verify()).toMatchObject({ ok: false, firstBadSeq });
    expect(await again.verifyInTurns()).toMatchObject({ ok: false, firstBadSeq });
  });

  it("cannot be rewritten through its own connection", () => {
    const { db } = open();
    createLedger(db).append(input("a"));
    expect(() => db.exec("UPDATE ledger SET kind = 'b'")).toThrow(/append-only/);
    expect(() => db.exec("DELETE FROM ledger")).toThrow(/append-only/);
  });

  it("stays whole when two processes append and one is killed", async () => {
    const ledger = createLedger(open().db);
    const { child, ended, output } = worker.start("appendForEver", file, "other");
    await waitFor(() => output().includes("ready"));
    for (let index = 0; index < 30; index += 1) ledger.append(input("mine"));
    await waitFor(() => ledger.listByKind("test.happened", { limit: 5 }).length === 5);
    child.kill("SIGKILL");
    await ended;
    expect(ledger.verify().ok).toBe(true);
    expect(ledger.listByKind("mine", { limit: 99 })).toHaveLength(30);
  });

  it("has one spelling for equal data", () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined, a: 2 }], a: null })).toBe(
      '{"a":null,"b":[{"a":2,"d":1}]}',
    );
  });
});

describe("process ownership", () => {
  const entry = {
    execId: "e1",
    sessionId: "calm-reef",
    agentId: "main",
    scopeKey: "k",
    sessionKey: null,
    command: "sleep 1",
    cwd: "/",
    pid: 1,
    startTime: "5",
    bootId: null,
    startedAtMs: 1,
    members: [{ pid: 2, startTime: "6" }],
    owner: { pid: 3, startTime: "7" },
  };

  it("keeps, replaces, lists and removes entries over a restart", async () => {
    const ownership = createProcessOwnership(open().db, silentLogger);
    await ownership.record(entry);
    await ownership.record({ ...entry, pid: 9 });
    await ownership.record({ ...entry, execId: "e2" });
    await ownership.remove("e2");
    await ownership.remove("none");
    opened.pop()?.close();
    expect(await createProcessOwnership(open().db, silentLogger).list()).toEqual([{ ...entry, pid: 9 }]);
  });

  it("skips entries that it does not understand and keeps them", async () => {
    const { db } = open();
    db.exec("INSERT INTO process_ownership VALUES ('x', '{')");
    expect(await createProcessOwnership(db, silentLogger).list()).toEqual([]);
    expect(db.prepare("SELECT count(*) AS n FROM process_ownership").get()).toMatchObject({ n: 1 });
  });
});
