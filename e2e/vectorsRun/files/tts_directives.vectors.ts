/** files.json on preset `reference`: the tags by which a model directs its speech. */
import { describe, expect, test } from "vitest";
import {
  type DirectivePolicy,
  defaultDirectivePolicy,
  parseDirectives,
} from "../../../shared/speech/index.ts";
import { readSpeechVectors } from "./speechCases.ts";

describe("tts_directives", () => {
  test.each(readSpeechVectors().tts_directives.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const policy = { ...defaultDirectivePolicy, ...one.policy } as DirectivePolicy;
    const { cleaned, hasDirective, spoken, provider, overrides, warnings } = parseDirectives(one.text, {
      policy,
      hardening: new Set(),
    });
    expect({
      cleaned,
      hasDirective,
      spoken,
      provider,
      providerOverrides: overrides,
      warnings: warnings.length,
    }).toEqual(one.expect);
  });
});
