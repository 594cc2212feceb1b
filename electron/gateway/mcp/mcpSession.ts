/** One MCP session: an MCP server that shows one client exactly its tools and passes its calls on. */

import { setMaxListeners } from "node:events";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { AppError, toWireError } from "../../../shared/errors/index.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import type { Caller, CallOptions, ToolListing, ToolSurface } from "../../runtime/runtimeTypes.ts";
import { approvalWaitInput, approvalWaitName, approvalWaitTool } from "./approvalWait.ts";
import { createCallTasks } from "./callTasks.ts";
import { JsonRpcError, toCallToolResult } from "./outcomes.ts";
import { createProgressReporter } from "./progress.ts";

export interface McpSessionDeps {
  tools: ToolSurface;
  /** Read anew for every request, because a mapping may change; null when the client was revoked. */
  caller: () => Caller | null;
  /** Called when the client has said who it is; gives back what to call when it goes. */
  connected: (about: { name: string; version: string } | null) => () => void;
  /** How long a call waits for a person before it answers `approval-pending`. */
  holdMs: () => number | null;
  version: string;
  logger: Logger;
}

export interface McpSession {
  server: Server;
  /** Serves this session over a transport. A transport that closes leaves waiting calls waiting (architecture 13). */
  connect(transport: Transport): Promise<void>;
  /** Ends what runs for this session; the server's transport closes with it. */
  close(): Promise<void>;
}

/** A handler that does not come to its end must not hold up a shutdown. */
const flushMs = 500;

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** @throws JsonRpcError when the client is revoked already */
export function createMcpSession(deps: McpSessionDeps): McpSession {
  const { tools: surface, logger } = deps;
  const ended = new AbortController();
  // Every call of the session listens to it; how many may run at once is bounded elsewhere.
  setMaxListeners(0, ended.signal);
  const answers = new Set<Promise<void>>();
  /** @returns what to call when the answer is given to the SDK for sending */
  const trackAnswer = (): (() => void) => {
    let answered = () => {};
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    answers.add(answer);
    void answer.then(() => answers.delete(answer));
    return answered;
  };
  const tasks = createCallTasks(logger);
  const { instructions } = surface.listTools(callerNow());
  const server = new Server(
    { name: "sallyport", title: "Sallyport", version: deps.version },
    {
      capabilities: {
        tools: { listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      taskStore: tasks.store,
      ...(instructions === "" ? {} : { instructions }),
    },
  );

  function callerNow(): Caller {
    const caller = deps.caller();
    if (caller === null) {
      throw new JsonRpcError(
        ErrorCode.InvalidRequest,
        "This client's token was revoked. Ask the operator for a new one.",
      );
    }
    return caller;
  }

  server.setRequestHandler(ListToolsRequestSchema, () => {
    const caller = callerNow();
    const tools = surface.listTools(caller).tools.filter((tool) => tool.name !== approvalWaitName);
    const waits = surface.hasOpenApproval(caller.sessionKey);
    return { tools: [...tools.map(toMcpTool), ...(waits ? [approvalWaitTool] : [])] };
  });

  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const caller = callerNow();
    const { name, arguments: args = {}, task } = request.params;
    const run = (options: CallOptions) => callTool(surface, caller, name, args, options);
    if (task !== undefined && extra.taskStore !== undefined && isListed(surface, caller, name)) {
      return tasks.start(extra.taskStore, task.ttl, ({ signal, onProgress }) =>
        run({ signal, detached: ended.signal, onProgress, holdMs: null }),
      );
    }
    const progress = progressOf(extra, logger);
    const answered = trackAnswer();
    try {
      return await run({
        signal: extra.signal,
        detached: ended.signal,
        ...(progress === null ? {} : { onProgress: progress.report }),
        holdMs: deps.holdMs(),
      });
    } catch (error) {
      throw asJsonRpcError(error, logger);
    } finally {
      progress?.stop();
      answered();
    }
  });

  const offListChanged = surface.onListChanged((sessionKey) => {
    const caller = deps.caller();
    if (caller === null || (sessionKey !== null && sessionKey !== caller.sessionKey)) return;
    server.sendToolListChanged().catch((error: unknown) => logger.debug("mcp.listChangedNotSent", { error }));
  });

  let disconnected = () => {};
  server.oninitialized = () => {
    const about = server.getClientVersion();
    disconnected = deps.connected(about === undefined ? null : { name: about.name, version: about.version });
  };
  const end = () => {
    ended.abort();
    tasks.close();
    offListChanged();
    disconnected();
    disconnected = () => {};
  };
  server.onclose = end;

  return {
    server,
    connect(transport) {
      // The SDK aborts its handlers when the transport closes; by then the surface must know that nobody cancelled.
      transport.onclose = () => ended.abort();
      return server.connect(transport);
    },
    async close() {
      end();
      // What was held gets its answer before the connection goes: else its client waits for its own time-out.
      await Promise.race([Promise.all(answers), delay(flushMs)]);
      await delay(0);
      await server.close();
    },
  };
}

async function callTool(
  surface: ToolSurface,
  caller: Caller,
  name: string,
  args: unknown,
  options: CallOptions,
): Promise<CallToolResult> {
  if (name !== approvalWaitName || !surface.hasOpenApproval(caller.sessionKey)) {
    return toCallToolResult(await surface.callTool(caller, name, args, options));
  }
  const input = approvalWaitInput.safeParse(args);
  if (!input.success) {
    const issues = input.error.issues.map((issue) => ({
      path: issue.path.join("."),
      message: issue.message,
    }));
    return toCallToolResult({ kind: "invalid", tool: name, issues });
  }
  const { approvalId, waitMs } = input.data;
  const holdMs = waitMs ?? options.holdMs;
  return toCallToolResult(await surface.waitApproval(caller, approvalId, { ...options, holdMs }));
}

/** Whether a task may be made of the call; anything else takes the plain way and gets its plain answer. */
function isListed(surface: ToolSurface, caller: Caller, name: string): boolean {
  if (name === approvalWaitName) return surface.hasOpenApproval(caller.sessionKey);
  return surface.listTools(caller).tools.some((tool) => tool.name === name);
}

function toMcpTool(tool: ToolListing): Tool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { type: "object", ...tool.inputSchema } as Tool["inputSchema"],
    annotations: { readOnlyHint: tool.risk === "read", destructiveHint: tool.risk === "execute" },
    execution: { taskSupport: "optional" },
  };
}

function progressOf(extra: Extra, logger: Logger) {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return null;
  return createProgressReporter((progress, message) => {
    extra
      .sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch((error: unknown) => logger.debug("mcp.progressNotSent", { error }));
  });
}

function asJsonRpcError(error: unknown, logger: Logger): unknown {
  if (error instanceof JsonRpcError) return error;
  const logId = crypto.randomUUID();
  if (!(error instanceof AppError)) logger.error("mcp.callFailed", { logId, error });
  const wire = toWireError(error, logId);
  if (wire.code === "NOT_FOUND") return new JsonRpcError(ErrorCode.InvalidParams, wire.message);
  return new JsonRpcError(ErrorCode.InternalError, wire.message);
}
