/** The recorded policy cases: one test per case, every field of `expect` compared. */

import { describe, expect, test } from "vitest";
import { answerCase } from "./answers.ts";
import { type PolicyCase, readPolicyCases } from "./cases.ts";

const byKind = new Map<string, PolicyCase[]>();
for (const one of readPolicyCases()) byKind.set(one.kind, [...(byKind.get(one.kind) ?? []), one]);

for (const [kind, cases] of byKind) {
  describe(`policy ${kind}`, () => {
    test.each(cases)("$id: $why", (one) => {
      const answer = answerCase(one);
      expect(answer, `no answer for cases of kind "${kind}"`).toBeDefined();
      // A field that the answer lacks differs from any recorded value, so unknown fields fail too.
      const compared = Object.fromEntries(
        Object.keys(one.expect).map((field) => [field, (answer as Record<string, unknown>)[field]]),
      );
      expect(compared).toStrictEqual(one.expect);
    });
  });
}
