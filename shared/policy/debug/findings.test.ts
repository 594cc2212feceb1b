/** Findings: each kind where it stands, with a fix that mends it, and none in a config without slips. */

import { describe, expect, test } from "vitest";
import { listKnownTools } from "../availability.ts";
import { compilePolicy } from "../compile.ts";
import { describeFinding } from "../explain.ts";
import { policyHardening } from "../hardening.ts";
import type { PolicyContext, PolicyFinding, RegisteredTool } from "../types.ts";
import { applyEdits } from "./configEdits.ts";
import { everyFinding } from "./everyFinding.ts";
import { collectFindings, type SkillTools } from "./findings.ts";
import { finish } from "./steps.ts";

const reference: ReadonlySet<string> = new Set();
const hardened: ReadonlySet<string> = new Set(policyHardening.map((rule) => rule.id));
const tools: RegisteredTool[] = [
  ...listKnownTools(
    {},
    { provider: "openai", model: "m", hasImageModel: true, hasImageGenerationModel: true },
  ),
  { name: "opt", owner: { kind: "plugin", pluginId: "kit" }, optional: true },
  { name: "kit_one", owner: { kind: "plugin", pluginId: "kit" } },
];
const owner: PolicyContext = { senderIsOwner: true, agentId: "a1" };

function found(config: unknown, context: PolicyContext = owner, hardening = reference): PolicyFinding[] {
  return collectFindings(compilePolicy(config, { hardening }), context, tools);
}

const lines = (findings: readonly PolicyFinding[]) =>
  findings.map(({ kind, path, entries }) => `${kind} ${path} ${entries.join()}`);

describe("lists that never warn", () => {
  test.each([
    { config: { tools: { sandbox: { tools: { allow: ["read", "exce"] } } } }, context: { sandboxed: true } },
    { config: { tools: { sandbox: { tools: { alsoAllow: ["brwser"] } } } }, context: { sandboxed: true } },
    {
      config: { tools: { subagents: { tools: { allow: ["read", "exce"] } } } },
      context: { subagentDepth: 1 },
    },
  ])("have their misspelt names found: $config", ({ config, context }) => {
    const slips = found(config, { ...owner, ...context });
    expect(slips.map(({ kind }) => kind)).toEqual(["unknown-entry"]);
    const [slip] = slips;
    const mended = applyEdits(config, slip?.fix ?? []);
    expect(found(mended, { ...owner, ...context })).toEqual([]);
  });
});

describe("allow and alsoAllow in one object", () => {
  const both = { allow: ["read"], alsoAllow: ["exec"] };
  test.each([
    { tools: { sandbox: { tools: both } } },
    { tools: { subagents: { tools: both } } },
    { agents: { list: [{ id: "a1", tools: { sandbox: { tools: both } } }] } },
    { channels: { telegram: { groups: { g: { tools: both } } } } },
    { channels: { telegram: { accounts: { x: { groups: { g: { toolsBySender: { "id:1": both } } } } } } } },
    { channels: { discord: { guilds: { g: { channels: { c: { tools: both } } } } } } },
  ])("are found where they are refused at load, and merged by the fix: %j", (config) => {
    const [slip, ...others] = found(config);
    expect(slip?.kind).toBe("allow-and-also-allow");
    expect(others).toEqual([]);
    const mended = applyEdits(config, slip?.fix ?? []);
    expect(found(mended)).toEqual([]);
    expect(JSON.stringify(mended)).toContain('"allow":["read","exec"]');
    expect(JSON.stringify(mended)).not.toContain("alsoAllow");
  });
});

describe("entries that a wider one covers", () => {
  test.each([
    [{ tools: { deny: ["group:fs", "read"] } }, "covered-entry tools.deny[1] read"],
    [{ tools: { deny: ["read", "group:fs"] } }, "covered-entry tools.deny[0] read"],
    [{ tools: { deny: ["sessions_*", "sessions_list"] } }, "covered-entry tools.deny[1] sessions_list"],
    [{ tools: { deny: ["exec", "Bash"] } }, "covered-entry tools.deny[1] exec"],
    [{ tools: { deny: ["group:openclaw", "group:web"] } }, "covered-entry tools.deny[1] group:web"],
    [{ tools: { allow: ["group:fs", "edit"] } }, "covered-entry tools.allow[1] edit"],
    [{ tools: { allow: ["read", "kit", "kit_one"] } }, "covered-entry tools.allow[2] kit_one"],
    [{ tools: { allow: ["read", "group:plugins", "kit"] } }, "covered-entry tools.allow[2] kit"],
    [{ tools: { allow: ["*", "exec"] } }, "covered-entry tools.allow[1] exec"],
  ])("are found: %j", (config, line) => {
    const slips = found(config);
    expect(lines(slips)).toEqual([line]);
    expect(found(applyEdits(config, slips[0]?.fix ?? []))).toEqual([]);
  });

  test.each([
    // The pattern alone would not keep OpenClaw from dropping the list.
    { tools: { allow: ["sessions_*", "sessions_list"] } },
    // Optional tools come into being by their name, or that of their plugin.
    { tools: { allow: ["*", "opt"] } },
    { tools: { allow: ["read"], deny: ["group:web", "exec"] } },
    { tools: { deny: ["group:runtime", "group:openclaw"] } },
  ])("are not found where they do something: %j", (config) => {
    expect(lines(found(config)).filter((line) => line.startsWith("covered"))).toEqual([]);
  });

  test("a name lifts what sub-agents are denied, which a group does not", () => {
    const config = { tools: { subagents: { tools: { alsoAllow: ["group:automation", "cron"] } } } };
    expect(found(config, { ...owner, subagentDepth: 1 })).toEqual([]);
  });
});

describe("gateway.tools", () => {
  const kinds = (gateway: unknown, hardening = reference) =>
    lines(found({ gateway }, { ...owner, surface: "http" }, hardening));

  test("a name that is not exact denies nothing in OpenClaw, and is mended", () => {
    const config = { gateway: { tools: { deny: ["Browser", "group:sessions", "kit", "tts"] } } };
    const slips = found(config);
    expect(lines(slips)).toEqual([
      "http-entry-not-exact gateway.tools.deny[0] Browser",
      "http-entry-not-exact gateway.tools.deny[1] group:sessions",
      "http-entry-not-exact gateway.tools.deny[2] kit",
    ]);
    expect(slips.every(({ failsOpen, enforced }) => failsOpen && !enforced)).toBe(true);
    expect(slips[0]?.fix).toEqual([{ op: "set", path: ["gateway", "tools", "deny", 0], value: "browser" }]);
    expect(found(config, owner, hardened).every(({ enforced }) => enforced)).toBe(true);
  });

  test("unknown names, in deny with the name that was meant, in allow as lifting nothing", () => {
    expect(found({ gateway: { tools: { deny: ["brwser"] } } })[0]).toMatchObject({
      kind: "deny-names-nothing",
      suggestion: "browser",
    });
    expect(kinds({ tools: { allow: ["tts"] } })).toEqual([
      "http-allow-lifts-nothing gateway.tools.allow[0] tts",
    ]);
    expect(kinds({ tools: { allow: ["Exec"] } })).toEqual([
      "http-allow-lifts-nothing gateway.tools.allow[0] Exec",
    ]);
  });

  test("lifted dangerous names, heavier on a gateway that others reach", () => {
    const allow = ["exec", "cron"];
    expect(kinds({ tools: { allow } })).toEqual(["http-lifts-dangerous gateway.tools.allow exec,cron"]);
    for (const other of [{ bind: "lan" }, { bind: "0.0.0.0" }, { tailscale: { mode: "funnel" } }])
      expect(kinds({ ...other, tools: { allow } })).toEqual([
        "http-lifts-exposed gateway.tools.allow exec,cron",
      ]);
    expect(kinds({ bind: "loopback", tools: { allow } })[0]).toContain("http-lifts-dangerous");
    const [slip] = found({ gateway: { tools: { allow } } });
    expect(applyEdits({ gateway: { tools: { allow } } }, slip?.fix ?? [])).toEqual({
      gateway: { tools: { allow: [] } },
    });
  });
});

test("an agent whose id an earlier one has is found, and a wide grant beside a provider's profile", () => {
  const config = {
    tools: { byProvider: { acme: { profile: "minimal", alsoAllow: ["*"] } } },
    agents: { list: [{ id: "Ops" }, { id: "a1" }, { id: " ops " }] },
  };
  expect(lines(found(config, { ...owner, provider: "acme" }))).toEqual([
    "wider-than-profile tools.byProvider.acme.alsoAllow[0] *",
    "duplicate-agent agents.list[2] ops",
  ]);
});

test("every kind has an English sentence with its place", () => {
  const config = {
    tools: { deny: ["group:fs", "read"] },
    gateway: { bind: "lan", tools: { allow: ["exec", "tts"], deny: ["Browser"] } },
    agents: { list: [{ id: "a1" }, { id: "a1" }] },
  };
  for (const finding of found(config)) {
    const text = describeFinding(finding);
    expect(text).toContain(finding.path);
    expect(text).not.toContain("undefined");
  }
});

describe("everyFinding", () => {
  const every = (config: unknown, skillsOf: (agentId: string) => SkillTools[] = () => []) =>
    lines(
      finish(
        everyFinding(compilePolicy(config, { hardening: reference }), { toolsOf: () => tools, skillsOf }),
      ),
    );

  test("finds slips of every agent, model, group, sandbox and sub-agent, each once", () => {
    const config = {
      tools: {
        deny: ["exce"],
        sandbox: { tools: { allow: ["read", "writ"] } },
        subagents: { tools: { deny: ["cronn"] } },
        byProvider: { acme: { deny: ["brwser"] } },
      },
      agents: {
        list: [
          { id: "a1" },
          { id: "a2", tools: { deny: ["nodez"], byProvider: { weak: { deny: ["canvaz"] } } } },
        ],
      },
      channels: { telegram: { groups: { g: { tools: { deny: ["ttz"] } } } } },
    };
    expect(every(config).toSorted()).toEqual(
      [
        "deny-names-nothing agents.list[1].tools.byProvider.weak.deny[0] canvaz",
        "deny-names-nothing agents.list[1].tools.deny[0] nodez",
        "deny-names-nothing channels.telegram.groups.g.tools.deny[0] ttz",
        "deny-names-nothing tools.byProvider.acme.deny[0] brwser",
        "deny-names-nothing tools.deny[0] exce",
        "deny-names-nothing tools.subagents.tools.deny[0] cronn",
        "unknown-entry tools.sandbox.tools.allow[1] writ",
      ].toSorted(),
    );
  });

  test("does not hold against a shared list what only one agent has no use for", () => {
    const list = [{ id: "a1", tools: { profile: "minimal" } }, { id: "a2" }];
    const shared = { tools: { allow: ["session_status", "exec"] } };
    expect(every({ ...shared, agents: { list } })).toEqual([]);
    const [first] = list;
    expect(every({ ...shared, agents: { list: [first] } })).toEqual([
      "unreachable-entry tools.allow[1] exec",
    ]);
  });

  test("names the skills of each agent that have no tool left", () => {
    const config = { agents: { list: [{ id: "a1" }, { id: "a2", tools: { deny: ["cron"] } }] } };
    const skills = [{ name: "tidy", tools: ["cron"] }];
    expect(every(config, () => skills)).toEqual(["skill-without-tools tidy cron"]);
    expect(every(config, (agentId) => (agentId === "a1" ? skills : []))).toEqual([]);
  });
});
