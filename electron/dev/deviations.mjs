/** `npm run docs [-- --check]`: writes resources/docs/deviations.md from the hardening rules, or says that it is old. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";

const file = path.join(rootDir, "resources", "docs", "deviations.md");

async function main(args) {
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

/** The rules are TypeScript; vite reads them as it does for the build. */
async function deviations() {
  const { runnerImport } = await import("vite");
  const load = async (name) => {
    const { module } = await runnerImport(path.join(rootDir, "shared", "hardening", name), {
      configFile: false,
      logLevel: "error",
    });
    return module;
  };
  const [{ hardeningRules }, { deviationTable }] = await Promise.all([
    load("index.ts"),
    load("deviationTable.ts"),
  ]);
  return deviationTable(hardeningRules);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printProblem(error);
  process.exitCode = 1;
}
