/** Shows that the layer rules bite: each deliberate breach must be refused by the linter or the compiler. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { rootDir } from "../setup/paths.mjs";
import { runCommand } from "../setup/runCommand.mjs";
import { packageProgram } from "./runTimed.mjs";

/** What no file of a folder may import. */
const importBreaches = [
  ["shared/policy", 'import "node:fs";'],
  ["shared/policy", 'import "electron";'],
  ["shared/contract", 'import "../../electron/runtime/clock.ts";'],
  ["electron/runtime/calls", 'import "electron";'],
  ["electron/runtime/calls", 'import "../../gateway/server.ts";'],
  ["electron/runtime/calls", 'import "../../../renderer/rpc/client.ts";'],
  ["electron/runtime/calls", 'import "../../main/index.ts";'],
  ["electron/gateway", 'import "electron";'],
  ["electron/gateway", 'import "../main/index.ts";'],
  ["electron/headless", 'import "electron";'],
  ["electron/cli", 'import "../../renderer/rpc/client.ts";'],
  ["electron/preload", 'import "../runtime/clock.ts";'],
  ["renderer/features", 'import "node:path";'],
  ["renderer/features", 'import "electron";'],
  ["renderer/features", 'import "../../electron/runtime/clock.ts";'],
];

/** What no layer's types may know. */
const typeBreaches = [
  ["shared", "export const title = document.title;", "document"],
  ["shared", "export const home = process.env.HOME;", "process"],
  ["electron", "export const title = document.title;", "document"],
  ["renderer", "export const home = process.env.HOME;", "process"],
];

/** A file that keeps the rules, to show that it is the breach which is refused. */
const harmless = ["shared/policy", "export const limit = 1;"];

/**
 * @returns {Promise<{ passed: number, failed: number, output: string }>}
 */
export async function runLayers() {
  const dir = await mkdtemp(path.join(tmpdir(), "sallyport-layers-"));
  try {
    const results = await lintBreaches(path.join(dir, "lint"));
    for (const [index, breach] of typeBreaches.entries()) {
      results.push(await compileBreach(path.join(dir, `types-${index}`), ...breach));
    }
    const failed = results.filter((result) => !result.passed);
    return {
      passed: results.length - failed.length,
      failed: failed.length,
      output: failed.map((result) => `not as it should be: ${result.title}`).join("\n"),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** One run of the linter over a small tree of its own, with the project's rules. */
async function lintBreaches(dir) {
  const config = JSON.parse(await readFile(path.join(rootDir, "biome.json"), "utf8"));
  delete config.vcs;
  await writeSource(path.join(dir, "biome.json"), JSON.stringify(config));
  const files = [harmless, ...importBreaches].map(([folder, source], index) => {
    return { file: path.posix.join(folder, `breach${index}.ts`), folder, source };
  });
  for (const { file, source } of files) await writeSource(path.join(dir, file), `${source}\n`);
  const args = [
    packageProgram("@biomejs/biome/bin/biome"),
    "lint",
    "--reporter=json",
    "--max-diagnostics=none",
    ".",
  ];
  const { stdout, output } = await runCommand(process.execPath, args, { cwd: dir });
  const refused = new Set(readRefused(stdout, output));
  return files.map(({ file, folder, source }, index) =>
    index === 0
      ? report(!refused.has(file), `the linter lets ${folder} write: ${source}`)
      : report(refused.has(file), `the linter refuses in ${folder}: ${source}`),
  );
}

/** The files with a diagnostic about imports. */
function readRefused(stdout, output) {
  const json = stdout.split("\n").find((line) => line.startsWith("{"));
  if (json === undefined) throw new Error(`The linter printed no report:\n${output}`);
  return JSON.parse(json)
    .diagnostics.filter((diagnostic) => diagnostic.category === "lint/style/noRestrictedImports")
    .map((diagnostic) => path.posix.normalize(diagnostic.location.path.file ?? diagnostic.location.path));
}

async function compileBreach(dir, layer, source, forbidden) {
  await writeSource(path.join(dir, "breach.ts"), `${source}\n`);
  await symlink(path.join(rootDir, "node_modules"), path.join(dir, "node_modules"), "junction");
  const config = { extends: path.join(rootDir, `tsconfig.${layer}.json`), include: ["breach.ts"] };
  await writeSource(path.join(dir, "tsconfig.json"), JSON.stringify(config));
  const args = [packageProgram("typescript/bin/tsc"), "-p", dir];
  const { exitCode, output } = await runCommand(process.execPath, args, { cwd: dir });
  const refused = exitCode !== 0 && output.includes(`'${forbidden}'`);
  return report(refused, `the types of ${layer} do not know "${forbidden}"`);
}

async function writeSource(file, source) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, source);
}

function report(passed, title) {
  return { passed, title };
}
