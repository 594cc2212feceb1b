/** `npm run vectors [-- SUITE…]`: compares the engine with the recorded vectors in VECTORS_DIR. */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { endOnInterrupt, startGroup } from "./childGroup.mjs";
import { cacheDir, isProgram, rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { createProgress } from "./setup/progress.mjs";
import { setUp } from "./setup/setUp.mjs";
import { withExitCode } from "./suites/counts.mjs";
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

/** The reporter prints; only the counts come back. */
async function runVitest(vectorsDir, names) {
  const countsFile = path.join(cacheDir, `vectors-${process.pid}.json`);
  await mkdir(cacheDir, { recursive: true });
  const args = [
    path.join(rootDir, "node_modules", "vitest", "vitest.mjs"),
    "run",
    `--config=${path.join(rootDir, "e2e", "vitest.vectors.config.ts")}`,
    `--reporter=${path.join(rootDir, "electron", "dev", "vectorsReporter.mjs")}`,
    ...names.map((name) => `e2e/vectorsRun/${name}/`),
  ];
  const group = startGroup(process.execPath, args, {
    cwd: rootDir,
    env: { ...process.env, VECTORS_DIR: vectorsDir, SALLYPORT_VECTORS_COUNTS: countsFile },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const stopListening = endOnInterrupt(group.end);
  const { exitCode } = await group.ended;
  stopListening();
  try {
    return withExitCode(JSON.parse(await readFile(countsFile, "utf8")), exitCode);
  } catch (cause) {
    throw new SetupProblem(
      "The vectors did not run.",
      "mend what vitest says above and run the command again.",
      {
        cause,
      },
    );
  } finally {
    await rm(countsFile, { force: true });
  }
}

if (isProgram(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    printProblem(error);
    process.stdout.write("0 passed, 1 failed\n");
  }
}
