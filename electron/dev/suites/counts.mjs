/** Reads how many tests passed and failed from the reports of the test runners. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "../setup/paths.mjs";

/**
 * @typedef {{ passed: number, failed: number, failures?: string[], unsteady?: string[] }} Counts `failures` names the
 *   tests that failed, `unsteady` those that passed only at a second try
 */

/**
 * @param {string} file JSON report of vitest
 * @returns {Promise<Counts>} a file that could not be loaded counts as one failure; no report at all as one too
 */
export async function vitestCounts(file) {
  const report = await readReport(file);
  if (report === null) return { passed: 0, failed: 1 };
  const unloaded = report.testResults.filter(
    (result) =>
      result.status === "failed" && result.assertionResults.every((test) => test.status !== "failed"),
  );
  const failures = report.testResults.flatMap((result) =>
    result.assertionResults.filter(isFailed).map((test) => named(result.name, test.fullName)),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    failures: [...failures, ...unloaded.map((result) => named(result.name, "could not be loaded"))],
  };
}

/**
 * @param {string} file JSON report of vitest
 * @returns {Promise<string[]>} the test files in which something failed; empty without a report
 */
export async function failedFiles(file) {
  const report = await readReport(file);
  return report?.testResults.filter(({ status }) => status === "failed").map(({ name }) => name) ?? [];
}

/**
 * What the second try of the failed files changes.
 * @param {Counts} first
 * @param {Counts} second counts of the failed files alone
 * @returns {Counts} what failed twice has failed; what passed at the second try is named as unsteady
 */
export function afterSecondTry(first, second) {
  const failures = second.failures ?? [];
  const unsteady = (first.failures ?? []).filter((name) => !failures.includes(name));
  const total = first.passed + first.failed;
  return { passed: total - second.failed, failed: second.failed, failures, unsteady };
}

const isFailed = (test) => test.status === "failed";
const named = (file, title) => `${path.relative(rootDir, file ?? "")} › ${title}`;

/**
 * @param {string} file JSON report of Playwright
 * @returns {Promise<Counts>} an error outside of every test counts as one failure
 */
export async function playwrightCounts(file) {
  const report = await readReport(file);
  if (report === null) return { passed: 0, failed: 1 };
  const { expected, flaky, unexpected } = report.stats;
  const specs = specsOf(report.suites ?? []);
  const withStatus = (status) =>
    specs.filter(({ tests }) => tests.some((test) => test.status === status)).map(specName);
  return {
    passed: expected + flaky,
    failed: unexpected + report.errors.length,
    failures: withStatus("unexpected"),
    unsteady: withStatus("flaky"),
  };
}

const specsOf = (suites) =>
  suites.flatMap((suite) => [...(suite.specs ?? []), ...specsOf(suite.suites ?? [])]);
const specName = ({ file, line, title }) => `e2e/${file}:${line} › ${title}`;

/**
 * @param {Counts} counts
 * @param {number | null} exitCode
 * @returns {Counts} with one failure more when the program failed although every test passed
 */
export function withExitCode(counts, exitCode) {
  return exitCode === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    // The runner ended before it wrote a whole report; its output says why, and the caller counts a failure.
    return null;
  }
}
