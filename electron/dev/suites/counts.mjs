/** Reads how many tests passed and failed from the reports of the test runners. */
import { readFile } from "node:fs/promises";

/**
 * @typedef {{ passed: number, failed: number }} Counts
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
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

/**
 * @param {string} file JSON report of Playwright
 * @returns {Promise<Counts>} an error outside of every test counts as one failure
 */
export async function playwrightCounts(file) {
  const report = await readReport(file);
  if (report === null) return { passed: 0, failed: 1 };
  const { expected, flaky, unexpected } = report.stats;
  return { passed: expected + flaky, failed: unexpected + report.errors.length };
}

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
