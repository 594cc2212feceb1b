/** `npm run bench [-- --json] [NAME…]`: runs the benchmarks in e2e/bench and holds each against its goal. */
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildIfChanged } from "./build.mjs";
import { cacheDir, rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { createProgress, elapsed } from "./setup/progress.mjs";
import { setUp } from "./setup/setUp.mjs";
import { startDisplay } from "./suites/display.mjs";

const benchDir = path.join(rootDir, "e2e", "bench");

/**
 * One benchmark: measured against a floor that the same machine gives at the same time, so that the ratio means the
 * same on a fast and on a slow one.
 * @typedef {object} BenchmarkResult
 * @property {number} ratio measured by floor, or any value that the goal is about
 * @property {number} goal the ratio should not exceed it, or not fall below it
 * @property {"atMost" | "atLeast"} [good] which side of the goal is good, "atMost" when absent
 * @property {string} unit of the ratio, such as "× floor" or "ms"
 * @property {number} floorNs
 * @property {number} measuredNs
 * @property {string} [note] what else a reader should know, such as the spread
 * @property {string} [notMeasured] why there is no measurement here, such as a program that is not installed
 * @typedef {{ name: string, needs?: "desktop", run: () => Promise<BenchmarkResult> }} Benchmark
 */

async function main(args) {
  const asJson = args.includes("--json");
  const names = args.filter((arg) => !arg.startsWith("--"));
  const progress = createProgress();
  await setUp({ electron: false, tests: false }, progress);
  await buildIfChanged(progress);
  const benchmarks = await loadBenchmarks(names);
  const results = [];
  const desktop = benchmarks.some(({ needs }) => needs === "desktop") ? await openDesktop(progress) : null;
  try {
    for (const { name, needs, run } of benchmarks) {
      const isMissing = needs === "desktop" && desktop?.problem !== undefined;
      const nothing = {
        ratio: 0,
        goal: 0,
        unit: "",
        floorNs: 0,
        measuredNs: 0,
        notMeasured: desktop?.problem,
      };
      const result = isMissing ? nothing : await progress.step(name, run);
      results.push({ name, ...result, isMet: result.notMeasured !== undefined || isGood(result) });
    }
  } finally {
    await desktop?.stop();
  }
  if (asJson) {
    const machine = { platform: process.platform, arch: process.arch, versions: process.versions };
    process.stdout.write(`${JSON.stringify({ machine, results }, null, 2)}\n`);
  } else {
    for (const result of results) process.stdout.write(`${describeResult(result)}\n`);
  }
  const missed = results.filter((result) => !result.isMet).length;
  if (missed > 0) process.exitCode = 1;
}

function isGood({ ratio, goal, good }) {
  return good === "atLeast" ? ratio >= goal : ratio <= goal;
}

/**
 * Electron and a display for benchmarks in the real app, named in the environment as the tests have them.
 * @returns {Promise<{ problem?: string, stop: () => Promise<void> }>}
 */
async function openDesktop(progress) {
  const { electron } = await setUp({ electron: true, tests: false }, progress);
  if (electron?.kind !== "runtime")
    return { problem: `there is no Electron here: ${electron?.reason ?? "unknown"}`, stop: async () => {} };
  const display = await startDisplay();
  Object.assign(process.env, display.env, { SALLYPORT_ELECTRON: electron.executable });
  return { stop: display.stop };
}

/** Bundled as the product is, so that what is measured is what ships. */
async function loadBenchmarks(names) {
  const files = existsSync(benchDir)
    ? readdirSync(benchDir).filter((name) => name.endsWith(".bench.ts"))
    : [];
  const { build } = await import("vite");
  const { benchTarget } = await import("./build/targets.mjs");
  const outDir = path.join(cacheDir, "bench");
  await rm(outDir, { recursive: true, force: true });
  if (files.length > 0) await build(benchTarget(rootDir, outDir, files.sort()));
  const all = [];
  for (const file of files) {
    const built = path.join(outDir, file.replace(/\.ts$/, ".js"));
    all.push(...(await import(pathToFileURL(built).href)).benchmarks);
  }
  const chosen =
    names.length === 0 ? all : all.filter(({ name }) => names.some((part) => name.includes(part)));
  if (chosen.length === 0) {
    throw new SetupProblem(
      names.length === 0 ? "There is no benchmark in e2e/bench." : "No benchmark has such a name.",
      names.length === 0
        ? "add a file NAME.bench.ts there."
        : `choose among: ${all.map(({ name }) => name).join(", ")}.`,
    );
  }
  return chosen;
}

function describeResult(result) {
  const { name, ratio, goal, good, unit, floorNs, measuredNs, note, notMeasured, isMet } = result;
  if (notMeasured !== undefined) return `– ${name}: not measured: ${notMeasured}`;
  const parts = [
    `goal ${good === "atLeast" ? "at least " : ""}${goal}`,
    ...(measuredNs > 0 ? [`measured ${milliseconds(measuredNs)}`] : []),
    ...(floorNs > 0 ? [`floor ${milliseconds(floorNs)}`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  return `${isMet ? "✓" : "✗"} ${name}: ${ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)} ${unit} (${parts.join("; ")})`;
}

function milliseconds(ns) {
  return `${(ns / 1e6).toFixed(3)} ms`;
}

try {
  const startedAtMs = performance.now();
  await main(process.argv.slice(2));
  process.stderr.write(`Benchmarks: ${elapsed(startedAtMs)}\n`);
} catch (error) {
  printProblem(error);
}
