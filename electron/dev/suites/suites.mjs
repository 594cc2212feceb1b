/** What `npm test` runs: one function per suite, each giving its counts. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "../setup/paths.mjs";
import { afterSecondTry, failedFiles, playwrightCounts, vitestCounts, withExitCode } from "./counts.mjs";
import { startDisplay } from "./display.mjs";
import { runLayers } from "./layers.mjs";
import { packageAndStart } from "./packaged.mjs";
import { packageProgram, resultsDir, runTimed } from "./runTimed.mjs";

/** More than this is no bad luck. */
const MAX_FILES_AGAIN = 5;

const LAYERS = ["shared", "electron", "page", "renderer", "e2e"];

/**
 * @typedef {object} SuiteContext
 * @property {import("../setup/setUp.mjs").Prepared} prepared
 * @property {number} deadlineMs `performance.now()` reading at which the suite is ended
 * @property {(line: string) => void} onLine newest line, for the progress display
 * @typedef {import("./counts.mjs").Counts & { output: string }} SuiteResult `output` is shown when something failed
 * @type {ReadonlyMap<string, (context: SuiteContext) => Promise<SuiteResult>>}
 */
export const suites = new Map([
  ["format", checkFormat],
  ["types", checkTypes],
  ["layers", runLayers],
  ["unit", runUnit],
  ["vectors", runVectors],
  ["e2e", runEndToEnd],
  ["package", packageAndStart],
]);

async function checkFormat(context) {
  const args = [packageProgram("@biomejs/biome/bin/biome"), "ci", "--max-diagnostics=100", "."];
  const { exitCode, output } = await runTimed("format", process.execPath, args, context);
  return { ...oneCheck(exitCode), output };
}

async function checkTypes(context) {
  const total = { passed: 0, failed: 0, output: "" };
  for (const layer of LAYERS) {
    const args = [packageProgram("typescript/bin/tsc"), "-p", `tsconfig.${layer}.json`];
    const { exitCode, output } = await runTimed("types", process.execPath, args, context);
    const { passed, failed } = oneCheck(exitCode);
    total.passed += passed;
    total.failed += failed;
    if (failed > 0) total.output += `types of ${layer}:\n${output}\n`;
  }
  return total;
}

/**
 * Files in which something failed run a second time, alone: on a busy machine a test may starve. What passes then is
 * named as unsteady, never hidden.
 */
async function runUnit(context) {
  const first = await runVitestOnce(context, "unit.json", []);
  const files = await failedFiles(path.join(resultsDir, "unit.json"));
  if (first.failed === 0 || files.length === 0 || files.length > MAX_FILES_AGAIN) return first;
  const second = await runVitestOnce(context, "unit-again.json", files);
  return { ...afterSecondTry(first, second), output: `${first.output}\n${second.output}` };
}

async function runVitestOnce(context, reportName, files) {
  const report = path.join(resultsDir, reportName);
  await rm(report, { force: true });
  const args = [packageProgram("vitest/vitest.mjs"), "run", "--reporter=default", "--reporter=json"];
  args.push(`--outputFile.json=${report}`, ...files);
  const env = { ...process.env, CI: "true", ...toolVariables(context.prepared) };
  const { exitCode, output } = await runTimed("unit", process.execPath, args, { ...context, env });
  return { ...withExitCode(await vitestCounts(report), exitCode), output };
}

/** Some vectors run over a started Gateway; like unit tests, few failures get a second try and are named. */
async function runVectors(context) {
  const first = await runVectorsOnce(context);
  if (first.failed === 0 || first.failed > MAX_FILES_AGAIN) return first;
  const second = await runVectorsOnce(context);
  return { ...second, ...afterSecondTry(first, second), output: `${first.output}\n${second.output}` };
}

async function runVectorsOnce(context) {
  const script = path.join(rootDir, "electron", "dev", "vectors.mjs");
  const { exitCode, output } = await runTimed("vectors", process.execPath, [script, "--prepared"], context);
  const counts = /^(\d+) passed, (\d+) failed$/m.exec(output);
  const read =
    counts === null ? { passed: 0, failed: 1 } : { passed: Number(counts[1]), failed: Number(counts[2]) };
  return {
    ...withExitCode(read, exitCode),
    output,
    failures: [...output.matchAll(/^✗ (.*)$/gm)].map((match) => match[1]),
    notes: output.match(/^not (built|run here): .*$/gm) ?? [],
  };
}

async function runEndToEnd(context) {
  const { electron } = context.prepared;
  if (electron?.kind !== "runtime") {
    return {
      passed: 0,
      failed: 1,
      output: `There is no Electron to test with: ${electron?.reason ?? "not asked for"}.`,
    };
  }
  const report = path.join(resultsDir, "e2e.json");
  await rm(report, { force: true });
  const display = await startDisplay();
  try {
    const env = {
      ...process.env,
      ...display.env,
      ...toolVariables(context.prepared),
      CI: "true",
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    };
    const config = path.join(rootDir, "e2e", "playwright.config.ts");
    const args = [
      packageProgram("@playwright/test/cli.js"),
      "test",
      "--config",
      config,
      "--reporter=list,json",
    ];
    const { exitCode, output } = await runTimed("e2e", process.execPath, args, { ...context, env });
    return { ...withExitCode(await playwrightCounts(report), exitCode), output };
  } finally {
    await display.stop();
  }
}

/** How tests find the programs that set-up prepared. */
function toolVariables({ electron, chromium }) {
  return {
    ...(electron?.kind === "runtime" ? { SALLYPORT_ELECTRON: electron.executable } : {}),
    ...(chromium === null ? {} : { SALLYPORT_CHROMIUM: chromium }),
  };
}

function oneCheck(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}
