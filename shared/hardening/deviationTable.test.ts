/** The published table of deviations says what the rules say. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { deviationTable } from "./deviationTable.ts";
import { hardeningRules } from "./index.ts";

describe("the table of deviations", () => {
  it("is up to date (npm run docs writes it)", () => {
    const file = path.join(import.meta.dirname, "..", "..", "resources", "docs", "deviations.md");
    expect(readFileSync(file, "utf8")).toBe(deviationTable(hardeningRules));
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

  it("groups by area and keeps bars and markup of a sentence as text", () => {
    const text = deviationTable([
      { id: "new.thing", reference: "takes a | b and *c*", sallyport: "keeps `a|b`", source: "x" },
      { id: "policy.first", reference: "r", sallyport: "s", source: "y" },
    ]);
    expect(text.indexOf("## Tool policy")).toBeLessThan(text.indexOf("## new"));
    expect(text).toContain("| `new.thing` | takes a \\| b and \\*c\\* | keeps `a\\|b` | x |");
  });
});
