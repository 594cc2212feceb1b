/** Running allowed commands through the whole runtime, against the bare way to start and read the same programs. */

import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as nodePty from "node-pty";
import { type ExecPlace, openExecPlace } from "./execPlace.ts";
import { against, type Benchmark, type BenchmarkResult, cpuNote, inTurns } from "./measure.ts";

/** Every name of a program that an entry has to cover. */
function namesOf(...programs: string[]): string[] {
  return [...new Set(programs.flatMap((program) => [program, realpathSync(program)]))];
}

const starts = { warmUps: 150, samples: 300 };

/** What a shell tool without gates does: one shell, its output, its end. */
function plainShell(command: string, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let chars = 0;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        chars += text.length;
      });
    child.once("error", reject);
    child.once("close", () => resolve(chars));
  });
}

/** The same in a terminal. */
function plainTerminal(command: string, cwd: string): Promise<number> {
  return new Promise((resolve) => {
    const terminal = nodePty.spawn("sh", ["-c", command], {
      name: "xterm-256color",
      cols: 120,
      rows: 30,
      cwd,
    });
    let chars = 0;
    terminal.onData((text) => {
      chars += text.length;
    });
    terminal.onExit(() => resolve(chars));
  });
}

const floodBytes = 85_000_000;
const floodPrograms = namesOf("/bin/cat");

/** Lines as logs have them, in a file: what is measured is the reading, not some program that makes them up. */
async function openFlood(): Promise<{ place: ExecPlace; command: string }> {
  const place = await openExecPlace(floodPrograms);
  const file = path.join(place.workDir, "flood.log");
  const line = `2026-11-30T12:00:00.000Z info  ${"request handled in 12 ms ".repeat(2)}\n`;
  await writeFile(file, line.repeat(Math.ceil(floodBytes / line.length)).slice(0, floodBytes));
  return { place, command: `/bin/cat ${file}` };
}

/** Bytes per second through the whole path, by those of a reader that decodes and counts. */
async function outputAgainst(about: { pty: boolean; goal: number; unit: string }): Promise<BenchmarkResult> {
  const { place, command } = await openFlood();
  try {
    const plain = about.pty ? plainTerminal : plainShell;
    const pair = await inTurns(
      () => plain(command, place.workDir),
      () => place.exec({ command, pty: about.pty, yieldMs: 120_000 }),
      { warmUps: 2, samples: 11 },
    );
    const { floorNs, measuredNs } = pair;
    // Speed, not time: more is better.
    return {
      ratio: floorNs / measuredNs,
      goal: about.goal,
      good: "atLeast",
      unit: about.unit,
      floorNs,
      measuredNs,
      note: cpuNote(pair),
    };
  } finally {
    await place.dispose();
  }
}

/** Resident set when nothing is left to collect; the lowest of a few looks, since other threads still tidy up. */
async function restingMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  let lowest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
    lowest = Math.min(lowest, process.memoryUsage.rss());
  }
  return lowest;
}

export const benchmarks: Benchmark[] = [
  {
    name: "exec: /bin/true through policy, judge, binding and ledger, against sh -c",
    run: async () => {
      const place = await openExecPlace(namesOf("/bin/true"));
      try {
        const pair = await inTurns(
          () => plainShell("/bin/true", place.workDir),
          () => place.exec({ command: "/bin/true" }),
          starts,
        );
        return against(pair, 1.15, "× sh -c", cpuNote(pair));
      } finally {
        await place.dispose();
      }
    },
  },
  {
    name: "exec: /bin/true in a terminal through the whole path, against sh -c in bare node-pty",
    run: async () => {
      const place = await openExecPlace(namesOf("/bin/true"));
      try {
        const pair = await inTurns(
          () => plainTerminal("/bin/true", place.workDir),
          () => place.exec({ command: "/bin/true", pty: true }),
          starts,
        );
        return against(pair, 1.15, "× node-pty", cpuNote(pair));
      } finally {
        await place.dispose();
      }
    },
  },
  {
    name: "exec: 85 MB of output read from pipes, against child_process",
    run: () => outputAgainst({ pty: false, goal: 0.85, unit: "× child_process" }),
  },
  {
    name: "exec: 85 MB of output read from a terminal, against node-pty",
    run: () => outputAgainst({ pty: true, goal: 0.95, unit: "× node-pty" }),
  },
  {
    name: "exec: growth of memory over 85 MB of output",
    run: async () => {
      const { place, command } = await openFlood();
      try {
        const flood = () => place.exec({ command, yieldMs: 120_000 });
        // Buffers that every run needs are there after the first.
        await flood();
        const before = await restingMemory();
        await flood();
        const grownMb = Math.max(0, (await restingMemory()) - before) / 1e6;
        return {
          ratio: grownMb,
          goal: 10,
          unit: "MB",
          floorNs: 0,
          measuredNs: 0,
          note: `resident set before ${(before / 1e6).toFixed(0)} MB`,
        };
      } finally {
        await place.dispose();
      }
    },
  },
];
