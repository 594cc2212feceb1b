/** One live connection to a foreign MCP server: handshake, list of tools, calls. Ends for good when it closes. */

import { setMaxListeners } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Reason } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { maxToolsPerServer } from "./definitions.ts";
import { floodGuard, maxMessagesPerSecond } from "./floodGuard.ts";
import { createHttpTransport } from "./httpTransport.ts";
import { plainLine } from "./plainText.ts";
import { mcpProblem, reasonOf } from "./problems.ts";
import type { StartPlan } from "./resolveSpec.ts";
import { callResultSchema, type RawCallResult } from "./results.ts";
import { createStdioTransport, type OwnedTransport } from "./stdioTransport.ts";

export interface Connection {
  /** Of the child process; null for an address. */
  readonly pid: number | null;
  /** What the server says about itself: cut and cleaned. */
  readonly reportedName: string;
  readonly reportedVersion: string;
  /** All pages, bounded. @throws AppError with a reason, also when the server takes too long */
  listTools(): Promise<{ raw: unknown[]; isCut: boolean }>;
  /** @throws AppError TIMEOUT or UNAVAILABLE; McpError for what the server answers; the signal's reason on abort */
  callTool(
    remoteName: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; onProgress: (progress: ProgressText) => void },
  ): Promise<RawCallResult>;
  /** Resolves with why it closed; `null` when it was ended on purpose. */
  readonly closed: Promise<Reason | null>;
  end(): Promise<void>;
}

export interface ProgressText {
  progress: number;
  total: number | undefined;
  message: string | undefined;
}

export interface ConnectOptions {
  version: string;
  /** For everything up to the first list of tools, and for each later list. */
  timeoutMs: number;
  signal: AbortSignal;
  onStderr(text: string): void;
  /** The server says that its tools changed; not called before the first list is asked for. */
  onToolsChanged(): void;
}

/** Without progress for so long a call ends; with progress it may go on up to the second bound. */
export const callIdleMs = 600_000;
const callTotalMs = 6 * 3_600_000;
const maxPages = 50;
/** Of all definitions together, as JSON. */
const maxListChars = 4 * 1024 * 1024;

const toolsPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().max(4096).optional(),
});

/** @throws AppError with a reason when no connection comes about; nothing of the server is left then */
export async function connectServer(plan: StartPlan, options: ConnectOptions): Promise<Connection> {
  const transport: OwnedTransport =
    plan.kind === "stdio" ? createStdioTransport(plan, options.onStderr) : createHttpTransport(plan);
  // No capability of a client is declared: requests for sampling, input of the user or roots are refused by the SDK.
  const client = new Client({ name: "sallyport", version: options.version }, { capabilities: {} });
  let why: Reason | null = null;
  let isEnding = false;
  let settleClosed: (reason: Reason | null) => void = () => {};
  const closed = new Promise<Reason | null>((resolve) => {
    settleClosed = resolve;
  });
  transport.onerror = (error) => {
    why ??= reasonOf(error);
  };
  transport.onclose = () => settleClosed(isEnding ? null : (why ?? { code: "mcp.closed", params: {} }));
  transport.onmessage = floodGuard(() => {
    why = { code: "mcp.flood", params: { perSecond: maxMessagesPerSecond } };
    void transport.end();
  });
  const end = async () => {
    isEnding = why === null;
    await transport.end();
  };
  /** What comes between question and answer counts: the answer may be older than the change. */
  let isListRequested = false;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    if (isListRequested) options.onToolsChanged();
  });

  const deadline = createDeadline(options.timeoutMs, options.signal);
  try {
    await deadline.race(client.connect(transport, { timeout: options.timeoutMs }));
  } catch (error) {
    const told = reasonOf(error);
    // What the transport noticed says more than how that came up here.
    const isEcho = told.code === "mcp.protocol" || told.code === "mcp.ended";
    const reason = isEcho ? (why ?? told) : told;
    await transport.end();
    throw mcpProblem(reason.code, reason.params, `It did not start (${reason.code}).`, error);
  } finally {
    deadline.stop();
  }
  const about = client.getServerVersion();
  const hasTools = client.getServerCapabilities()?.tools !== undefined;

  return {
    pid: transport.pid,
    reportedName: plainLine(about?.name ?? "", 120),
    reportedVersion: plainLine(about?.version ?? "", 60),
    async listTools() {
      isListRequested = true;
      const listing = createDeadline(options.timeoutMs, options.signal);
      try {
        return hasTools
          ? await listing.race(listPages(client, listing.signal, options.timeoutMs))
          : { raw: [], isCut: false };
      } catch (error) {
        throw why === null ? error : mcpProblem(why.code, why.params, `It failed (${why.code}).`, error);
      } finally {
        listing.stop();
      }
    },
    async callTool(remoteName, args, { signal, onProgress }) {
      try {
        return await client.request(
          { method: "tools/call", params: { name: remoteName, arguments: args } },
          callResultSchema,
          {
            signal,
            timeout: callIdleMs,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: callTotalMs,
            onprogress: ({ progress, total, message }) => onProgress({ progress, total, message }),
          },
        );
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
          throw new AppError("TIMEOUT", "The MCP server did not answer in time. The call was given up.", {
            cause: error,
          });
        if (error instanceof McpError && error.code !== ErrorCode.ConnectionClosed) throw error;
        const reason = why ?? reasonOf(error);
        throw mcpProblem(
          reason.code,
          reason.params,
          `The MCP server ended during the call (${reason.code}).`,
          error,
        );
      }
    },
    closed,
    end,
  };
}

async function listPages(
  client: Client,
  signal: AbortSignal,
  timeout: number,
): Promise<{ raw: unknown[]; isCut: boolean }> {
  const raw: unknown[] = [];
  const seen = new Set<string>();
  let chars = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, toolsPage, { signal, timeout });
    for (const tool of answer.tools) {
      chars += JSON.stringify(tool)?.length ?? 0;
      if (raw.length === maxToolsPerServer || chars > maxListChars) return { raw, isCut: true };
      raw.push(tool);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) return { raw, isCut: false };
    // A server that gives the same place twice would go on for ever.
    if (seen.has(cursor)) return { raw, isCut: true };
    seen.add(cursor);
  }
  return { raw, isCut: true };
}

interface Deadline {
  signal: AbortSignal;
  /** @throws AppError `mcp.timeout` when time is up first, `mcp.ended` when it was called off */
  race<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

function createDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  // Every page of a list leaves a listener behind.
  setMaxListeners(0, controller.signal);
  const timer = setTimeout(
    () =>
      controller.abort(
        mcpProblem("mcp.timeout", { timeoutMs }, `It was not ready within ${timeoutMs / 1000} seconds.`),
      ),
    timeoutMs,
  );
  const callOff = () => controller.abort(mcpProblem("mcp.ended", {}, "It was ended."));
  if (outer.aborted) callOff();
  outer.addEventListener("abort", callOff, { once: true });
  return {
    signal: controller.signal,
    race: (work) =>
      new Promise((resolve, reject) => {
        const give = () => reject(controller.signal.reason);
        if (controller.signal.aborted) give();
        controller.signal.addEventListener("abort", give, { once: true });
        work.then(resolve, (error: unknown) =>
          reject(controller.signal.aborted ? controller.signal.reason : error),
        );
      }),
    stop() {
      clearTimeout(timer);
      outer.removeEventListener("abort", callOff);
    },
  };
}
