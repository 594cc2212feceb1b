/** `npm run vectors [-- SUITE…]`: compares the engine with the recorded vectors in VECTORS_DIR. */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { endOnInterrupt, startGroup } from "./childGroup.mjs";
import { cacheDir, isProgram, rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { createProgress } from "./setup/progress.mjs";
import { setUp } from "./setup/setUp.mjs";
import { countVectorKinds, vectorSuiteNames } from "./vectorSuites.mjs";

const runDir = path.join(rootDir, "e2e", "vectorsRun");

async function main(args) {
  const isPrepared = args.includes("--prepared");
  const names = args.filter((arg) => arg !== "--prepared");
  const chosen = chooseVectorSuites(names);
  const vectorsDir = path.resolve(process.env.VECTORS_DIR || path.join(rootDir, "e2e", "vectors"));
  if (!existsSync(vectorsDir)) {
    throw new SetupProblem(
      `There is no folder ${vectorsDir}.`,
      "point VECTORS_DIR to a folder with vectors, or unset it.",
    );
  }
  if (!isPrepared) await setUp({ electron: false, tests: false }, createProgress());

  const built = chosen.filter(isBuilt);
  for (const suite of chosen) if (!isBuilt(suite)) printNotBuilt(vectorsDir, suite);
  const { passed, failed } =
    built.length === 0 ? { passed: 0, failed: 0 } : await runVitest(vectorsDir, built);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

/**
 * @param {string[]} names
 * @returns {string[]} those suites, or all when none is named
 * @throws SetupProblem for an unknown one
 */
export function chooseVectorSuites(names) {
  const unknown = names.find((name) => !vectorSuiteNames.includes(name));
  if (unknown !== undefined) {
    throw new SetupProblem(
      `There is no vector suite "${unknown}".`,
      `name one or more of: ${vectorSuiteNames.join(", ")}; without a name all run.`,
    );
  }
  return names.length === 0 ? vectorSuiteNames : vectorSuiteNames.filter((name) => names.includes(name));
}

function isBuilt(suite) {
  const dir = path.join(runDir, suite);
  return existsSync(dir) && readdirSync(dir).some((name) => name.endsWith(".vectors.ts"));
}

function printNotBuilt(vectorsDir, suite) {
  for (const [kind, count] of countVectorKinds(vectorsDir, suite)) {
    process.stdout.write(`not built: ${suite}/${kind} (${count})\n`);
  }
}

async function runVitest(vectorsDir, names) {
  const report = path.join(cacheDir, `vectors-${process.pid}.json`);
  await mkdir(cacheDir, { recursive: true });
  const args = [
    path.join(rootDir, "node_modules", "vitest", "vitest.mjs"),
    "run",
    `--config=${path.join(rootDir, "e2e", "vitest.vectors.config.ts")}`,
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...names.map((name) => `e2e/vectorsRun/${name}/`),
  ];
  const group = startGroup(process.execPath, args, {
    cwd: rootDir,
    env: { ...process.env, VECTORS_DIR: vectorsDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stopListening = endOnInterrupt(group.end);
  // Suites that are built in part say themselves which kinds they leave out.
  let output = "";
  group.child.stdout.setEncoding("utf8").on("data", (chunk) => {
    output += chunk;
  });
  const { exitCode } = await group.ended;
  stopListening();
  for (const line of output.split("\n"))
    if (/^not (built|run here): /.test(line)) process.stdout.write(`${line}\n`);
  try {
    return printResults(JSON.parse(await readFile(report, "utf8")), exitCode);
  } catch (cause) {
    throw new SetupProblem(`The vectors did not run:\n${output}`, "mend what vitest says above.", { cause });
  } finally {
    await rm(report, { force: true });
  }
}

/** Names each mismatch with the place where the values differ. */
function printResults(report, exitCode) {
  let failed = report.numFailedTests;
  for (const file of report.testResults) {
    const failures = file.assertionResults.filter((test) => test.status === "failed");
    for (const test of failures) {
      process.stdout.write(`✗ ${test.fullName}\n${indent(test.failureMessages.join("\n"))}\n`);
    }
    if (file.status === "failed" && failures.length === 0) {
      failed += 1;
      process.stdout.write(
        `✗ ${path.relative(rootDir, file.name)} could not be run\n${indent(file.message)}\n`,
      );
    }
  }
  if (exitCode !== 0 && failed === 0) {
    failed = 1;
    process.stdout.write("✗ vitest failed outside of every case; its words are above\n");
  }
  return { passed: report.numPassedTests, failed };
}

/** Without the stack: what differs is the message, where it was noticed is always the same line. */
function indent(message) {
  const lines = message.split("\n").filter((line) => !/^\s+at /.test(line));
  return lines.map((line) => `    ${line}`).join("\n");
}

if (isProgram(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    printProblem(error);
    process.stdout.write("0 passed, 1 failed\n");
  }
}
