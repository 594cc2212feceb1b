import { describe, expect, it } from "vitest";
import { englishReason } from "./english.ts";

describe("a reason in words", () => {
  const rule = { tool: "web_fetch", stage: "tools.allow", path: "tools.deny[0]" };

  it.each(["run()", "（）", "$t(theProgram)", "{{stage}}", "a$t(outcome.denied)b"])(
    "hands a foreign word on as it is: %s",
    (word) => {
      expect(englishReason({ code: "removedByPolicy", params: { ...rule, rule: word } })).toBe(
        `removed at tools.allow by ${word} (tools.deny[0])`,
      );
      // There is no sentence for it: the code and what it names.
      expect(englishReason({ code: "newerThanThis", params: { tool: word, stage: "late" } })).toBe(
        `newerThanThis · ${word} · late`,
      );
      expect(englishReason({ code: "safeBinArgument", params: { program: word } })).toBe(
        `the arguments of ${word} are not those of a safe bin`,
      );
    },
  );

  it("has a detail in brackets when there is one, and none without", () => {
    const pinned = (params: Record<string, string>) => englishReason({ code: "cannotBind", params });
    expect(pinned({ detail: "it was moved" })).toBe("the program could not be pinned (it was moved)");
    expect(pinned({})).toBe("the program could not be pinned");
    expect(pinned({ detail: "" })).toBe("the program could not be pinned");
  });
});
