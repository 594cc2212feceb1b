import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { budgets } from "../budgets.mjs";
import { startGroup } from "../childGroup.mjs";
import { rootDir } from "../setup/paths.mjs";
import { isRunning } from "../setup/processes.mjs";
import { chooseSuites } from "../test.mjs";
import { countVectorKinds, vectorSuiteNames } from "../vectorSuites.mjs";
import { chooseVectorSuites } from "../vectors.mjs";
import { afterSecondTry, failedFiles, playwrightCounts, vitestCounts, withExitCode } from "./counts.mjs";
import { suites } from "./suites.mjs";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "sallyport-suites-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const report = (value: unknown) => {
  const file = path.join(dir, "report.json");
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
};

describe("the suites", () => {
  it("each have a written budget, under forty-five minutes together", () => {
    expect([...suites.keys()]).toEqual([...budgets.keys()]);
    const totalMs = [...budgets.values()].reduce((sum, { budgetMs }) => sum + budgetMs, 0);
    expect(totalMs).toBeLessThanOrEqual(45 * 60_000);
  });

  it("are chosen by name, in their own order", () => {
    expect(chooseSuites([])).toEqual([...budgets.keys()]);
    expect(chooseSuites(["--only=unit,format"])).toEqual(["format", "unit"]);
    expect(chooseSuites(["--skip=e2e,package"])).not.toContain("e2e");
  });

  it("refuse a name or an option that does not exist", () => {
    expect(() => chooseSuites(["--only=constructor"])).toThrow(/no suite "constructor"/);
    expect(() => chooseSuites(["--fast"])).toThrow(/Unknown option --fast/);
  });
});

describe("the counts", () => {
  it("take a test file that could not be loaded for a failure", async () => {
    const file = report({
      numPassedTests: 3,
      numFailedTests: 1,
      testResults: [
        { status: "failed", assertionResults: [{ status: "failed" }] },
        { status: "failed", assertionResults: [] },
        { status: "passed", assertionResults: [{ status: "passed" }] },
      ],
    });
    expect(await vitestCounts(file)).toMatchObject({ passed: 3, failed: 2 });
  });

  it("take a missing or cut-off report for a failure", async () => {
    expect(await vitestCounts(path.join(dir, "absent.json"))).toEqual({ passed: 0, failed: 1 });
    expect(await playwrightCounts(report('{"stats":'))).toEqual({ passed: 0, failed: 1 });
  });

  it("count Playwright's errors outside of tests", async () => {
    const stats = { expected: 4, flaky: 1, unexpected: 2 };
    expect(await playwrightCounts(report({ stats, errors: [{}] }))).toMatchObject({ passed: 5, failed: 3 });
  });

  it("name what failed, and what passed only at its second try", async () => {
    const file = report({
      numPassedTests: 0,
      numFailedTests: 1,
      testResults: [
        {
          name: path.join(rootDir, "shared/a.test.ts"),
          status: "failed",
          assertionResults: [{ status: "failed", fullName: "a thing works" }],
        },
      ],
    });
    const first = await vitestCounts(file);
    expect(first.failures).toEqual(["shared/a.test.ts › a thing works"]);
    expect(await failedFiles(file)).toEqual([path.join(rootDir, "shared/a.test.ts")]);
    expect(afterSecondTry({ ...first, passed: 9 }, { passed: 1, failed: 0, failures: [] })).toEqual({
      passed: 10,
      failed: 0,
      failures: [],
      unsteady: ["shared/a.test.ts › a thing works"],
    });
    expect(afterSecondTry({ ...first, passed: 9 }, { ...first, passed: 0 })).toMatchObject({
      passed: 9,
      failed: 1,
      unsteady: [],
    });
    const spec = { file: "x.spec.ts", line: 7, title: "shows", tests: [{ status: "flaky" }] };
    const stats = { expected: 1, flaky: 1, unexpected: 0 };
    expect(
      await playwrightCounts(report({ stats, errors: [], suites: [{ suites: [{ specs: [spec] }] }] })),
    ).toMatchObject({ failures: [], unsteady: ["e2e/x.spec.ts:7 › shows"] });
  });

  it("do not let a failing program pass because every test did", () => {
    expect(withExitCode({ passed: 5, failed: 0 }, 1)).toEqual({ passed: 5, failed: 1 });
    expect(withExitCode({ passed: 5, failed: 2 }, 1)).toEqual({ passed: 5, failed: 2 });
    expect(withExitCode({ passed: 5, failed: 0 }, 0)).toEqual({ passed: 5, failed: 0 });
  });
});

describe("the vector suites", () => {
  it("are chosen by name", () => {
    expect(chooseVectorSuites([])).toEqual(vectorSuiteNames);
    expect(chooseVectorSuites(["exec", "policy"])).toEqual(["policy", "exec"]);
    expect(() => chooseVectorSuites(["toString"])).toThrow(/no vector suite "toString"/);
  });

  it("count cases from whatever folder they are in", () => {
    const cases = [{ kind: "pipeline" }, { kind: "loop" }, { kind: "pipeline" }];
    writeFileSync(path.join(dir, "policy.json"), JSON.stringify({ cases }));
    expect([...countVectorKinds(dir, "policy")]).toEqual([
      ["pipeline", 2],
      ["loop", 1],
    ]);
  });
});

describe.runIf(process.platform !== "win32")("a group of processes", () => {
  it("ends whole, with what its leader started", async () => {
    const pidFile = path.join(dir, "pid");
    const leader = `sleep 600 & echo $! > "${pidFile}"; wait`;
    const group = startGroup("sh", ["-c", leader], { stdio: "ignore" });
    const startedPid = () => {
      try {
        return Number(readFileSync(pidFile, "utf8"));
      } catch {
        // Not written yet: the poll asks again.
        return 0;
      }
    };
    await expect.poll(startedPid).toBeGreaterThan(0);
    const pid = startedPid();
    expect(isRunning(pid)).toBe(true);
    await group.end();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
