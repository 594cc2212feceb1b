/** exec.json on preset `reference`: every normative field; and preset `sallyport` is never looser. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  allExecHardening,
  buildHostEnv,
  type CommandSegment,
  type ExecDecision,
  encodeKeys,
  isSafeExecutableValue,
  segmentsOf,
  sliceLog,
} from "../../../shared/exec/index.ts";
import { recordedEffects as publishedEffects } from "../../../shared/hardening/recordedEffects.ts";
import { evaluateCase } from "./evaluateCase.ts";
import { type ExecCase, openExecVectors } from "./fixture.ts";
import { effectsOf, recordedEffects, rulesBehind } from "./ruleEffects.ts";

const vectorsDir = process.env.VECTORS_DIR ?? "e2e/vectors";
const isOwnRecording = resolve(vectorsDir) === resolve(import.meta.dirname, "../../vectors");
const vectors = openExecVectors(vectorsDir);
afterAll(() => vectors.dispose());
const home = `${vectors.root}/home`;
const reference: ReadonlySet<string> = new Set();
const { cases, keyCases, valueCases, envCases, logCases } = vectors.file;

const isRunnable = (one: ExecCase): boolean => one.requires === undefined || existsSync(one.requires);
for (const one of cases.filter((each) => !isRunnable(each))) {
  process.stdout.write(`not run here: ${one.id} (needs ${one.requires})\n`);
}

function describeSegment(segment: CommandSegment): Record<string, unknown> {
  const isUnwrapped = segment.effectiveArgv.length !== segment.argv.length;
  const { execution, policy } = segment;
  const policyPath = policy === execution ? undefined : policy.resolvedPath;
  return {
    argv: segment.argv,
    executable: execution.resolvedPath,
    ...(execution.realPath !== null && execution.realPath !== execution.resolvedPath
      ? { realPath: execution.realPath }
      : {}),
    ...(isUnwrapped ? { effectiveArgv: segment.effectiveArgv } : {}),
    ...(segment.wrappers.length > 0 ? { wrappers: segment.wrappers.map((wrapper) => wrapper.name) } : {}),
    ...(typeof policyPath === "string" ? { policyExecutable: policyPath } : {}),
    ...(segment.blockedWrapper === null ? {} : { blockedWrapper: segment.blockedWrapper }),
  };
}

function fallbackText(one: ExecCase, setting: "deny" | "allowlist" | "full"): string {
  const decision = evaluateCase(one, home, reference, setting);
  const outcome = decision.fallback[decision.effective.askFallback.value];
  return outcome.outcome === "run" ? "run" : outcome.reason;
}

function expectSegments(one: ExecCase, decision: ExecDecision): void {
  const segments = segmentsOf(decision.analysis);
  expect(segments.length, "segments").toBeGreaterThanOrEqual(one.expect.segments.length);
  one.expect.segments.forEach((wanted, index) => {
    const segment = segments[index];
    if (segment === undefined) throw new Error(`segment ${index} is missing`);
    const { satisfiedBy, ...shape } = wanted;
    if (one.input.platform === "win32") {
      expect(segment.argv).toEqual(shape.argv);
      return;
    }
    expect(describeSegment(segment), `segment ${index}`).toEqual(shape);
    if (satisfiedBy !== "unevaluated") expect(decision.segments[index]?.satisfiedBy).toBe(satisfiedBy);
  });
}

describe("decisions as the reference makes them", () => {
  test.each(cases.filter(isRunnable).map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const decision = evaluateCase(one, home, reference);
    expect(decision.analysis.ok, "analysisOk").toBe(one.expect.analysisOk);
    expectSegments(one, decision);
    expect(decision.outcome, "final").toBe(one.expect.final);
    if (one.input.platform === "win32") return;
    expect(decision.allowlistSatisfied, "allowlistSatisfied").toBe(one.expect.allowlistSatisfied);
    expect(decision.obfuscation, "obfuscation").toEqual(one.expect.obfuscation);
    expect(decision.requiresApproval, "requiresApproval").toBe(one.expect.requiresApproval);
    expect(decision.error, "error").toBe(one.expect.error);
    if (one.expect.inlineEval !== undefined)
      expect(decision.inlineEval?.flag ?? null, "inlineEval").toBe(one.expect.inlineEval);
    if (one.expect.executes !== undefined) {
      const { plan } = decision;
      expect(plan.kind === "argv" ? plan.displayText : plan.text, "executes").toBe(one.expect.executes);
    }
    if (one.expect.allowAlways !== undefined) {
      const { persists, agent } = one.expect.allowAlways;
      expect(
        decision.allowAlways.persists.map((entry) => entry.pattern),
        "persists",
      ).toEqual(persists);
      if (agent !== undefined)
        for (const entry of decision.allowAlways.persists) expect(entry.agentId).toBe(agent);
    }
    if (one.expect.fallback !== undefined) {
      const { deny, allowlist, full } = one.expect.fallback;
      const texts = [fallbackText(one, "deny"), fallbackText(one, "allowlist"), fallbackText(one, "full")];
      expect(texts, "fallback").toEqual([deny, allowlist, full]);
    }
  });
});

const strictness = new Map([
  ["allow", 0],
  ["ask", 1],
  ["deny", 2],
]);

describe("preset sallyport is never looser", () => {
  const differing: ExecCase[] = [];
  afterAll(() => {
    for (const [rule, directions] of effectsOf(differing, home))
      for (const [direction, ids] of directions)
        process.stdout.write(`stricter by ${rule} (${direction}, ${ids.length}): ${ids.join(" ")}\n`);
  });
  test.each(cases.filter(isRunnable).map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const loose = evaluateCase(one, home, reference);
    const strict = evaluateCase(one, home, allExecHardening);
    const looseRank = strictness.get(loose.outcome) ?? 0;
    const strictRank = strictness.get(strict.outcome) ?? 0;
    expect(strictRank, `${loose.outcome} became ${strict.outcome}`).toBeGreaterThanOrEqual(looseRank);
    if (strict.outcome === "allow") expect(strict.plan.kind === "rebuilt", "no rebuilt text").toBe(false);
    for (const setting of ["deny", "allowlist", "full"] as const) {
      if (loose.fallback[setting].outcome === "denied")
        expect(strict.fallback[setting].outcome).toBe("denied");
    }
    // Beside what the reference stores, only the real path behind a link may be stored.
    const covered = new Set([
      ...loose.allowAlways.persists.map((entry) => entry.pattern),
      ...segmentsOf(strict.analysis).flatMap(({ execution }) =>
        execution.realPath === null ? [] : [execution.realPath],
      ),
    ]);
    expect(strict.allowAlways.persists.filter((entry) => !covered.has(entry.pattern))).toEqual([]);
    if (strictRank > looseRank) {
      differing.push(one);
      expect(
        rulesBehind((rules) => evaluateCase(one, home, rules).outcome),
        "rules behind it",
      ).not.toEqual([]);
    }
  });

  // Another recording has other numbers; the published ones are those of the recording in the repository.
  if (isOwnRecording)
    test("the published table has the numbers of this recording", () => {
      expect(recordedEffects(vectorsDir)).toEqual([...publishedEffects]);
    });
});

describe("keys", () => {
  test.each(keyCases.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const encoded = encodeKeys(one.input);
    expect(Buffer.from(encoded.data, "latin1").toString("hex")).toBe(one.expect.hex);
    expect(encoded.warnings.length).toBe(one.expect.warnings);
  });
});

describe("executable values", () => {
  test.each(valueCases.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(isSafeExecutableValue(one.input)).toBe(one.expect);
  });
});

describe("host environment", () => {
  test.each(envCases.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    const result = buildHostEnv(one.input.base, one.input.overrides, reference);
    expect({ blocked: result.blocked, invalid: result.invalid, env: result.env }).toEqual(one.expect);
    expect(result.ok).toBe(one.expect.blocked.length + one.expect.invalid.length === 0);
  });
});

describe("log slices", () => {
  test.each(logCases.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(sliceLog(one.input.text, one.input)).toEqual(one.expect);
  });
});
