/** The recorded vectors as files: which suites there are, and how many cases of each kind. */
import { readFileSync } from "node:fs";
import path from "node:path";

const read = (dir, file) => JSON.parse(readFileSync(path.join(dir, file), "utf8"));

/** Counts of each kind, from the files alone, so that another recording of the same layout counts right. */
const counters = new Map([
  ["policy", (dir) => countBy(read(dir, "policy.json").cases, (one) => one.kind)],
  [
    "exec",
    (dir) => {
      const lists = Object.entries(read(dir, "exec.json")).filter(([, value]) => Array.isArray(value));
      return new Map(lists.map(([name, cases]) => [name, cases.length]));
    },
  ],
  [
    "files",
    (dir) =>
      new Map(Object.entries(read(dir, "files.json").suites).map(([name, cases]) => [name, cases.length])),
  ],
  ["gateway", (dir) => countBy(read(dir, "gateway.json").vectors, (one) => one.transport)],
  [
    "browser",
    (dir) => {
      const guard = read(dir, "browser/guard.json");
      return new Map([
        ["guard", guard.cases.length],
        ["guard-config", guard.configResolution.length],
        ["snapshots", read(dir, "browser/snapshots.json").entries.length],
      ]);
    },
  ],
]);

/** Names of all suites, in the order in which they run. */
export const vectorSuiteNames = [...counters.keys()];

/**
 * @param {string} vectorsDir
 * @param {string} suite one of `vectorSuiteNames`
 * @returns {Map<string, number>} cases of each kind
 * @throws Error when the file is missing or has another layout
 */
export function countVectorKinds(vectorsDir, suite) {
  const count = counters.get(suite);
  if (count === undefined) throw new Error(`There is no vector suite "${suite}".`);
  return count(vectorsDir);
}

function countBy(cases, kindOf) {
  const counts = new Map();
  for (const one of cases) counts.set(kindOf(one), (counts.get(kindOf(one)) ?? 0) + 1);
  return counts;
}
