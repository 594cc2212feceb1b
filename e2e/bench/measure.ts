/** Shared by the benchmarks: the shape of a result, and timing of a measured thing and its floor in turns. */

export interface BenchmarkResult {
  /** Measured by floor, or any value that the goal is about. */
  ratio: number;
  goal: number;
  /** "atMost" unless said otherwise: which side of the goal is good. */
  good?: "atMost" | "atLeast";
  unit: string;
  floorNs: number;
  measuredNs: number;
  /** What else a reader should know, such as the spread. */
  note?: string;
}

export interface Benchmark {
  name: string;
  /** Needs the built app, Electron and a display. */
  needs?: "desktop";
  run: () => Promise<BenchmarkResult>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export interface Pair {
  floorNs: number;
  measuredNs: number;
  /** Processor time of this process alone, where it was taken: other work hardly changes it. */
  floorCpuMs?: number;
  measuredCpuMs?: number;
}

interface Sample {
  wallNs: number;
  cpuMs: number;
}

/** @returns nanoseconds that one run of something awaited took */
export async function timeOnce(work: () => Promise<unknown>): Promise<number> {
  return (await sampleOnce(work)).wallNs;
}

async function sampleOnce(work: () => Promise<unknown>): Promise<Sample> {
  const cpuBefore = process.cpuUsage();
  const before = process.hrtime.bigint();
  await work();
  const wallNs = Number(process.hrtime.bigint() - before);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallNs, cpuMs: (user + system) / 1000 };
}

/**
 * Medians of many samples, floor and measured in turns, so that other work on the machine hits both alike. Who goes
 * first alternates: whatever the one leaves behind is in the way of the other as often as the other way round.
 */
export async function inTurns(
  floor: () => Promise<unknown>,
  measured: () => Promise<unknown>,
  options: { warmUps: number; samples: number },
): Promise<Pair> {
  const floors: Sample[] = [];
  const values: Sample[] = [];
  for (let round = -options.warmUps; round < options.samples; round += 1) {
    const isFloorFirst = round % 2 === 0;
    const a = await sampleOnce(isFloorFirst ? floor : measured);
    const b = await sampleOnce(isFloorFirst ? measured : floor);
    if (round < 0) continue;
    floors.push(isFloorFirst ? a : b);
    values.push(isFloorFirst ? b : a);
  }
  const wall = (list: readonly Sample[]) => median(list.map((one) => one.wallNs));
  const cpu = (list: readonly Sample[]) => median(list.map((one) => one.cpuMs));
  return {
    floorNs: wall(floors),
    measuredNs: wall(values),
    floorCpuMs: cpu(floors),
    measuredCpuMs: cpu(values),
  };
}

/** Says what the processor did, for measurements whose wall time other work can stretch. */
export function cpuNote({ floorCpuMs, measuredCpuMs }: Pair): string {
  if (floorCpuMs === undefined || measuredCpuMs === undefined) return "";
  return `processor time of this process ${measuredCpuMs.toFixed(1)} ms, floor ${floorCpuMs.toFixed(1)} ms`;
}

const warmUpCalls = 3000;

/** As `inTurns` for work of microseconds: each sample is a batch, because the clock is coarse. */
export function batchesInTurns(
  floor: () => unknown,
  measured: () => unknown,
  options: { samples?: number; batchMs?: number } = {},
): Pair {
  const batchMs = options.batchMs ?? 4;
  const batchOf = (work: () => unknown): number => {
    let calls = 0;
    const startedAtMs = performance.now();
    // By number, not by time alone: beside other work half a second may not be enough for the compiler.
    while (calls < warmUpCalls || performance.now() - startedAtMs < 500) {
      work();
      calls += 1;
    }
    return Math.max(1, Math.ceil((batchMs * calls) / (performance.now() - startedAtMs)));
  };
  const sizes = { floor: batchOf(floor), measured: batchOf(measured) };
  const sample = (work: () => unknown, size: number): number => {
    const before = performance.now();
    for (let index = 0; index < size; index += 1) work();
    return ((performance.now() - before) / size) * 1e6;
  };
  const floors: number[] = [];
  const values: number[] = [];
  for (let round = 0; round < (options.samples ?? 101); round += 1) {
    floors.push(sample(floor, sizes.floor));
    values.push(sample(measured, sizes.measured));
  }
  return { floorNs: median(floors), measuredNs: median(values) };
}

export function against(
  { floorNs, measuredNs }: Pair,
  goal: number,
  unit: string,
  note?: string,
): BenchmarkResult {
  return {
    ratio: measuredNs / floorNs,
    goal,
    unit,
    floorNs,
    measuredNs,
    ...(note === undefined ? {} : { note }),
  };
}
