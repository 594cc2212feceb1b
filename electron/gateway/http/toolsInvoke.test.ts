/** `POST /tools/invoke` over real HTTP: the order of the checks, the envelopes, the limits. */

import http from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compilePolicy, decideHttpInvoke, type RegisteredTool } from "../../../shared/policy/index.ts";
import { createManualClock } from "../../runtime/clock.ts";
import { silentLogger } from "../../runtime/logging/logger.ts";
import type { Caller, CallOutcome, HttpSettings } from "../../runtime/runtimeTypes.ts";
import { createGateway, type Gateway } from "../createGateway.ts";
import {
  createFakeRuntime,
  type FakeRuntime,
  fixtureListing,
  operatorToken,
} from "../testing/fakeRuntime.ts";
import { createAuthLimiter } from "./authLimiter.ts";

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
  json: { ok?: boolean; error?: { type: string; message: string }; result?: unknown };
}

const registered: RegisteredTool[] = [
  { name: "cron", owner: { kind: "core" } },
  { name: "agents_list", owner: { kind: "core" } },
  { name: "exec", owner: { kind: "core" } },
  { name: "echo", owner: { kind: "plugin", pluginId: "fixture" } },
];

let runtime: FakeRuntime;
let gateway: Gateway;
let settings: HttpSettings;
let config: unknown;
let calls: { caller: Caller; tool: string; args: unknown }[];

beforeEach(async () => {
  runtime = createFakeRuntime();
  settings = {
    auth: { kind: "secret", secret: operatorToken },
    rateLimit: null,
    strictTransportSecurity: null,
  };
  config = {};
  calls = [];
  runtime.gatewaySettings = () => ({ port: 0, holdMs: 200, operatorToken, http: settings });
  runtime.decideHttp = (request) =>
    decideHttpInvoke(compilePolicy(config, { hardening: new Set() }), request, () => registered);
  runtime.visible.set("agents_list", fixtureListing("agents_list"));
  const pass = runtime.onCall;
  runtime.onCall = (caller, tool, args, options) => {
    calls.push({ caller, tool, args });
    return pass(caller, tool, args, options);
  };
  gateway = await createGateway({
    runtime,
    panelDir: null,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 0,
    version: "0.0.1",
  });
});
afterEach(() => gateway.close());

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Record<string, unknown> | unknown[];
  /** undefined: the right one; null: none. */
  token?: string | null;
}

function send({ method = "POST", headers = {}, body, token = operatorToken }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: "127.0.0.1",
        port: gateway.port,
        path: "/tools/invoke",
        method,
        agent: false,
        headers: {
          "content-type": "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: text,
            json: isJson ? JSON.parse(text) : {},
          });
        });
      },
    );
    request.on("error", reject);
    request.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
  });
}

describe("the order of the checks", () => {
  it("refuses other methods before it asks who is calling", async () => {
    const answer = await send({ method: "GET", token: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe("POST");
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it.each([[null], ["wrong"]])(
    "answers 401 without `ok` for the token %s, before it reads the body",
    async (token) => {
      const answer = await send({ token, body: "{bad" });
      expect(answer.status).toBe(401);
      expect(answer.json).toEqual({ error: { message: "Unauthorized", type: "unauthorized" } });
    },
  );

  it("answers 400 without `ok` for a body that is no JSON, is empty, is a list, or names no tool", async () => {
    for (const body of ["{bad", "", [], {}, { tool: "  " }, { tool: 5 }]) {
      const answer = await send({ body });
      expect(answer.status).toBe(400);
      expect(answer.json.error?.type).toBe("invalid_request_error");
      expect(answer.json.error?.message).not.toBe("");
      expect(answer.json).not.toHaveProperty("ok");
    }
  });

  it("takes no session key that would be kept as a text of its own", async () => {
    const answer = await send({ body: { tool: "agents_list", sessionKey: "k".repeat(600) } });
    expect(answer.status).toBe(400);
    expect(answer.json.error?.message).toContain("at most 512 characters");
    expect(calls).toEqual([]);
  });

  it("gives one answer for a tool that is denied, hidden, of another surface or unknown", async () => {
    config = { gateway: { tools: { deny: ["agents_list"] } } };
    for (const tool of ["agents_list", "cron", "exec", "nothing", "Echo", "__proto__"]) {
      const answer = await send({ body: { tool } });
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual({
        ok: false,
        error: { type: "not_found", message: `Tool not available: ${tool}` },
      });
    }
    expect(calls).toEqual([]);
  });

  it("refuses a page of another origin even when no secret is asked for", async () => {
    settings = { ...settings, auth: { kind: "open" } };
    const answer = await send({
      token: null,
      headers: { origin: "http://evil.example", "x-openclaw-scopes": "operator.admin" },
      body: { tool: "echo" },
    });
    expect(answer.status).toBe(403);
    expect(calls).toEqual([]);
  });

  it("sets the base headers on every answer, and strict transport security when configured", async () => {
    settings = { ...settings, strictTransportSecurity: "max-age=1" };
    for (const sent of [{ token: null }, { body: { tool: "echo" } }, { body: { tool: "nothing" } }]) {
      const { headers } = await send(sent);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["permissions-policy"]).toBe("camera=(), microphone=(), geolocation=()");
      expect(headers["strict-transport-security"]).toBe("max-age=1");
    }
  });
});

describe("the call", () => {
  it("goes the way of every call, as owner of the main session", async () => {
    const answer = await send({ body: { tool: " echo ", args: { a: 1 } } });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ok: true,
      result: { content: [{ type: "text", text: 'echo {"a":1}' }], details: { got: { a: 1 } } },
    });
    expect(calls[0]?.caller).toMatchObject({
      id: "http",
      agentId: "main",
      sessionKey: "agent:main:main",
      isOwner: true,
      surface: "http",
    });
  });

  it("takes session key, channel and account from the request, and arguments only as an object", async () => {
    await send({
      headers: { "x-openclaw-message-channel": "telegram", "x-openclaw-account-id": "work" },
      body: { tool: "echo", args: [1], sessionKey: "agent:Support:x", dryRun: true, more: 1 },
    });
    expect(calls[0]?.args).toEqual({});
    expect(calls[0]?.caller).toMatchObject({
      agentId: "support",
      sessionKey: "agent:Support:x",
      channel: "telegram",
      accountId: "work",
    });
  });

  it("copies `action` only where the schema has it and the arguments do not", async () => {
    await send({ body: { tool: "echo", action: "go" } });
    runtime.visible.set("echo", {
      ...fixtureListing("echo"),
      inputSchema: { type: "object", properties: { action: { type: "string" } } },
    });
    await send({ body: { tool: "echo", action: "go" } });
    await send({ body: { tool: "echo", action: "go", args: { action: "stay" } } });
    expect(calls.map((call) => call.args)).toEqual([{}, { action: "go" }, { action: "stay" }]);
  });

  const thrown = (code: string): CallOutcome => ({
    kind: "result",
    toolCallId: "c",
    content: [{ type: "text", text: "secret detail" }],
    details: { status: "error", tool: "echo", code, error: "secret detail" },
    isError: true,
  });
  it.each<[string, CallOutcome, number, string, string]>([
    ["a hidden tool", { kind: "unknownTool", tool: "echo" }, 404, "not_found", "Tool not available: echo"],
    [
      "bad arguments",
      { kind: "invalid", tool: "echo", issues: [{ path: "a", message: "Expected text" }] },
      400,
      "tool_error",
      "a: Expected text",
    ],
    ["an input error of the tool", thrown("INVALID_INPUT"), 400, "tool_error", "secret detail"],
    ["a refusal by the tool", thrown("FORBIDDEN"), 403, "tool_error", "secret detail"],
    ["a failure of the tool", thrown("TOOL_FAILED"), 500, "tool_error", "tool execution failed"],
    ["a failure of ours", thrown("INTERNAL"), 500, "tool_error", "tool execution failed"],
    [
      "a person's refusal",
      { kind: "refused", toolCallId: "c", text: "Denied by the operator.", details: {} },
      403,
      "tool_call_blocked",
      "Denied by the operator.",
    ],
  ])("answers %s with its own status", async (_what, outcome, status, type, message) => {
    runtime.onCall = async () => outcome;
    const answer = await send({ body: { tool: "echo" } });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ ok: false, error: { type, message } });
  });

  it("waits for a person to the end, and cancels the call when the client goes away", async () => {
    let held: number | null | undefined;
    const cancelled = new Promise<void>((resolve) => {
      runtime.onCall = (_caller, _tool, _args, { signal, holdMs }) => {
        held = holdMs;
        return new Promise((done) => {
          signal.addEventListener("abort", () => {
            resolve();
            done({ kind: "cancelled", toolCallId: "c" });
          });
          request.destroy();
        });
      };
    });
    const request = http.request({
      host: "127.0.0.1",
      port: gateway.port,
      path: "/tools/invoke",
      method: "POST",
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    request.on("error", () => {
      // The test itself cut the connection.
    });
    request.end('{"tool":"echo"}');
    await cancelled;
    expect(held).toBeNull();
  });
});

describe("limits and modes", () => {
  it("refuses a body over 2 MiB", async () => {
    const big = JSON.stringify({ tool: "echo", args: { text: "x".repeat(2_097_152) } });
    // The connection may be cut while the client still sends; then there is no status to see.
    const status = await send({ body: big }).then(
      (answer) => answer.status,
      () => "cut",
    );
    expect([413, "cut"]).toContain(status);
    expect(calls).toEqual([]);
    const fits = JSON.stringify({ tool: "echo", args: { text: "x".repeat(2_097_000) } });
    expect((await send({ body: fits })).status).toBe(200);
  });

  it("takes scopes from the header only where no secret is asked for", async () => {
    const body = { tool: "echo" };
    expect((await send({ body, headers: { "x-openclaw-scopes": "operator.read" } })).status).toBe(200);
    settings = { ...settings, auth: { kind: "open" } };
    const weak = await send({ body: "{bad", token: null, headers: { "x-openclaw-scopes": "operator.read" } });
    expect(weak.status).toBe(403);
    expect(weak.json).toEqual({
      ok: false,
      error: { type: "forbidden", message: "missing scope: operator.write" },
    });
    const able = await send({ body, token: null, headers: { "x-openclaw-scopes": "operator.write" } });
    expect(able.status).toBe(200);
    expect(calls.at(-1)?.caller.isOwner).toBe(false);
    const admin = "operator.write, operator.admin";
    await send({ body, token: null, headers: { "x-openclaw-scopes": admin } });
    expect(calls.at(-1)?.caller.isOwner).toBe(true);
  });

  it("lets nobody in under a mode that loopback cannot serve", async () => {
    settings = { ...settings, auth: { kind: "closed", mode: "trusted-proxy" } };
    expect((await send({ body: { tool: "echo" } })).status).toBe(401);
  });

  it("locks out after too many wrong secrets, even for the right one", async () => {
    settings = {
      ...settings,
      rateLimit: { maxAttempts: 2, windowMs: 60_000, lockoutMs: 60_000, exemptLoopback: false },
    };
    const body = { tool: "echo" };
    expect((await send({ body, token: null })).status).toBe(401);
    expect((await send({ body, token: "x" })).status).toBe(401);
    expect((await send({ body, token: "x" })).status).toBe(401);
    const locked = await send({ body });
    expect(locked.status).toBe(429);
    expect(locked.headers["retry-after"]).toBe("60");
    expect(locked.json.error?.type).toBe("rate_limited");
    settings = {
      ...settings,
      rateLimit: { maxAttempts: 2, windowMs: 60_000, lockoutMs: 60_000, exemptLoopback: true },
    };
    expect((await send({ body })).status).toBe(200);
  });
});

describe("the limiter", () => {
  const limit = { maxAttempts: 2, windowMs: 1000, lockoutMs: 5000, exemptLoopback: true };

  it("counts within the window only, locks for the given time, and forgets after a success", () => {
    const clock = createManualClock();
    const limiter = createAuthLimiter({ clock });
    limiter.failed("10.0.0.1", limit);
    clock.advance(1001);
    limiter.failed("10.0.0.1", limit);
    expect(limiter.lockedForMs("10.0.0.1", limit)).toBeNull();
    limiter.succeeded("10.0.0.1");
    limiter.failed("10.0.0.1", limit);
    expect(limiter.lockedForMs("10.0.0.1", limit)).toBeNull();
    limiter.failed("10.0.0.1", limit);
    expect(limiter.lockedForMs("10.0.0.1", limit)).toBe(5000);
    expect(limiter.lockedForMs("10.0.0.2", limit)).toBeNull();
    clock.advance(5000);
    expect(limiter.lockedForMs("10.0.0.1", limit)).toBeNull();
  });

  it("leaves loopback alone unless told otherwise", () => {
    const limiter = createAuthLimiter({ clock: createManualClock() });
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      limiter.failed(address, limit);
      limiter.failed(address, limit);
      expect(limiter.lockedForMs(address, limit)).toBeNull();
    }
  });
});
