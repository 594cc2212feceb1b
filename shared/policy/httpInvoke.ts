/** What `POST /tools/invoke` answers before a tool runs (policy §15). Pure; the Gateway acts on the decision. */

import type { CompiledPolicy } from "./compile.ts";
import { asRecord, getString } from "./configRecord.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { defaultAgentId, mainSessionKey } from "./scopes.ts";
import type { PolicyContext, RegisteredTool } from "./types.ts";

/** How the caller showed who it is. */
export type HttpCaller =
  | { kind: "rejected" }
  /** Token or password: all scopes, owner. */
  | { kind: "secret" }
  /** No secret is asked for (auth mode none, trusted proxy): scopes as the request claims them. */
  | { kind: "scoped"; scopes: readonly string[] };

export interface HttpInvokeRequest {
  method: string;
  caller: HttpCaller;
  /** The parsed body; undefined when it is absent or no JSON. */
  body: unknown;
  /** `x-openclaw-message-channel` and `x-openclaw-account-id`. */
  channel?: string;
  accountId?: string;
  /** Stored depth of the session, if it is a known sub-agent. */
  spawnDepth?: number;
}

export type HttpErrorType = "unauthorized" | "forbidden" | "invalid_request_error" | "not_found";

export interface HttpAsked {
  tool: string;
  args: Record<string, unknown>;
  context: PolicyContext;
}

export type HttpInvokeDecision =
  | (HttpAsked & { reachable: true; action?: string })
  | {
      reachable: false;
      status: 400 | 401 | 403 | 404 | 405;
      errorType?: HttpErrorType;
      message: string;
      /** With 404: what was asked for, for the ledger. */
      asked?: HttpAsked;
    };

/**
 * Decides whether a request reaches a tool. The answer for a hidden tool and for one that does not exist is the same.
 * @param toolsFor registered tools with what is absent in a context; what the surface does not offer is left out here
 */
export function decideHttpInvoke(
  compiled: CompiledPolicy,
  request: HttpInvokeRequest,
  toolsFor: (context: PolicyContext) => readonly RegisteredTool[],
): HttpInvokeDecision {
  if (request.method.toUpperCase() !== "POST") {
    return { reachable: false, status: 405, message: "Only POST is answered here." };
  }
  const { caller } = request;
  if (caller.kind === "rejected") {
    return { reachable: false, status: 401, errorType: "unauthorized", message: "Unauthorized" };
  }
  const scopes = caller.kind === "scoped" ? new Set(caller.scopes.map((scope) => scope.trim())) : undefined;
  const isAdmin = scopes === undefined || scopes.has("operator.admin");
  if (!isAdmin && scopes?.has("operator.write") !== true) {
    return {
      reachable: false,
      status: 403,
      errorType: "forbidden",
      message: "missing scope: operator.write",
    };
  }
  const body = asRecord(request.body);
  const tool = getString(body, "tool")?.trim() ?? "";
  if (body === undefined || tool === "") {
    const message = "The body must be a JSON object that names a tool.";
    return { reachable: false, status: 400, errorType: "invalid_request_error", message };
  }
  const context = httpContext(compiled, request, isAdmin, getString(body, "sessionKey"));
  const asked: HttpAsked = { tool, args: { ...(asRecord(body.args) ?? {}) }, context };
  if (!evaluatePolicy(compiled, context, toolsFor(context)).tools.includes(tool)) {
    const message = `Tool not available: ${tool}`;
    return { reachable: false, status: 404, errorType: "not_found", message, asked };
  }
  const action = getString(body, "action");
  return { ...asked, reachable: true, ...(action === undefined ? {} : { action }) };
}

function httpContext(
  compiled: CompiledPolicy,
  request: HttpInvokeRequest,
  isOwner: boolean,
  rawSessionKey: string | undefined,
): PolicyContext {
  const given = rawSessionKey?.trim() ?? "";
  const isMain = given === "" || given === "main";
  return {
    surface: "http",
    sessionKey: isMain ? mainSessionKey(compiled.config, defaultAgentId(compiled.config)) : given,
    senderIsOwner: isOwner,
    ...(request.channel === undefined ? {} : { channel: request.channel }),
    ...(request.accountId === undefined ? {} : { accountId: request.accountId }),
    ...(request.spawnDepth === undefined ? {} : { spawnDepth: request.spawnDepth }),
  };
}
