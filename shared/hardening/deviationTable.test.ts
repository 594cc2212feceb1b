/** The published table of deviations says what the rules say. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { deviationTable } from "./deviationTable.ts";
import { hardeningRules } from "./index.ts";
import { recordedEffects } from "./recordedEffects.ts";

describe("the table of deviations", () => {
  it("is up to date (npm run docs writes it)", () => {
    const file = path.join(import.meta.dirname, "..", "..", "resources", "docs", "deviations.md");
    expect(readFileSync(file, "utf8")).toBe(deviationTable(hardeningRules, recordedEffects));
  });

  it("names every rule once, with both sides and the source", () => {
    const text = deviationTable(hardeningRules);
    for (const rule of hardeningRules) {
      expect(text.split(`| \`${rule.id}\` |`)).toHaveLength(2);
      expect(rule.reference, rule.id).not.toBe("");
      expect(rule.sallyport, rule.id).not.toBe("");
      expect(rule.source, rule.id).not.toBe("");
    }
    expect(new Set(hardeningRules.map((rule) => rule.id)).size).toBe(hardeningRules.length);
  });

  it("lists what rules change in the recorded commands, by rule and direction", () => {
    const ids = new Set(hardeningRules.map((rule) => rule.id));
    expect(recordedEffects.size).toBeGreaterThan(0);
    for (const [rule, changes] of recordedEffects) {
      expect(ids.has(rule), rule).toBe(true);
      // Never looser.
      expect(changes).toMatch(/^(?:(?:allow → ask|allow → deny|ask → deny): \d+(?:; |$))+$/);
    }
    const text = deviationTable([], new Map([["exec.some", "allow → ask: 3"]]));
    expect(text).toContain("| `exec.some` | allow → ask: 3 |");
    expect(deviationTable([])).not.toContain("recorded commands");
  });

  it("groups by area and keeps bars and markup of a sentence as text", () => {
    const text = deviationTable([
      { id: "new.thing", reference: "takes a | b and *c*", sallyport: "keeps `a|b`", source: "x" },
      { id: "policy.first", reference: "r", sallyport: "s", source: "y" },
    ]);
    expect(text.indexOf("## Tool policy")).toBeLessThan(text.indexOf("## new"));
    expect(text).toContain("| `new.thing` | takes a \\| b and \\*c\\* | keeps `a\\|b` | x |");
  });
});
