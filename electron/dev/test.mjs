/** `npm test`: set-up, build, then every suite within its time; `--only=a,b` and `--skip=a,b` choose among them. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { budgets } from "./budgets.mjs";
import { buildIfChanged } from "./build.mjs";
import { isProgram } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { createProgress, elapsed } from "./setup/progress.mjs";
import { describeElectron, setUp } from "./setup/setUp.mjs";
import { resultsDir } from "./suites/runTimed.mjs";

const NAMED_FAILURES = 40;

// The others look at sources only.
const needsApp = new Set(["unit", "e2e", "package"]);
const needsBuild = new Set(["e2e", "package"]);

/**
 * @param {string[]} args of the command line
 * @returns {string[]} names of the suites to run, in their order
 * @throws SetupProblem for an unknown option or suite
 */
export function chooseSuites(args) {
  const chosen = new Set(budgets.keys());
  for (const arg of args) {
    const match = /^--(only|skip)=(.*)$/.exec(arg);
    const names = match?.[2].split(",").filter((name) => name !== "") ?? [];
    const unknown = names.find((name) => !budgets.has(name));
    if (match === null || unknown !== undefined) {
      throw new SetupProblem(
        match === null ? `Unknown option ${arg}.` : `There is no suite "${unknown}".`,
        `use --only=NAMES or --skip=NAMES with: ${[...budgets.keys()].join(", ")}.`,
      );
    }
    for (const name of budgets.keys()) {
      if (names.includes(name) === (match[1] === "skip")) chosen.delete(name);
    }
  }
  return [...chosen];
}

async function main(args) {
  const startedAtMs = performance.now();
  const names = chooseSuites(args);
  const progress = createProgress(process.stdout);
  const withApp = names.some((name) => needsApp.has(name));
  const prepared = await setUp({ electron: withApp, tests: withApp }, progress);
  if (prepared.electron !== null) progress.say(describeElectron(prepared.electron));
  const total = { passed: 0, failed: 0 };
  const failures = [];
  const isBuilt = !withApp || (await buildOrSay(progress));
  if (!isBuilt) total.failed += 1;

  // Loaded only now: on a fresh machine the packages it stands on have just been installed.
  const { suites } = await import("./suites/suites.mjs");
  for (const name of names) {
    if (!isBuilt && needsBuild.has(name)) {
      progress.say(`✗ ${name}: not run, because the build failed`);
      continue;
    }
    await rm(path.join(resultsDir, `${name}.log`), { force: true });
    const result = await runSuite(name, suites.get(name), prepared, progress);
    total.passed += result.passed;
    total.failed += result.failed;
    failures.push(...namesOf(name, result));
  }
  progress.say(`\nAll suites: ${elapsed(startedAtMs)}. Logs and reports: e2e/results`);
  for (const name of failures.slice(0, NAMED_FAILURES)) progress.say(`✗ ${name}`);
  progress.say(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
}

/** Names for the end of the output, where a log that was cut still has them. */
function namesOf(suite, { failed, failures = [] }) {
  if (failed === 0) return [];
  return failures.length > 0 ? failures.map((name) => `${suite}: ${name}`) : [`${suite}: see above`];
}

/** A build that fails counts as a failure; the suites that read only sources still run and may tell why. */
async function buildOrSay(progress) {
  try {
    await buildIfChanged(progress);
    return true;
  } catch (error) {
    printProblem(error);
    return false;
  }
}

function runSuite(name, run, prepared, progress) {
  const { budgetMs, what } = budgets.get(name);
  const deadlineMs = performance.now() + budgetMs;
  const work = async (detail) => {
    const onLine = (line) => line.trim() !== "" && detail(line.trim().slice(0, 100));
    const result = await run({ prepared, deadlineMs, onLine }).catch((error) => {
      return { passed: 0, failed: 1, output: error.stack ?? String(error) };
    });
    const isLate = performance.now() > deadlineMs;
    // A suite that was cut off has its own failures; one that merely came in late has none yet.
    if (isLate && result.failed === 0) result.failed = 1;
    if (result.failed > 0) progress.say(`${result.output.trimEnd()}\n`);
    else for (const note of result.notes ?? []) progress.say(`  ${note}`);
    for (const name of result.unsteady ?? [])
      progress.say(`  unsteady: ${name} passed only at its second try`);
    if (isLate) progress.say(`  ${name} took longer than its ${budgetMs / 1000} s and was ended.`);
    return result;
  };
  const conclude = ({ passed, failed }) =>
    `${failed === 0 ? "✓" : "✗"} ${name}: ${passed} passed, ${failed} failed`;
  return progress.step(`${name}: ${what} (at most ${budgetMs / 1000} s)`, work, conclude);
}

if (isProgram(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    printProblem(error);
    process.stdout.write("0 passed, 1 failed\n");
  }
}
