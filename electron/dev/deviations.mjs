/**
 * `npm run docs [-- --check]`: writes resources/docs/deviations.md from the hardening rules and from what they change in
 * the recorded commands, or says that it is old.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";

const file = path.join(rootDir, "resources", "docs", "deviations.md");
const effectsFile = path.join(rootDir, "shared", "hardening", "recordedEffects.ts");

async function main(args) {
  await writeEffects(args.includes("--check"));
  const text = await deviations();
  const isOld = (await readFile(file, "utf8").catch(() => null)) !== text;
  if (args.includes("--check")) {
    if (isOld)
      throw new SetupProblem("resources/docs/deviations.md is older than the rules.", "run `npm run docs`.");
    return;
  }
  if (isOld) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  process.stdout.write(`${path.relative(rootDir, file)} ${isOld ? "written" : "is up to date"}\n`);
}

/** Runs the recorded commands with rules on and off; the numbers are source, because the table is made from source alone. */
async function writeEffects(isCheck) {
  const { recordedEffects } = await load("e2e", "vectorsRun", "exec", "ruleEffects.ts");
  const effects = recordedEffects(path.join(rootDir, "e2e", "vectors"));
  const text = [
    "/** What each rule changes in the recorded commands. Written by `npm run docs`; do not change it by hand. */",
    "",
    "export const recordedEffects: ReadonlyMap<string, string> = new Map([",
    ...effects.map(([rule, changes]) => `  ["${rule}", "${changes}"],`),
    "]);",
    "",
  ].join("\n");
  if ((await readFile(effectsFile, "utf8").catch(() => null)) === text) return;
  if (isCheck) throw new SetupProblem("The effects of the rules are old.", "run `npm run docs`.");
  await writeFile(effectsFile, text);
}

/** The rules are TypeScript; vite reads them as it does for the build. */
async function load(...names) {
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(path.join(rootDir, ...names), {
    configFile: false,
    logLevel: "error",
  });
  return module;
}

async function deviations() {
  const [{ hardeningRules }, { deviationTable }, { recordedEffects }] = await Promise.all(
    ["index.ts", "deviationTable.ts", "recordedEffects.ts"].map((name) => load("shared", "hardening", name)),
  );
  return deviationTable(hardeningRules, recordedEffects);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printProblem(error);
  process.exitCode = 1;
}
