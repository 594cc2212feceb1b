/** "Try it": a scripted agent that is an MCP client like any other, so that the whole loop can be seen in a minute. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../../shared/errors/index.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import type { Runtime, TryoutRunner, TryoutSteps } from "../../runtime/runtimeTypes.ts";
import { createMcpSession } from "../mcp/mcpSession.ts";

type Step = TryoutSteps[number];

/** What the agent asks for. Harmless, there on every POSIX system, and not on an allowlist. */
const command = "uname -sr && echo 'Hello from the tryout agent'";
/** Runs a few minutes at most, whatever happens. */
const ticker = 'i=0; while [ $i -lt 120 ]; do echo "tick $i"; i=$((i+1)); sleep 1; done';
const hiddenTool = "browser";
/** A person may read a while; the request itself expires on its own. */
const requestTimeoutMs = 1_860_000;
const watchMs = 3000;

/** @see product.md: the whole loop without any agent or key */
export function createTryoutRunner(deps: {
  runtime: Runtime;
  version: string;
  logger: Logger;
}): TryoutRunner {
  return async (caller, report, signal) => {
    const session = createMcpSession({
      tools: deps.runtime.tools,
      caller: () => caller,
      connected: () => () => {},
      holdMs: () => null,
      version: deps.version,
      logger: deps.logger,
    });
    const client = new Client({ name: "tryout", version: deps.version });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const steps: Step[] = (["listTools", "askCommand", "startProcess", "hiddenTool", "cleanUp"] as const).map(
      (step) => ({
        step,
        state: "waiting",
        detail: "",
      }),
    );
    const set = (name: Step["step"], state: Step["state"], detail: string) => {
      const index = steps.findIndex((entry) => entry.step === name);
      steps[index] = { step: name, state, detail };
      report([...steps]);
    };
    const call = (name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: args }, undefined, {
        signal,
        timeout: requestTimeoutMs,
      }) as Promise<CallToolResult>;

    report([...steps]);
    try {
      await session.server.connect(serverSide);
      await client.connect(clientSide);

      set("listTools", "running", "");
      const { tools } = await client.listTools(undefined, { signal });
      set("listTools", "done", tools.map((tool) => tool.name).join(", "));

      set("askCommand", "running", command);
      const answer = await call("exec", { command });
      set("askCommand", stateOf(answer), textOf(answer));

      set("startProcess", "running", ticker);
      const started = await call("exec", { command: ticker, background: true });
      set("startProcess", stateOf(started), textOf(started));
      const sessionId = (started.structuredContent as { sessionId?: unknown } | undefined)?.sessionId;

      set("hiddenTool", "running", hiddenTool);
      set("hiddenTool", "done", await callHidden(() => call(hiddenTool, { action: "status" })));

      set("cleanUp", "running", "");
      if (typeof sessionId === "string") {
        await pause(watchMs, signal);
        const log = await call("process", { action: "log", sessionId, limit: 3 });
        await call("process", { action: "kill", sessionId });
        set("cleanUp", "done", textOf(log));
      } else set("cleanUp", "done", "");
    } catch (error) {
      const current = steps.find((entry) => entry.state === "running");
      if (current !== undefined) set(current.step, "failed", signal.aborted ? "" : messageOf(error));
      else throw error;
    } finally {
      await client.close();
      await session.close();
    }
  };
}

/** A tool that policy hides answers as one that does not exist; that answer is what this step shows. */
async function callHidden(run: () => Promise<CallToolResult>): Promise<string> {
  try {
    return textOf(await run());
  } catch (error) {
    return messageOf(error);
  }
}

function stateOf(result: CallToolResult): Step["state"] {
  const status = (result.structuredContent as { status?: unknown } | undefined)?.status;
  if (status === "denied" || status === "expired") return "denied";
  return result.isError === true ? "failed" : "done";
}

function textOf(result: CallToolResult): string {
  return result.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .slice(0, 2000);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
