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
