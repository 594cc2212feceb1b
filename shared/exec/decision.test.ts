import { describe, expect, test } from "vitest";
import {
  type AllowlistRule,
  type ApprovalsState,
  allExecHardening,
  collectAllowlist,
  type EvaluateExecInput,
  evaluateExec,
  execDecision,
  type Grant,
  type GrantScope,
  normalizeApprovalsFile,
  proposeGrants,
  type ResolvePolicyInput,
  readApprovals,
  resolveExecPolicy,
  serializeApprovals,
} from "./index.ts";
import { testOptions } from "./testLookup.ts";

const reference: ReadonlySet<string> = new Set();
const fileOptions = (hardening: ReadonlySet<string>) => ({ newId: () => "id", hardening });

function approvals(raw: unknown, hardening = allExecHardening): ApprovalsState {
  return normalizeApprovalsFile(raw, fileOptions(hardening));
}

function resolve(overrides: Partial<ResolvePolicyInput>) {
  return resolveExecPolicy({
    approvals: { kind: "missing" },
    agentId: "main",
    isSandboxed: false,
    confirmed: { full: false, askOff: false },
    hardening: allExecHardening,
    ...overrides,
  });
}

function policyOf(overrides: Partial<ResolvePolicyInput>) {
  const resolved = resolve(overrides);
  if (!resolved.ok) throw new Error(resolved.message);
  return resolved.policy;
}

function decide(command: string, patterns: string[], overrides: Partial<EvaluateExecInput> = {}) {
  const allowlist: AllowlistRule[] = patterns.map((pattern) => ({ agentId: "main", pattern }));
  return evaluateExec({
    ...testOptions(allExecHardening),
    command,
    agentId: "main",
    sessionKey: "agent:main:main",
    policy: policyOf({}),
    allowlist,
    nowMs: 1000,
    ...overrides,
  });
}

describe("effective policy", () => {
  test("a call can only tighten", () => {
    const looser = policyOf({
      globalExec: { security: "allowlist", ask: "on-miss" },
      call: { security: "full", ask: "off" },
    });
    expect([looser.security.value, looser.ask.value]).toEqual(["allowlist", "on-miss"]);
    const tighter = policyOf({
      globalExec: { security: "full" },
      confirmed: { full: true, askOff: true },
      call: { security: " Deny ", ask: "ALWAYS" },
    });
    expect([tighter.security.value, tighter.ask.value, tighter.ask.source.kind]).toEqual([
      "deny",
      "always",
      "call",
    ]);
  });

  test("full that nobody confirmed acts as allowlist and on-miss", () => {
    const policy = policyOf({ globalExec: { security: "full", ask: "off" } });
    expect([policy.security.value, policy.ask.value]).toEqual(["allowlist", "on-miss"]);
    expect(policy.security.source).toEqual({ kind: "unconfirmed", path: "tools.exec.security" });
  });

  test("an unreadable approvals file denies, a missing one does not", () => {
    const broken = readApprovals("{ nope", fileOptions(allExecHardening));
    expect(broken.kind).toBe("unreadable");
    expect(policyOf({ approvals: broken }).security.value).toBe("deny");
    expect(policyOf({ approvals: { kind: "missing" } }).security.value).toBe("allowlist");
    expect(readApprovals("{ nope", fileOptions(reference)).kind).toBe("ok");
  });

  test("a second approvals file may only tighten", () => {
    const otherApprovals = approvals({
      version: 1,
      defaults: { security: "full", ask: "always", askFallback: "full" },
    });
    const policy = policyOf({ otherApprovals });
    expect([policy.security.value, policy.ask.value, policy.askFallback.value]).toEqual([
      "allowlist",
      "always",
      "deny",
    ]);
  });

  test("a misspelt word counts as the strictest", () => {
    const state = approvals({ version: 1, agents: { main: { security: "ful", ask: "offf" } } });
    const policy = policyOf({ approvals: state });
    expect([policy.security.value, policy.ask.value]).toEqual(["deny", "always"]);
  });

  test("an agent called __proto__ or constructor has no settings it was not given", () => {
    const state = approvals(JSON.parse('{"version":1,"agents":{"__proto__":{"security":"deny"}}}'));
    expect(policyOf({ approvals: state, agentId: "constructor" }).security.value).toBe("allowlist");
  });

  test("hosts are never exchanged silently", () => {
    const asked = resolve({ globalExec: { host: "node" }, call: { host: "gateway" } });
    expect(asked).toMatchObject({ ok: false, code: "hostNotAllowed" });
    expect(resolve({ call: { host: "sandbox" } })).toMatchObject({ ok: false, code: "noSandbox" });
    expect(policyOf({ isSandboxed: true }).host.value).toBe("sandbox");
    expect(policyOf({ isSandboxed: true, call: { host: "gateway" } }).alwaysAsk).toEqual(["leavesSandbox"]);
  });

  test("the sandbox runs unasked, but for a shared network, a broken config and a deny that was written", () => {
    const sandboxed = { isSandboxed: true };
    const outcomeOf = (overrides: Partial<ResolvePolicyInput>) =>
      decide("curl x | sh", [], { policy: policyOf({ ...sandboxed, ...overrides }) }).outcome;
    expect(outcomeOf({})).toBe("allow");
    expect(outcomeOf({ isSandboxNetworkShared: true })).toBe("ask");
    expect(outcomeOf({ isConfigBroken: true })).toBe("ask");
    expect(outcomeOf({ globalExec: { security: "deny" } })).toBe("deny");
    expect(outcomeOf({ call: { security: "deny" } })).toBe("deny");
    expect(outcomeOf({ approvals: { kind: "unreadable", reason: "x" } })).toBe("deny");
    const denying = approvals({ version: 1, agents: { "*": { security: "deny" } } });
    expect(outcomeOf({ approvals: denying })).toBe("deny");
    expect(outcomeOf({ otherApprovals: denying })).toBe("deny");
    const plain = decide("ls", [], {
      hardening: reference,
      policy: policyOf({
        ...sandboxed,
        isSandboxNetworkShared: true,
        approvals: denying,
        hardening: reference,
      }),
    });
    expect(plain.outcome).toBe("allow");
  });

  test("elevated moves a sandboxed session out only with a question, unless its level is full", () => {
    const elevated = { sessionLevel: "on" as const, isPermitted: true };
    const policy = policyOf({ isSandboxed: true, elevated });
    expect([policy.host.value, policy.alwaysAsk]).toEqual(["gateway", ["leavesSandbox"]]);
    expect(
      policyOf({ isSandboxed: true, elevated: { ...elevated, sessionLevel: "full" } }).alwaysAsk,
    ).toEqual([]);
  });

  test("elevated full skips approvals but not a deny in the file", () => {
    const elevated = { requested: true, sessionLevel: "full" as const, isPermitted: true };
    expect(policyOf({ elevated }).skipApprovals).toBe(true);
    const denying = approvals({ version: 1, defaults: { security: "deny" } });
    const policy = policyOf({ elevated, approvals: denying });
    expect([policy.skipApprovals, policy.security.value]).toEqual([false, "deny"]);
    expect(policyOf({ elevated: { ...elevated, sessionLevel: "off" } })).toMatchObject({
      elevated: "ask",
      alwaysAsk: ["elevatedRequested"],
    });
    expect(resolve({ elevated: { ...elevated, isPermitted: false } })).toMatchObject({
      code: "elevatedNotPermitted",
    });
  });
});

describe("approvals file", () => {
  test("unknown fields and ids survive reading and writing", () => {
    const raw = {
      version: 1,
      later: { x: 1 },
      socket: { path: "/s", token: "t" },
      agents: {
        main: {
          note: "kept",
          allowlist: [{ id: "a", pattern: "/bin/foo", extra: [1] }, "/bin/bar", { pattern: " " }],
        },
      },
    };
    const state = approvals(raw);
    if (state.kind !== "ok") throw new Error(state.kind);
    expect(serializeApprovals(state.file)).toEqual({
      ...raw,
      agents: {
        main: {
          note: "kept",
          allowlist: [
            { id: "a", pattern: "/bin/foo", extra: [1] },
            { id: "id", pattern: "/bin/bar" },
          ],
        },
      },
    });
    expect(collectAllowlist(state.file, "main").map((rule) => rule.pattern)).toEqual([
      "/bin/foo",
      "/bin/bar",
    ]);
  });
});

describe("decision", () => {
  test("fits its wire schema", () => {
    for (const command of ["foo a", "bar | foo", "foo > x", "sh -c foo", "timeout 5 foo", ""]) {
      const decision = decide(command, ["/bin/foo"]);
      expect(execDecision.parse(JSON.parse(JSON.stringify(decision)))).toEqual(
        JSON.parse(JSON.stringify(decision)),
      );
    }
  });

  test("what always stores makes the same command pass", () => {
    const first = decide("foo a && bar b", []);
    expect(first.outcome).toBe("ask");
    const patterns = first.allowAlways.persists.map((entry) => entry.pattern);
    expect(patterns).toEqual(["/bin/foo", "/bin/bar"]);
    expect(decide("foo a && bar b", patterns).outcome).toBe("allow");
  });

  test("of a chain with one part that may not be stored nothing is stored", () => {
    expect(decide("foo && sh x.sh", []).allowAlways).toEqual({
      persists: [],
      withheldReason: "programMissing",
    });
    expect(decide("foo && missing", []).allowAlways).toEqual({ persists: [], withheldReason: "unresolved" });
  });

  test("every unsatisfied segment says why", () => {
    const decision = decide("foo | bar | missing", ["/bin/foo"]);
    expect(decision.segments.map((verdict) => verdict.reason?.code)).toEqual([
      undefined,
      "allowlistMiss",
      "programMissing",
    ]);
    expect(decision.segments[0]?.rule).toEqual({
      kind: "allowlist",
      agentId: "main",
      pattern: "/bin/foo",
      entryId: undefined,
    });
  });
});

describe("grants", () => {
  const base = { id: "g", agentId: "main", createdAtMs: 0, createdBy: "person" };
  const grantFor = (scopes: readonly GrantScope[], more: Partial<Grant> = {}): Grant[] =>
    scopes.map((scope, index) => ({ ...base, id: `g${index}`, scope, ...more }));

  function propose(command: string) {
    const proposed = proposeGrants(decide(command, []).analysis, allExecHardening);
    if (!("proposals" in proposed)) throw new Error(proposed.withheld);
    return proposed.proposals;
  }

  test("the narrowest comes first and covers exactly its command", () => {
    const [exact] = propose("foo log --oneline");
    expect(exact).toMatchObject({ label: "exactCommand", isDefault: true });
    const grants = grantFor(exact?.scopes ?? [], { cwd: "/ws" });
    expect(decide("foo log --oneline", [], { grants }).outcome).toBe("allow");
    expect(decide("foo log --oneline x", [], { grants }).outcome).toBe("ask");
    expect(decide("foo log --oneline", [], { grants, cwd: "/elsewhere" }).outcome).toBe("ask");
    expect(decide("foo log --oneline", [], { grants, agentId: "other" }).outcome).toBe("ask");
    expect(decide("foo log --oneline; bar", [], { grants }).outcome).toBe("ask");
  });

  test("a shape lets plain words vary, not options, paths upwards or the first word", () => {
    const shape = propose("foo show one --stat").find((one) => one.label === "argumentShape");
    const grants = grantFor(shape?.scopes ?? []);
    expect(decide("foo show two --stat", [], { grants }).outcome).toBe("allow");
    for (const other of [
      "foo push one --stat",
      "foo show -x --stat",
      "foo show ../x --stat",
      "foo show /etc --stat",
      "foo show two --stat y",
    ])
      expect(decide(other, [], { grants }).outcome, other).toBe("ask");
  });

  test("a grant ends", () => {
    const grants = grantFor([{ kind: "program", realPath: "/bin/foo" }], { expiresAtMs: 1000 });
    expect(decide("foo", [], { grants }).outcome).toBe("ask");
    expect(decide("foo", [], { grants, nowMs: 999 }).outcome).toBe("allow");
  });

  test("nothing lasting is offered for shells, code and what cannot be read", () => {
    for (const [command, reason] of [
      ["sh x.sh", "shell"],
      ["sh -c foo", "inlineEval"],
      ["timeout foo", "blockedWrapper"],
      ["missing", "programMissing"],
      ["foo > x", "notAnalyzable"],
    ] as const)
      expect(proposeGrants(decide(command, []).analysis, allExecHardening)).toEqual({ withheld: reason });
  });
});

describe("variables that a call adds to a covered command", () => {
  test.each([
    [{ NODE_ENV: "test" }, "NODE_ENV"],
    [{ MY_PATH: "/tmp/x", LANG: "C" }, "MY_PATH"],
    [{ LANG: "../../tmp/x" }, "LANG"],
    [{ TZ: "/tmp/zone" }, "TZ"],
    [{ lang: "C" }, "lang"],
  ])("%j asks and names it, under ask=off too, and nothing is stored", (envOverrides, names) => {
    for (const ask of ["on-miss", "off"] as const) {
      const decision = decide("foo a", ["/bin/foo"], {
        envOverrides,
        policy: policyOf({ globalExec: { ask } }),
      });
      expect(decision.outcome).toBe("ask");
      expect(decision.reasons).toEqual([
        {
          code: "dangerousEnvironment",
          params: { names },
          rule: { kind: "hardening", ruleId: "exec.environmentAsks" },
        },
      ]);
      expect(decision.allowAlways).toEqual({ persists: [], withheldReason: "environment" });
      expect(decision.fallback.full.outcome).toBe("denied");
    }
  });

  test.each([
    [{ LANG: "C.UTF-8", LC_ALL: "C" }],
    [{ TZ: "Europe/Berlin" }],
    [{ NO_COLOR: "1", COLUMNS: "80" }],
    [{}],
  ])("%j runs unasked", (envOverrides) => {
    expect(decide("foo a", ["/bin/foo"], { envOverrides }).outcome).toBe("allow");
  });

  test("do not matter as long as the rule is off", () => {
    const hardening = new Set([...allExecHardening].filter((id) => id !== "exec.environmentAsks"));
    expect(decide("foo a", ["/bin/foo"], { envOverrides: { X: "1" }, hardening }).outcome).toBe("allow");
  });

  test("of a command that asks anyway are no reason of their own", () => {
    const decision = decide("bar a", ["/bin/foo"], { envOverrides: { X: "1" } });
    expect(decision.reasons.map((reason) => reason.code)).toEqual(["allowlistMiss"]);
    expect(decision.allowAlways.withheldReason).toBe("environment");
  });
});

describe("commands of any size", () => {
  const chain = (count: number) => Array.from({ length: count }, () => "foo").join(";");
  test("run up to 512 parts and ask as a whole beyond that", () => {
    expect(decide(chain(512), ["/bin/foo"]).outcome).toBe("allow");
    const larger = decide(chain(513), ["/bin/foo"]);
    expect(larger.outcome).toBe("ask");
    expect(larger.analysis).toMatchObject({ ok: false, code: "tooLarge" });
    expect(
      decide(chain(513), ["/bin/foo"], { policy: policyOf({ globalExec: { ask: "off" } }) }).outcome,
    ).toBe("deny");
  });

  test("are not taken apart above 64 KB", () => {
    const decision = decide(`foo ${"x".repeat(70_000)}`, ["/bin/foo"]);
    expect(decision.outcome).toBe("ask");
    expect(decision.analysis).toMatchObject({ ok: false, code: "tooLarge" });
  });
});
