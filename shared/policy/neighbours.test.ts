/** The single functions beside the pipeline, where the recorded cases leave something open. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maySpawnAgent } from "./agentsList.ts";
import { listKnownTools } from "./availability.ts";
import { catalogAnswer, effectiveAnswer } from "./catalogAnswers.ts";
import { compilePolicy } from "./compile.ts";
import { validatePolicyConfig } from "./configSchema.ts";
import { resolveElevated } from "./elevated.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { decideHttpInvoke } from "./httpInvoke.ts";
import { auditHttpAllow } from "./httpSurface.ts";
import { admitLoopWarning, detectLoop, recordLoopCall, resolveLoopDetection } from "./loopDetection.ts";
import { normalizeAgentId } from "./names.ts";
import { promptToolLines } from "./promptOrder.ts";
import { isSandboxed } from "./scopes.ts";
import { isSubagentSessionKey, resolveAgentId } from "./sessionKeys.ts";
import { mayReachAgent, resolveFileLimits, resolveSessionVisibility } from "./sessionTools.ts";
import type { RegisteredTool } from "./types.ts";
import { matchesPattern } from "./wildcards.ts";

/** Many samples: on a machine with other work they may take their time. */
const thorough = { timeout: 120_000 };

const reference: ReadonlySet<string> = new Set();

describe("wildcards", thorough, () => {
  test("match like an anchored expression in which only the star means something", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "_", "."), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "_", ".", "*"), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (glob, name) => {
        const source = glob
          .split("*")
          .map((piece) => piece.replaceAll(".", "\\."))
          .join(".*");
        expect(matchesPattern(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("agents and sessions", () => {
  test("agent ids are cut, slugged and never empty", () => {
    expect(normalizeAgentId(" My Agent! ")).toBe("my-agent");
    expect(normalizeAgentId("!!!")).toBe("main");
    expect(normalizeAgentId("x".repeat(80))).toHaveLength(64);
    expect(resolveAgentId(" ", "agent:Ops:main")).toBe("ops");
    expect(resolveAgentId(undefined, "cron:1")).toBe("main");
    expect(resolveAgentId(undefined, undefined)).toBeUndefined();
    expect(isSubagentSessionKey("agent:main:subagent:1")).toBe(true);
    expect(isSubagentSessionKey("agent:main:main")).toBe(false);
  });

  test("non-main sandboxing spares the main session only", () => {
    const config = {
      agents: {
        defaults: { sandbox: { mode: "non-main" } },
        list: [{ id: "free", sandbox: { mode: "off" } }],
      },
    };
    expect(isSandboxed(config, "main", "agent:main:main")).toBe(false);
    expect(isSandboxed(config, "main", "agent:main:telegram:group:1")).toBe(true);
    expect(isSandboxed(config, "free", "agent:free:x")).toBe(false);
    expect(isSandboxed({ ...config, session: { scope: "global" } }, "main", "global")).toBe(false);
  });

  test("visibility, cross-agent reach and file limits take the careful default", () => {
    const options = { sandboxed: false, hardening: reference };
    expect(resolveSessionVisibility({ tools: { sessions: { visibility: "everything" } } }, options)).toBe(
      "tree",
    );
    expect(mayReachAgent({}, "a", "b")).toBe(false);
    expect(mayReachAgent({ tools: { agentToAgent: { enabled: true, allow: ["a", "B*"] } } }, "a", "b")).toBe(
      true,
    );
    expect(mayReachAgent({ tools: { agentToAgent: { enabled: true, allow: ["a"] } } }, "a", "b")).toBe(false);
    expect(resolveFileLimits({}, "a")).toEqual({ workspaceOnly: false, patchWorkspaceOnly: true });
    expect(resolveFileLimits({}, "a", { memoryFlush: true }).workspaceOnly).toBe(true);
  });
});

describe("elevated", () => {
  const allowed = (entry: string | number, sender: Record<string, string>) =>
    resolveElevated({ tools: { elevated: { allowFrom: { x: [entry] } } } }, { channel: "X", sender }).allowed;

  test("compares prefixes, numbers, names and slugs as written in the rules", () => {
    expect(allowed(42, { SenderId: "42" })).toBe(true);
    expect(allowed("whatsapp:+1", { From: "whatsapp:+1" })).toBe(true);
    expect(allowed("from:+1", { SenderId: "+1" })).toBe(false);
    expect(allowed("name:Ana Smith", { SenderName: "ana-smith" })).toBe(true);
    expect(allowed("username:@Ana", { SenderUsername: "ana" })).toBe(true);
    expect(allowed("tag:ana#1", { SenderTag: "Ana#1" })).toBe(true);
    expect(allowed("Ana", { SenderUsername: "Ana" })).toBe(false);
    expect(allowed("id:", { SenderId: "" })).toBe(false);
  });
});

describe("elevated, where the config has no list for the channel", () => {
  const decide = (elevated: unknown, own: unknown, channelFallback?: (string | number)[]) =>
    resolveElevated(
      { tools: { elevated }, agents: { list: [{ id: "a", tools: { elevated: own } }] } },
      {
        agentId: "a",
        channel: "x",
        sender: { SenderId: "7" },
        ...(channelFallback === undefined ? {} : { channelFallback }),
      },
    );

  test("the channel's own list counts, and only there", () => {
    expect(decide({}, {}).allowed).toBe(false);
    expect(decide({}, {}, [7]).allowed).toBe(true);
    expect(decide({}, {}, [8]).allowed).toBe(false);
    // A written list, even an empty one, takes its place.
    expect(decide({ allowFrom: { x: [] } }, {}, [7]).allowed).toBe(false);
    expect(decide({ allowFrom: { y: ["*"] } }, {}, [7]).allowed).toBe(true);
    expect(decide({}, { allowFrom: { x: ["8"] } }, [7])).toMatchObject({
      allowed: false,
      failures: [{ gate: "allowFrom", key: "agents.list[].tools.elevated.allowFrom.x" }],
    });
    expect(decide({}, { allowFrom: {} }, [7]).allowed).toBe(true);
  });
});

describe("who may spawn as whom", () => {
  const config = {
    agents: {
      list: [
        { id: "Lead", subagents: { allowAgents: [" Helper ", "ghost", 5] } },
        { id: "helper" },
        { id: "any", subagents: { allowAgents: ["*"] } },
      ],
    },
  };

  test("itself always, others when listed, any when the star says so", () => {
    expect(maySpawnAgent(config, "lead", "lead")).toBe(true);
    expect(maySpawnAgent(config, "lead", "HELPER")).toBe(true);
    expect(maySpawnAgent(config, "lead", "ghost")).toBe(true);
    expect(maySpawnAgent(config, "lead", "any")).toBe(false);
    expect(maySpawnAgent(config, "helper", "lead")).toBe(false);
    expect(maySpawnAgent(config, "helper", "Helper")).toBe(true);
    expect(maySpawnAgent(config, "any", "lead")).toBe(true);
    expect(maySpawnAgent(config, "any", "ghost")).toBe(true);
    expect(maySpawnAgent(config, undefined, "main")).toBe(true);
    expect(maySpawnAgent(config, undefined, "lead")).toBe(false);
  });
});

describe("HTTP invoke", () => {
  const tools = listKnownTools({}, {});
  const decide = (request: Partial<Parameters<typeof decideHttpInvoke>[1]>, config: unknown = {}) =>
    decideHttpInvoke(
      compilePolicy(config, { hardening: reference }),
      { method: "POST", caller: { kind: "secret" }, body: { tool: "agents_list" }, ...request },
      () => tools,
    );

  test("asks for operator.write when no secret is asked for, and gives owner tools to operator.admin only", () => {
    expect(decide({ caller: { kind: "scoped", scopes: [] } })).toMatchObject({
      status: 403,
      errorType: "forbidden",
    });
    expect(decide({ caller: { kind: "scoped", scopes: ["operator.write"] } }).reachable).toBe(true);
    const config = { gateway: { tools: { allow: ["cron"] } } };
    const body = { tool: "cron" };
    expect(decide({ body, caller: { kind: "scoped", scopes: ["operator.write"] } }, config)).toMatchObject({
      status: 404,
    });
    expect(decide({ body, caller: { kind: "scoped", scopes: ["operator.admin"] } }, config).reachable).toBe(
      true,
    );
  });

  test("answers hidden and unknown tools alike, and bad bodies as invalid", () => {
    const hidden = decide({ body: { tool: "gateway" } });
    const unknown = decide({ body: { tool: "nothing" } });
    expect(hidden).toMatchObject({ status: 404, errorType: "not_found" });
    expect(unknown).toMatchObject({ status: 404, errorType: "not_found" });
    for (const body of [undefined, null, "x", [], {}, { tool: 5 }])
      expect(decide({ body })).toMatchObject({ status: 400 });
  });

  test("the audit names lifted defaults and is critical beyond loopback", () => {
    const config = { gateway: { tools: { allow: [" Exec", "browser"] } } };
    expect(auditHttpAllow(config, false)).toMatchObject({ severity: "warn", names: ["exec"] });
    expect(auditHttpAllow(config, true)?.severity).toBe("critical");
    expect(auditHttpAllow({}, true)).toBeUndefined();
  });
});

describe("loop detection", () => {
  test("merges agent over global key by key and repairs thresholds", () => {
    const settings = resolveLoopDetection(
      { enabled: true, warningThreshold: 5, detectors: { pingPong: false } },
      { warningThreshold: 2.5, criticalThreshold: 4, detectors: { genericRepeat: false } },
    );
    expect(settings).toMatchObject({ enabled: true, warningThreshold: 10, criticalThreshold: 11 });
    expect(settings.detectors).toEqual({ genericRepeat: false, knownPollNoProgress: true, pingPong: false });
  });

  test("sees equal arguments whatever their order of keys, and logs a warning once per ten", () => {
    const settings = resolveLoopDetection({ enabled: true });
    let history: ReturnType<typeof recordLoopCall> = [];
    for (let i = 0; i < 10; i += 1) {
      const args = i % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 };
      history = recordLoopCall(history, { tool: "read", args }, i, settings);
    }
    const verdict = detectLoop(history, { tool: "read", args: { b: 2, a: 1 } }, settings);
    expect(verdict).toMatchObject({ kind: "warning", detector: "generic_repeat", count: 10 });
    if (verdict.kind === "ok") return;
    const first = admitLoopWarning(new Map(), verdict);
    expect(first.log).toBe(true);
    expect(admitLoopWarning(first.buckets, { ...verdict, count: 12 }).log).toBe(false);
    expect(admitLoopWarning(first.buckets, { ...verdict, count: 20 }).log).toBe(true);
  });
});

describe("the poll detector", () => {
  const poll = { tool: "process", args: { action: "poll", sessionId: "s" } };
  const verdictAfter = (calls: number, detectors: Record<string, boolean>, call = poll) => {
    const settings = resolveLoopDetection({ enabled: true, detectors });
    let history: ReturnType<typeof recordLoopCall> = [];
    for (let i = 0; i < calls; i += 1) history = recordLoopCall(history, call, "same", settings);
    return detectLoop(history, call, settings);
  };

  test("speaks for polls alone, and not at all when it is off", () => {
    expect(verdictAfter(9, {}).kind).toBe("ok");
    expect(verdictAfter(10, {})).toMatchObject({ kind: "warning", detector: "known_poll_no_progress" });
    expect(verdictAfter(20, {})).toMatchObject({ kind: "critical", detector: "known_poll_no_progress" });
    expect(verdictAfter(20, { knownPollNoProgress: false }).kind).toBe("ok");
    expect(verdictAfter(30, { knownPollNoProgress: false })).toMatchObject({
      detector: "global_circuit_breaker",
    });
    const write = { tool: "process", args: { action: "write", sessionId: "s" } };
    expect(verdictAfter(20, {}, write)).toMatchObject({ kind: "warning", detector: "generic_repeat" });
    const status = { tool: "command_status", args: { action: "any", sessionId: "s" } };
    expect(verdictAfter(20, {}, status)).toMatchObject({ detector: "known_poll_no_progress" });
  });
});

describe("validation", () => {
  const paths = (config: unknown) => validatePolicyConfig(config).map((issue) => issue.path);

  test("finds both lists in every kind of scope, at the place where they are", () => {
    const both = { allow: ["read"], alsoAllow: ["exec"] };
    expect(
      paths({ tools: { byProvider: { x: both }, sandbox: { tools: both }, subagents: { tools: both } } }),
    ).toEqual(["tools.byProvider.x", "tools.sandbox.tools", "tools.subagents.tools"]);
    expect(paths({ agents: { list: [{ id: "a", tools: both }] } })).toEqual(["agents.list.0.tools"]);
    const groups = { g: { tools: both, toolsBySender: { "*": both } } };
    expect(paths({ channels: { x: { groups } } })).toEqual([
      "channels.x.groups.g.tools",
      "channels.x.groups.g.toolsBySender.*",
    ]);
  });

  test("refuses null and unknown words as profile, and subagents under an agent", () => {
    expect(paths({ tools: { profile: null } })).toEqual(["tools.profile"]);
    expect(paths({ agents: { list: [{ tools: { subagents: {} } }] } })).toEqual(["agents.list.0.tools"]);
    expect(paths({ tools: { exec: { approvalRunningNoticeMs: 5 } } })).toEqual(["tools.exec"]);
  });
});

describe("answers about the catalog", () => {
  const tools: RegisteredTool[] = [
    { name: "read", owner: { kind: "core" } },
    { name: "whatsapp_login", owner: { kind: "channel" } },
    { name: "zeta", owner: { kind: "plugin", pluginId: "kit" }, optional: true },
    { name: "alpha", owner: { kind: "plugin", pluginId: "kit" } },
    { name: "browser", owner: { kind: "plugin", pluginId: "browser" } },
  ];

  test("list 29 core tools in 11 groups, then plugins without catalog names", () => {
    const answer = catalogAnswer("main", tools);
    const core = answer.groups.filter((group) => group.source === "core");
    expect(core).toHaveLength(11);
    expect(core.flatMap((group) => group.tools)).toHaveLength(29);
    const plugins = answer.groups.filter((group) => group.source === "plugin");
    expect(plugins.map((group) => [group.id, group.tools.map((tool) => tool.id)])).toEqual([
      ["plugin:kit", ["alpha", "zeta"]],
    ]);
  });

  test("group the effective tools by where they come from", () => {
    const compiled = compilePolicy({}, { hardening: reference });
    const answer = effectiveAnswer(evaluatePolicy(compiled, { senderIsOwner: true }, tools), tools, "main");
    expect(answer).toMatchObject({ agentId: "main", profile: "full" });
    expect(answer.groups.map((group) => [group.id, group.tools.map((tool) => tool.id)])).toEqual([
      ["core", ["read"]],
      ["plugin", ["alpha", "browser"]],
      ["channel", ["whatsapp_login"]],
    ]);
  });

  test("write one prompt line per tool and say so when there is none", () => {
    expect(promptToolLines([{ name: "zeta", description: "Does zeta.\nMore." }, { name: "read" }])).toEqual([
      "- read: Show what is in a file, whole or by line range",
      "- zeta: Does zeta.",
    ]);
    expect(promptToolLines([])).toEqual(["No tool is available in this session."]);
  });
});
