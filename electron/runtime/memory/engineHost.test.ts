/** Notes in the product's worker: crashes, damage, changed settings, and the main thread meanwhile. */

import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { buildTestWorker, makeTestMemory, type TestMemory } from "./testMemory.ts";

let built: Awaited<ReturnType<typeof buildTestWorker>>;
let memory: TestMemory;
let workers: Worker[];

beforeAll(async () => {
  built = await buildTestWorker();
}, 60_000);
afterAll(() => built.remove());
let onStart: (worker: Worker) => void;
const start = (root?: string) => {
  const onWorker = (worker: Worker) => {
    workers.push(worker);
    onStart(worker);
  };
  return makeTestMemory({ workerUrl: built.url, onWorker }, root);
};
beforeEach(async () => {
  workers = [];
  onStart = () => {};
  memory = await start();
});
afterEach(() => memory.remove());

async function write(file: string, text: string): Promise<void> {
  const absolute = path.join(memory.workspaceOf(), file);
  await mkdir(path.dirname(absolute), { recursive: true });
  await writeFile(absolute, text);
}
const search = (query: string) => memory.call("memory_search", { query });
const indexFile = () => path.join(memory.stateDir, "memory", "main.sallyport.sqlite");

describe("notes in a worker", () => {
  it("are indexed and searched beside the main thread", async () => {
    for (let day = 0; day < 40; day += 1) {
      await write(
        `memory/${day}.md`,
        `day ${day}: the heron and ${"many other birds, ".repeat(60)}\n`.repeat(20),
      );
    }
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    const found = await search("heron");
    delays.disable();
    expect(found.index).toMatchObject({ files: 40, isComplete: true });
    expect(found.results).toHaveLength(6);
    // Generous: other tests share the machine; on the main thread it would be a second in one piece.
    expect(delays.percentile(50) / 1e6).toBeLessThan(50);
    expect(workers).toHaveLength(1);
  });

  it("are found again when the worker is ended during a search, and the answer says so", async () => {
    for (let day = 0; day < 30; day += 1) await write(`memory/${day}.md`, `ocelot ${day}\n`.repeat(100));
    // Ended before it can answer: its program is not even loaded then.
    onStart = (worker) => {
      if (workers.length === 1) worker.once("online", () => void worker.terminate());
    };
    const found = await search("ocelot");
    expect(found.results.length).toBeGreaterThan(0);
    expect(found.index.isComplete).toBe(true);
    expect(found.notes?.join()).toContain("stopped and was started again");
    expect(workers).toHaveLength(2);
  });

  it("are found by a new worker when the last one ended between two searches", async () => {
    await write("MEMORY.md", "a numbat");
    await search("numbat");
    await workers[0]?.terminate();
    expect((await search("numbat")).results).toHaveLength(1);
    expect(workers).toHaveLength(2);
  });

  it("cannot be searched when the worker stops each time, and the answer is no empty list", async () => {
    await write("MEMORY.md", "a numbat");
    const broken = await makeTestMemory({
      workerUrl: new URL(`data:text/javascript,process.exit(3)`),
      onWorker: (worker) => void workers.push(worker),
    });
    try {
      expect(await broken.call("memory_search", { query: "numbat" })).toMatchObject({
        results: [],
        disabled: true,
        unavailable: true,
        error: expect.stringContaining("stopped twice"),
        warning: expect.any(String),
        action: expect.stringContaining("memory_get"),
      });
      await broken.call("memory_search", { query: "numbat" });
      const before = workers.length;
      expect((await broken.call("memory_search", { query: "numbat" })).error).toContain("too often");
      expect(workers).toHaveLength(before);
    } finally {
      await broken.remove();
    }
  });

  it("stop being waited for when the call is cancelled", async () => {
    await write("MEMORY.md", "a numbat");
    const control = new AbortController();
    const searching = memory.call("memory_search", { query: "numbat" }, { signal: control.signal });
    control.abort(new Error("enough"));
    await expect(searching).rejects.toThrow("enough");
    expect((await search("numbat")).results).toHaveLength(1);
  });
});

describe("a damaged index", () => {
  const damage = async (change: (bytes: Buffer) => Buffer) => {
    await memory.tools.dispose();
    await writeFile(indexFile(), change(await readFile(indexFile())));
    memory = await start(memory.root);
  };

  it.each([
    ["that is no database", () => Buffer.from("this is no database at all\n".repeat(100))],
    ["that lost its end", (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))],
    [
      "with pages of noise",
      (bytes: Buffer) => {
        const copy = Buffer.from(bytes);
        for (let at = 4096 * 2; at < copy.length; at += 1) copy[at] = (at * 31) & 0xff;
        return copy;
      },
    ],
    ["that is empty", () => Buffer.alloc(0)],
  ])("%s is built anew, never silently empty", async (_what, change) => {
    for (let day = 0; day < 20; day += 1) await write(`memory/${day}.md`, `caracal ${day}\n`.repeat(50));
    expect((await search("caracal")).results).not.toEqual([]);
    await damage(change);
    const found = await search("caracal");
    expect(found.results).toHaveLength(6);
    expect(found.index).toMatchObject({ files: 20, isComplete: true });
  });

  it("is noticed while it is in use", async () => {
    for (let day = 0; day < 20; day += 1) await write(`memory/${day}.md`, `caracal ${day}\n`.repeat(200));
    await search("caracal");
    const handle = await open(indexFile(), "r+");
    try {
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(Math.max(0, size - 4096), 0x5a), 0, undefined, 4096);
    } finally {
      await handle.close();
    }
    await write("memory/20.md", "caracal 20");
    await vi.waitFor(async () => {
      const found = await search("caracal");
      expect(found.results).toHaveLength(6);
      expect(found.index).toMatchObject({ files: 21, isComplete: true });
    }, 15_000);
  });
});

describe("changed settings", () => {
  it("build a new index beside the old one, which takes its place", async () => {
    await write("memory/long.md", "genet civet\n".repeat(400));
    const before = await search("genet");
    expect(before.index.chunks).toBeGreaterThan(2);
    memory.settings.config = {
      agents: { defaults: { memorySearch: { chunking: { tokens: 2000, overlap: 0 } } } },
    };
    const after = await search("genet");
    expect(after.index.chunks).toBeLessThan(before.index.chunks);
    expect(after.results).not.toEqual([]);
    const files = await readdir(path.dirname(indexFile()));
    expect(files.filter((name) => name.includes(".new-"))).toEqual([]);
  });

  it("keep an index of OpenClaw at the configured place as it is", async () => {
    await write("MEMORY.md", "a serval");
    const theirs = path.join(memory.root, "db", "main.sqlite");
    await mkdir(path.dirname(theirs));
    await writeFile(theirs, "theirs");
    memory.settings.config = {
      agents: {
        defaults: { memorySearch: { store: { path: path.join(memory.root, "db", "{agentId}.sqlite") } } },
      },
    };
    expect((await search("serval")).results).toHaveLength(1);
    expect(await readFile(theirs, "utf8")).toBe("theirs");
    expect(existsSync(path.join(memory.root, "db", "main.sallyport.sqlite"))).toBe(true);
  });
});
