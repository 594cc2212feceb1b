/** The recorded pipelines answered by the running app over its Gateway, and recorded requests sent to its HTTP port. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWarningMemory } from "../../../shared/policy/strip.ts";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { type RunningApp, startRunningApp } from "../runningApp.ts";
import { contextOf, type Json, readPolicyCases } from "./cases.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await startRunningApp();
});
afterAll(() => app?.dispose());

const cases = readPolicyCases();

interface RecordedTools {
  coreTools?: string[];
  pluginTools?: { name: string; pluginId: string; optional?: boolean; ownerOnly?: boolean }[];
}

async function explain(input: Json): Promise<Json> {
  const { coreTools = [], pluginTools = [] } = input as RecordedTools;
  const result = await app.rpc.call("policy.explain", {
    preset: "reference",
    config: input.config,
    context: contextOf(input) as PolicyContext & { surface: "model" },
    tools: { coreTools, pluginTools },
  });
  return {
    agentId: result.agentId,
    profile: result.profile,
    providerProfile: result.providerProfile,
    preFilters: result.preFilters,
    stages: result.stages.map(({ label, removed, surviving }) => ({ label, removed, surviving })),
    tools: result.tools,
    warnings: createWarningMemory().admit(result.warnings),
  };
}

describe("policy pipeline over the Gateway", () => {
  test.each(cases.filter((one) => one.kind === "pipeline"))("$id: $why", async (one) => {
    const answer = await explain(one.input);
    const compared = Object.fromEntries(Object.keys(one.expect).map((field) => [field, answer[field]]));
    expect(compared).toStrictEqual(one.expect);
  });
});

interface HttpInput extends Json {
  config: { gateway?: { auth?: Json } };
  body?: unknown;
  method?: string;
  auth?: boolean;
  authMode?: string;
  scopes?: string | string[];
  headers?: Record<string, string>;
}

/** Writes the recorded config with a token of its own, so that the connection of the test is not cut. */
async function send(input: HttpInput): Promise<Response> {
  const { config, authMode } = input;
  const token = app.token;
  const mode = authMode ?? "token";
  await app.writeConfig({
    ...config,
    gateway: { ...config.gateway, auth: { ...config.gateway?.auth, mode, token } },
  });
  const scopes = Array.isArray(input.scopes) ? input.scopes.join(",") : input.scopes;
  const headers = {
    "content-type": "application/json",
    ...(scopes === undefined ? {} : { "x-openclaw-scopes": scopes }),
    ...(input.auth === false || mode === "none" ? {} : { authorization: `Bearer ${token}` }),
    ...input.headers,
  };
  const method = input.method ?? "POST";
  return fetch(`${app.url}/tools/invoke`, {
    method,
    headers,
    ...(method === "GET" ? {} : { body: JSON.stringify(input.body ?? {}) }),
  });
}

describe("policy http-invoke over HTTP", () => {
  test.each(cases.filter((one) => one.kind === "http-invoke"))("$id: $why", async (one) => {
    const input = one.input as HttpInput;
    const response = await send(input);
    const text = await response.text();
    if (one.expect.reachable === true) {
      expect([401, 403, 404, 405], text).not.toContain(response.status);
      return;
    }
    expect(response.status, text).toBe(one.expect.status);
    if (one.expect.errorType !== undefined) expect(JSON.parse(text).error.type).toBe(one.expect.errorType);
  });

  test("a tool that is built is reached, and what it answers comes back", async () => {
    const response = await send({ config: {}, body: { tool: "session_status", args: {} } });
    expect(response.status).toBe(200);
    const { ok, result } = (await response.json()) as { ok: boolean; result: { content: unknown[] } };
    expect(ok).toBe(true);
    expect(result.content).toHaveLength(1);
  });
});

describe("policy agents-list over HTTP", () => {
  test.each(cases.filter((one) => one.kind === "agents-list"))("$id: $why", async (one) => {
    const { config, agentId } = one.input as { config: HttpInput["config"]; agentId: string };
    const body = { tool: "agents_list", args: {}, sessionKey: `agent:${agentId}:main` };
    const response = await send({ config, body });
    const { result } = (await response.json()) as { result: { details: unknown } };
    expect(result.details).toStrictEqual(one.expect);
  });
});

describe("policy config-validate over the Gateway", () => {
  test.each(cases.filter((one) => one.kind === "config-validate"))("$id: $why", async (one) => {
    const { valid, issues } = await app.rpc.call("config.validate", {
      raw: JSON.stringify(one.input.config),
    });
    const issuePaths = issues.map((issue) => issue.configPath);
    expect({ valid, issuePaths }).toStrictEqual(one.expect);
  });
});

describe("policy availability over the Gateway", () => {
  interface Availability extends Json {
    config: unknown;
    workspaceAccess?: string;
    trigger?: string;
  }
  /** Memory runs are made by an agent loop; nobody can ask for one over the Gateway. */
  const asked = cases.filter((one) => one.kind === "availability" && one.input.trigger === undefined);
  test.each(asked)("$id: $why", async (one) => {
    const { config, workspaceAccess, ...context } = one.input as Availability;
    const { trace } = await app.rpc.call("policy.trace", {
      preset: "reference",
      config:
        workspaceAccess === undefined
          ? config
          : { ...(config as Json), agents: { defaults: { sandbox: { workspaceAccess } } } },
      context: { sandboxed: false, ...context, surface: "model" },
    });
    const rows = new Map(trace.rows.map((row) => [row.name, row.verdict.kind]));
    const { present } = one.expect as { present: string[] };
    // The recording covers what the expectations of this kind name.
    const covered = new Set(asked.flatMap((other) => (other.expect as { present: string[] }).present));
    const there = [...covered].filter((name) => rows.get(name) !== "absent" && rows.has(name));
    expect(there.sort()).toStrictEqual([...present].sort());
  });
});

describe("policy catalog over the Gateway", () => {
  test.each(cases.filter((one) => one.kind === "catalog"))("$id: $why", async (one) => {
    await app.writeConfig({
      ...(one.input.config as Json),
      gateway: { auth: { mode: "token", token: app.token } },
    });
    const { groups, profiles } = await app.rpc.call("tools.catalog", { includePlugins: false });
    const { sections, profiles: profileIds } = one.expect as { sections: unknown; profiles: unknown };
    expect(profiles.map((profile) => profile.id)).toStrictEqual(profileIds);
    const answered = groups.map(({ id, label, tools }) => ({
      id,
      label,
      tools: (tools as { id: string; defaultProfiles: string[] }[]).map((tool) => ({
        id: tool.id,
        profiles: tool.defaultProfiles,
      })),
    }));
    expect(answered).toStrictEqual(sections);
  });
});
