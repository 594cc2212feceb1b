import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import {
  clampDelay,
  createRebuildable,
  createRestartDesk,
  leaveRestartNote,
  type RestartDesk,
  type RestartRequest,
  takeRestartNote,
} from "./index.ts";

const request = (over: Partial<RestartRequest> = {}): RestartRequest => ({
  delayMs: undefined,
  reason: undefined,
  by: "mcp:test",
  sessionKey: "agent:main:main",
  note: undefined,
  ...over,
});

describe("a restart on request", () => {
  let clock: ManualClock;
  let desk: RestartDesk;
  let restarts: number;
  let lastMs: number | null;
  let isIdle: boolean;
  let noted: RestartRequest[][];
  let leaveNote: (requests: readonly RestartRequest[]) => Promise<void>;

  beforeEach(() => {
    clock = createManualClock();
    restarts = 0;
    lastMs = null;
    isIdle = true;
    noted = [];
    leaveNote = async (requests) => {
      noted.push([...requests]);
    };
    desk = createRestartDesk({
      host: {
        restart: () => {
          restarts += 1;
        },
        lastRestartAtMs: () => lastMs,
      },
      clock,
      logger: silentLogger,
      pid: 4711,
      isIdle: () => isIdle,
      deferralTimeoutMs: () => 5000,
      leaveNote: (requests) => leaveNote(requests),
    });
  });
  afterEach(() => desk.dispose());

  /** Lets what has no time of its own, the note, be written. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const advance = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };

  it("comes after the delay, and is answered in the form of the reference", async () => {
    expect(desk.request(request({ reason: "because" }))).toEqual({
      ok: true,
      pid: 4711,
      signal: "SIGUSR1",
      delayMs: 2000,
      reason: "because",
      mode: "emit",
      coalesced: false,
      cooldownMsApplied: 0,
    });
    await advance(1999);
    expect(restarts).toBe(0);
    await advance(1);
    expect(restarts).toBe(1);
  });

  it("keeps delays within their limits", () => {
    expect([undefined, Number.NaN, -5, 0, 1.9, 60_000, 1e12].map(clampDelay)).toEqual([
      2000, 2000, 0, 0, 1, 60_000, 60_000,
    ]);
  });

  it("waits 30 s since the last one, and says so", async () => {
    lastMs = clock.nowMs() - 10_000;
    expect(desk.request(request({ delayMs: 1000 }))).toMatchObject({
      delayMs: 21_000,
      cooldownMsApplied: 20_000,
    });
    await advance(20_999);
    expect(restarts).toBe(0);
    await advance(1);
    expect(restarts).toBe(1);
  });

  it("is one for several requests: a later one joins, an earlier one moves it", async () => {
    desk.request(request({ delayMs: 10_000, reason: "first", by: "a" }));
    clock.advance(4000);
    expect(desk.request(request({ delayMs: 30_000, reason: "second", by: "b" }))).toMatchObject({
      coalesced: true,
      delayMs: 6000,
      reason: "first",
    });
    expect(desk.request(request({ delayMs: 1000, by: "c" }))).toMatchObject({
      coalesced: false,
      delayMs: 1000,
      reason: "first",
    });
    await advance(1000);
    await advance(60_000);
    expect(restarts).toBe(1);
    expect(noted.map((one) => one.map(({ by }) => by))).toEqual([["a", "b", "c"]]);
  });

  it("waits until nothing is being done, looking every half second", async () => {
    isIdle = false;
    desk.request(request({ delayMs: 0 }));
    await advance(0);
    await advance(1400);
    expect(restarts).toBe(0);
    expect(desk.request(request())).toMatchObject({ coalesced: true, delayMs: 0 });
    isIdle = true;
    await advance(100);
    expect(restarts).toBe(1);
  });

  it("does not wait for ever", async () => {
    isIdle = false;
    desk.request(request({ delayMs: 0 }));
    await advance(4999);
    expect(restarts).toBe(0);
    await advance(501);
    expect(restarts).toBe(1);
  });

  it("restarts also when the note cannot be kept", async () => {
    leaveNote = () => Promise.reject(new Error("disk full"));
    desk.request(request({ delayMs: 0 }));
    await advance(0);
    expect(restarts).toBe(1);
  });

  it("restarts nothing once it is disposed", async () => {
    desk.request(request({ delayMs: 100 }));
    desk.dispose();
    desk.dispose();
    await advance(60_000);
    expect(restarts).toBe(0);
  });
});

describe("the note of a restart", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "restart-note-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is private, is read once, and is gone then", async () => {
    const file = path.join(folder, "note.json");
    expect(await takeRestartNote(file)).toEqual({ kind: "none" });
    await leaveRestartNote(file, [request({ reason: "r", note: "n" })], { atMs: 5, pid: 6 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await takeRestartNote(file)).toEqual({
      kind: "note",
      note: {
        kind: "restart",
        atMs: 5,
        pid: 6,
        requests: [{ by: "mcp:test", sessionKey: "agent:main:main", reason: "r", note: "n" }],
      },
    });
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it.each([
    "",
    "no JSON",
    "[]",
    '{"version":2,"payload":{}}',
    JSON.stringify({
      version: 1,
      payload: {
        kind: "restart",
        atMs: 1,
        pid: 1,
        requests: [{ by: "x".repeat(9999), sessionKey: "", reason: null, note: null }],
      },
    }),
  ])("that is not of our making is reported as unreadable, once: %s", async (text) => {
    const file = path.join(folder, "note.json");
    await writeFile(file, text);
    expect(await takeRestartNote(file)).toEqual({ kind: "unreadable" });
    expect(await takeRestartNote(file)).toEqual({ kind: "none" });
  });
});

describe("something that is rebuilt in its place", () => {
  const build = async (open: (old: number | null) => Promise<number>) => {
    const log: string[] = [];
    const rebuildable = await createRebuildable<number>({
      open: async (old) => {
        const made = await open(old);
        log.push(`open ${made}`);
        return made;
      },
      close: async (current) => {
        log.push(`close ${current}`);
      },
      logger: silentLogger,
      nowMs: () => 77,
      onLost: (error) => log.push(`lost: ${(error as Error).message}`),
    });
    return { rebuildable, log };
  };
  const counting = async (old: number | null) => (old ?? 0) + 1;

  it("closes the old one before it opens the new one, one restart after the other", async () => {
    const { rebuildable, log } = await build(counting);
    expect(rebuildable.lastRestartAtMs()).toBeNull();
    rebuildable.restart();
    rebuildable.restart();
    await rebuildable.dispose();
    expect(log[0]).toBe("open 1");
    expect(log.at(-1)).toMatch(/^close/);
    expect(log.filter((one) => one.startsWith("open")).length).toBe(
      log.filter((one) => one.startsWith("close")).length,
    );
  });

  it("gives the new one, and says when", async () => {
    const { rebuildable, log } = await build(counting);
    rebuildable.restart();
    await expect.poll(() => rebuildable.current()).toBe(2);
    expect(rebuildable.lastRestartAtMs()).toBe(77);
    await Promise.all([rebuildable.dispose(), rebuildable.dispose()]);
    rebuildable.restart();
    expect(log).toEqual(["open 1", "close 1", "open 2", "close 2"]);
  });

  it("says that it is lost when the new one cannot be opened, and closes nothing twice", async () => {
    const { rebuildable, log } = await build(async (old) => {
      if (old !== null) throw new Error("port taken");
      return 1;
    });
    rebuildable.restart();
    await expect.poll(() => log).toEqual(["open 1", "close 1", "lost: port taken"]);
    await rebuildable.dispose();
    expect(log).toHaveLength(3);
  });
});
