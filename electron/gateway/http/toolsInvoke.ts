/** `POST /tools/invoke`: one tool call over HTTP, in OpenClaw's form, on the same path as every other call. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../../shared/errors/index.ts";
import { asRecord } from "../../../shared/policy/configRecord.ts";
import {
  type HttpAsked,
  type HttpCaller,
  type HttpInvokeDecision,
  type PolicyContext,
  resolveAgentId,
} from "../../../shared/policy/index.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import type { Caller, CallOutcome, HttpSettings, Runtime } from "../../runtime/runtimeTypes.ts";
import { objectionTo } from "../execAncestry.ts";
import { createAuthLimiter } from "./authLimiter.ts";
import { bearerToken, equalSecrets } from "./guard.ts";
import { readBody } from "./readBody.ts";
import { sendJson, sendText } from "./respond.ts";

export const toolsInvokePath = "/tools/invoke";
const limits = { maxBytes: 2_097_152, timeoutMs: 30_000 };
/** As everywhere in the contract: each call, and what watches its session, keeps the key. */
const maxSessionKeyChars = 512;
/** Details of a failure inside a tool stay in the log. */
const failedText = "tool execution failed";

export interface ToolsInvoke {
  /** Host and Origin are checked by then, whatever the auth mode: a web page must not be able to post here. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** @see gateway-sessions-nodes.md §3 for the order of the checks */
export function createToolsInvoke(deps: {
  runtime: Pick<Runtime, "tools" | "decideHttp" | "gatewaySettings">;
  logger: Logger;
  clock: Clock;
}): ToolsInvoke {
  const { runtime, logger } = deps;
  const limiter = createAuthLimiter({ clock: deps.clock });

  /** @returns null when the answer was given already */
  const authenticate = (
    request: IncomingMessage,
    response: ServerResponse,
    settings: HttpSettings,
  ): HttpCaller | null => {
    const { auth, rateLimit } = settings;
    if (auth.kind === "open") return { kind: "scoped", scopes: scopesOf(request) };
    const address = request.socket.remoteAddress ?? "";
    const lockedForMs = limiter.lockedForMs(address, rateLimit);
    if (lockedForMs !== null) {
      response.setHeader("Retry-After", String(Math.ceil(lockedForMs / 1000)));
      refuse(
        response,
        429,
        "rate_limited",
        "Too many failed authentication attempts. Please try again later.",
      );
      return null;
    }
    const token = bearerToken(request);
    if (auth.kind === "secret" && token !== null && equalSecrets(token, auth.secret)) {
      limiter.succeeded(address);
      return { kind: "secret" };
    }
    if (token !== null) limiter.failed(address, rateLimit);
    refuse(response, 401, "unauthorized", "Unauthorized");
    return null;
  };

  const invoke = async (
    decision: Extract<HttpInvokeDecision, { reachable: true }>,
    response: ServerResponse,
  ): Promise<void> => {
    const { tool, action, context } = decision;
    const caller = callerOf(context);
    const args = { ...decision.args };
    if (action !== undefined && !Object.hasOwn(args, "action") && hasAction(runtime, caller, tool))
      args.action = action;
    const left = new AbortController();
    const onClose = () => left.abort();
    response.once("close", onClose);
    // Nobody could fetch the outcome later over this surface, so a call that waits for a person is held to its end.
    const outcome = await runtime.tools.callTool(caller, tool, args, { signal: left.signal, holdMs: null });
    response.off("close", onClose);
    const { status, body } = answerOf(outcome);
    sendJson(response, status, body);
  };

  /** A call for a tool that is not offered here is in the ledger as on every other surface, with the rule behind it. */
  const recordRefusal = async (asked: HttpAsked | undefined): Promise<void> => {
    if (asked === undefined) return;
    const { tool, args, context } = asked;
    const signal = new AbortController().signal;
    await runtime.tools.callTool(callerOf(context), tool, args, { signal, holdMs: null, isRefused: true });
  };

  return {
    async handle(request, response) {
      if (request.method !== "POST") {
        response.setHeader("Allow", "POST");
        return sendText(response, 405, "Method Not Allowed");
      }
      const { http } = runtime.gatewaySettings();
      if (http.strictTransportSecurity !== null)
        response.setHeader("Strict-Transport-Security", http.strictTransportSecurity);
      const caller = authenticate(request, response, http);
      if (caller === null) return;
      const headers = {
        ...optional("channel", headerOf(request, "x-openclaw-message-channel")),
        ...optional("accountId", headerOf(request, "x-openclaw-account-id")),
      };
      const decide = (body: unknown) => runtime.decideHttp({ method: "POST", caller, body, ...headers });
      // Scopes come before the body: a caller without them is not worth reading.
      const early = decide(undefined);
      if (!early.reachable && early.status === 403) return refuseDecision(response, early);
      // An agent's command that found the operator's secret must not act as the owner.
      const objection = await objectionTo(request, "program");
      if (objection !== null)
        return sendJson(response, 403, { ok: false, error: { type: "forbidden", message: objection } });
      const body = await readBody(request, limits);
      if (body.kind === "gone") return;
      if (body.kind === "tooLarge")
        return refuse(response, 413, "invalid_request_error", "Payload too large");
      if (body.kind === "timeout")
        return refuse(response, 408, "invalid_request_error", "Request body timeout");
      let parsed: unknown;
      try {
        parsed = body.text.trim() === "" ? {} : JSON.parse(body.text);
      } catch (error) {
        return refuse(response, 400, "invalid_request_error", messageOf(error));
      }
      if (hasLongSessionKey(parsed)) {
        const message = `sessionKey has at most ${maxSessionKeyChars} characters.`;
        return refuse(response, 400, "invalid_request_error", message);
      }
      const decision = decide(parsed);
      if (!decision.reachable) {
        logger.info("http.invokeRefused", { status: decision.status, type: decision.errorType });
        await recordRefusal(decision.asked);
        return refuseDecision(response, decision);
      }
      await invoke(decision, response);
    },
  };
}

function callerOf({ sessionKey = "", senderIsOwner, channel, accountId }: PolicyContext): Caller {
  return {
    id: "http",
    label: "HTTP client",
    agentId: resolveAgentId(undefined, sessionKey) ?? "main",
    sessionKey,
    isOwner: senderIsOwner === true,
    provider: null,
    model: null,
    surface: "http",
    ...optional("channel", channel),
    ...optional("accountId", accountId),
  };
}

function refuseDecision(
  response: ServerResponse,
  { status, errorType, message }: Extract<HttpInvokeDecision, { reachable: false }>,
): void {
  const type = errorType ?? "invalid_request_error";
  // Errors that are found before the tool is looked up have no `ok`, but for the missing scope.
  if (status === 400 || status === 401) refuse(response, status, type, message);
  else sendJson(response, status, { ok: false, error: { type, message } });
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { error: { message, type } });
}

interface HttpAnswer {
  status: number;
  body: unknown;
}

/** How the end of a call reads over HTTP. */
export function answerOf(outcome: CallOutcome): HttpAnswer {
  switch (outcome.kind) {
    case "unknownTool":
      return failure(404, "not_found", `Tool not available: ${outcome.tool}`);
    case "invalid":
      return failure(
        400,
        "tool_error",
        outcome.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
      );
    case "result": {
      const { content, details, isError } = outcome;
      const thrown = isError ? thrownBy(details) : null;
      if (thrown !== null) return failureOf(thrown);
      return {
        status: 200,
        body: { ok: true, result: { content, ...(details === undefined ? {} : { details }) } },
      };
    }
    case "refused":
      return failure(403, "tool_call_blocked", outcome.text);
    // A wait without end gives no `pending`, and a cancelled call has nobody to read the answer.
    case "pending":
    case "cancelled":
      return failure(500, "tool_error", failedText);
  }
}

function failure(status: number, type: string, message: string): HttpAnswer {
  return { status, body: { ok: false, error: { type, message } } };
}

/** What the call life cycle notes about an error that a tool threw; other error results are answers of the tool. */
function thrownBy(details: unknown): { code: string; message: string } | null {
  const { status, code, error } = (details ?? {}) as { status?: unknown; code?: unknown; error?: unknown };
  return status === "error" && typeof code === "string" ? { code, message: String(error) } : null;
}

function failureOf({ code, message }: { code: string; message: string }): HttpAnswer {
  if (code === "INVALID_INPUT") return failure(400, "tool_error", message);
  if (code === "FORBIDDEN" || code === "POLICY_DENIED") return failure(403, "tool_error", message);
  return failure(500, "tool_error", failedText);
}

function hasLongSessionKey(body: unknown): boolean {
  const { sessionKey } = asRecord(body) ?? {};
  return typeof sessionKey === "string" && sessionKey.trim().length > maxSessionKeyChars;
}

function hasAction(runtime: Pick<Runtime, "tools">, caller: Caller, tool: string): boolean {
  const schema = runtime.tools.listTools(caller).tools.find((each) => each.name === tool)?.inputSchema;
  const properties = schema?.properties;
  return typeof properties === "object" && properties !== null && Object.hasOwn(properties, "action");
}

function scopesOf(request: IncomingMessage): string[] {
  return (headerOf(request, "x-openclaw-scopes") ?? "")
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const text = (Array.isArray(value) ? value.join(",") : value)?.trim();
  return text === "" ? undefined : text;
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}
