/** The policy engine beside an installed OpenClaw, on the same work, on the same machine, at the same time. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compilePolicy } from "../../shared/policy/compile.ts";
import { evaluatePolicy } from "../../shared/policy/evaluate.ts";
import {
  type Benchmark,
  type BenchmarkResult,
  context,
  everyStage,
  reference,
  timeNs,
  toolsWith,
  wildcards,
} from "./policyWork.ts";

/** Folder of the installed package and a Node that it accepts; see testing.md, "The reference". */
const folder = process.env.SALLYPORT_BENCH_REFERENCE ?? "";
const node = process.env.SALLYPORT_BENCH_REFERENCE_NODE ?? process.execPath;

const notMeasured = "no reference installed (see testing.md)";
const answerMark = "reference: ";
const timeoutMs = 300_000;

interface ReferenceAnswer {
  tools: string[];
  /** Policies resolved and applied, as for each turn. */
  turnNs: number;
  /** Applied only. */
  pipelineNs: number;
}

/** The benchmarks are bundled into another folder; the driver stays where it is. */
function driverPath(): string {
  let dir = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = path.join(dir, "e2e", "bench", "policyReference.mjs");
    if (existsSync(candidate)) return candidate;
    if (path.dirname(dir) === dir) throw new Error("e2e/bench/policyReference.mjs is missing.");
    dir = path.dirname(dir);
  }
}

/** @throws Error with what the reference wrote when it gave no answer */
function askReference(work: object): ReferenceAnswer {
  const home = mkdtempSync(path.join(tmpdir(), "sallyport-bench-"));
  try {
    const run = spawnSync(node, [driverPath(), folder], {
      input: JSON.stringify(work),
      encoding: "utf8",
      timeout: timeoutMs,
      // A home of its own: no settings of this machine count, and none are changed.
      env: { PATH: process.env.PATH ?? "", HOME: home, OPENCLAW_STATE_DIR: home },
    });
    const line = run.stdout.split("\n").find((text) => text.startsWith(answerMark));
    if (line === undefined)
      throw new Error(`The reference gave no answer: ${run.stderr.slice(-2000) || String(run.error)}`);
    return JSON.parse(line.slice(answerMark.length)) as ReferenceAnswer;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * @param goal ours by theirs
 * @throws Error when the two do not agree on the tools: then the times are of different works
 */
function against(pluginTools: number, patterns: number, goal: number, theirs: "turnNs" | "pipelineNs") {
  return async (): Promise<BenchmarkResult> => {
    const base = { goal, unit: "× reference", floorNs: 0, measuredNs: 0 };
    if (folder === "") return { ...base, ratio: 0, notMeasured };
    const config = everyStage(wildcards(patterns));
    const tools = toolsWith(pluginTools);
    const answer = askReference({
      config,
      context,
      tools: tools.map(({ name, owner }) =>
        owner.kind === "plugin" ? { name, pluginId: owner.pluginId } : { name },
      ),
      budgetMs: 400,
    });
    const compiled = compilePolicy(config, reference);
    const own = evaluatePolicy(compiled, context, tools).tools;
    if (own.join() !== answer.tools.join())
      throw new Error(`Sallyport keeps ${own.join(", ")}; the reference keeps ${answer.tools.join(", ")}.`);
    const measuredNs = timeNs(() => evaluatePolicy(compiled, context, tools));
    return { ...base, ratio: measuredNs / answer[theirs], floorNs: answer[theirs], measuredNs };
  };
}

export const benchmarks: Benchmark[] = [
  { name: "policy: 30 core tools by the reference, as for each turn", run: against(0, 0, 1 / 20, "turnNs") },
  {
    name: "policy: 30 core tools by the reference, its pipeline alone",
    run: against(0, 0, 1 / 20, "pipelineNs"),
  },
  ...[200, 2000].map(
    (count): Benchmark => ({
      name: `policy: ${count + 30} tools with 200 patterns by the reference, as for each turn`,
      run: against(count, 200, 1 / 20, "turnNs"),
    }),
  ),
];
