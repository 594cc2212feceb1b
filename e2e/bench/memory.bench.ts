/**
 * 100,000 passages of notes: indexing and searching through the tool, with the product's worker. The floor of a search
 * is the bare query of the same index in this process.
 */

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { createManualClock } from "../../electron/runtime/clock.ts";
import { silentLogger } from "../../electron/runtime/logging/logger.ts";
import { createMemoryTools, type MemoryTools } from "../../electron/runtime/memory/createMemoryTools.ts";
import type { ToolCallContext } from "../../electron/runtime/tools/defineTool.ts";
import { allMemoryHardening, allOf } from "../../shared/memory/index.ts";
import { against, type Benchmark, inTurns, type Pair } from "./measure.ts";

const wantedChunks = 100_000;
/** Notes of some 160 KB, as a year of long daily ones would be. */
const chunksPerFile = 100;
const rareWord = "zanzibarite";
const rareEvery = 10_000;
const searchRounds = 60;
const goalLagMs = 50;
/** However common the words are. */
const goalCommonMs = 150;

const syllables =
  "ba ko ri ten mal sor vin dra pel qua zi ush the an er on st ing ment ation de re com pro con al is ex".split(
    " ",
  );

/** The same on every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Words as frequent as in language: a few are everywhere, most are rare. */
function createWriter(): (chars: number) => string {
  const random = createRandom(7);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const words = Array.from({ length: 30_000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(syllables)).join(""),
  );
  return (chars) => {
    let line = "";
    while (line.length < chars) line += `${words[Math.floor(random() ** 4 * words.length)]} `;
    return line.trimEnd();
  };
}

interface Prepared {
  root: string;
  tools: MemoryTools;
  indexPath: string;
  indexingMs: number;
  chunks: number;
  /** Of this process while the notes were indexed and searches ran beside it. */
  lagP99Ms: number;
  lagMaxMs: number;
  indexBytes: number;
}

let prepared: Promise<Prepared> | null = null;
const prepare = () => {
  prepared ??= build();
  return prepared;
};

async function build(): Promise<Prepared> {
  const root = mkdtempSync(path.join(tmpdir(), "sallyport-bench-memory-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  const workspace = path.join(root, "workspace");
  const folder = path.join(workspace, "memory");
  mkdirSync(folder, { recursive: true });
  writeNotes(folder);
  const tools = createMemoryTools({
    config: () => config,
    hardening: () => allMemoryHardening,
    env: {},
    homeDir: root,
    stateDir: path.join(root, "state"),
    workspaceOf: () => workspace,
    isSandboxed: () => false,
    clock: createManualClock(),
    logger: silentLogger,
    workerUrl: pathToFileURL(path.resolve("out", "memoryWorker", "index.js")),
    limits: { waitMs: 1000 },
  });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const startedMs = performance.now();
  delays.enable();
  let answer = await search(tools, rareWord);
  while (!answer.index.isComplete) answer = await search(tools, rareWord);
  const indexingMs = performance.now() - startedMs;
  delays.disable();
  const indexPath = path.join(root, "state", "memory", "main.sallyport.sqlite");
  return {
    root,
    tools,
    indexPath,
    indexingMs,
    chunks: answer.index.chunks,
    lagP99Ms: delays.percentile(99) / 1e6,
    lagMaxMs: delays.max / 1e6,
    indexBytes: statSync(indexPath).size,
  };
}

const config = {};

function writeNotes(folder: string): void {
  const write = createWriter();
  let chunk = 0;
  // A chunk of 400 tokens, less the 80 that it repeats from the one before.
  const freshChars = 1280;
  for (let file = 0; file * chunksPerFile < wantedChunks * 1.03; file += 1) {
    const lines: string[] = [];
    for (let at = 0; at < chunksPerFile; at += 1) {
      for (let chars = 0; chars < freshChars; chars += 80) lines.push(write(72));
      if (chunk % rareEvery === 17) lines.push(`the ${rareWord} was found`);
      chunk += 1;
    }
    writeFileSync(path.join(folder, `note-${String(file).padStart(5, "0")}.md`), `${lines.join("\n")}\n`);
  }
}

interface Answer {
  results: unknown[];
  index: { chunks: number; isComplete: boolean };
}

async function search(tools: MemoryTools, query: string): Promise<Answer> {
  const tool = tools.tools.find((one) => one.name === "memory_search");
  const result = await tool?.execute(tool.input.parse({ query }), callContext);
  return result?.details as Answer;
}

const callContext: ToolCallContext = {
  toolCallId: "bench",
  agentId: "main",
  sessionKey: "agent:main:bench",
  callerId: "cli",
  callerLabel: "bench",
  senderIsOwner: true,
  canBackground: false,
  signal: new AbortController().signal,
  reportProgress: () => {},
  reportWaiting: () => {},
};

/**
 * A search through the tool, and the bare question to the same index in this process in turns with it: the rows in
 * which all parts of the word occur, in no order of worth and without their text.
 */
async function againstBare({ tools, indexPath }: Prepared, query: string): Promise<Pair> {
  const { results } = await search(tools, query);
  if (results.length === 0) throw new Error(`Nothing was found for "${query}".`);
  const db = new Libsql(indexPath, { readonly: true });
  try {
    const statement = db.prepare("SELECT rowid FROM trigrams WHERE trigrams MATCH ? LIMIT 1000");
    const expression = allOf(trigramsOf(query.split(" ")[0] ?? query));
    const bare = async () => statement.all(expression);
    return await inTurns(bare, () => search(tools, query), { warmUps: 5, samples: searchRounds });
  } finally {
    db.close();
  }
}

/** All of them, as the index itself takes a word apart. */
function trigramsOf(word: string): string[] {
  return Array.from({ length: word.length - 2 }, (_, at) => word.slice(at, at + 3));
}

export const benchmarks: Benchmark[] = [
  {
    name: "memory: event loop lag (p99) while 100,000 passages are indexed and searched",
    run: async () => {
      const { lagP99Ms, lagMaxMs, indexingMs, chunks, indexBytes } = await prepare();
      if (chunks < wantedChunks) throw new Error(`Only ${chunks} passages were indexed.`);
      const note = `${chunks} passages in ${(indexingMs / 1000).toFixed(1)} s, index ${(indexBytes / 1e6).toFixed(0)} MB, longest lag ${lagMaxMs.toFixed(1)} ms`;
      return {
        ...against({ floorNs: goalLagMs * 1e6, measuredNs: lagP99Ms * 1e6 }, goalLagMs, "ms", note),
        ratio: lagP99Ms,
      };
    },
  },
  {
    name: "memory: a rare word among 100,000 passages, against the bare query",
    run: async () => against(await againstBare(await prepare(), rareWord), 2, "× bare query"),
  },
  ...(
    [
      ["a word of nearly all passages", "the"],
      ["three common words", "the ing ment"],
    ] as const
  ).map(
    ([what, query]): Benchmark => ({
      name: `memory: ${what} among 100,000`,
      run: async () => {
        const pair = await againstBare(await prepare(), query);
        return { ...against(pair, goalCommonMs, "ms"), ratio: pair.measuredNs / 1e6 };
      },
    }),
  ),
  {
    name: "memory: event loop lag (p99) while searches run one after the other",
    run: async () => {
      const { tools } = await prepare();
      const delays = monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      for (let round = 0; round < searchRounds; round += 1) {
        await search(tools, round % 2 === 0 ? rareWord : "the ing");
      }
      delays.disable();
      await tools.dispose();
      const lagMs = delays.percentile(99) / 1e6;
      return {
        ...against({ floorNs: goalLagMs * 1e6, measuredNs: lagMs * 1e6 }, goalLagMs, "ms"),
        ratio: lagMs,
      };
    },
  },
];
