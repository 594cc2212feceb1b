/** The scripted agent of "Try it": a real MCP client that asks for a command, starts a process and meets a hidden tool. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../../shared/errors/index.ts";
import type { Logger } from "../../runtime/logging/logger.ts";
import type { ToolSurface, TryoutRunner, TryoutSteps } from "../../runtime/runtimeTypes.ts";
import { createMcpSession } from "../mcp/mcpSession.ts";

type Step = TryoutSteps[number];
type StepName = Step["step"];
type Ending = { state: "done" | "denied" | "failed"; detail: string };

const order: StepName[] = ["listTools", "askCommand", "startProcess", "hiddenTool", "cleanUp"];

/** Longer than any approval waits: the person may take all the time that a request has. */
const callTimeoutMs = 60 * 60_000;

/** Harmless, and on no list: it asks. */
const askedCommand = "uname -a";
/** Counts for a minute, so that there is something to watch; ended by the clean-up. */
const processCommand = "for n in $(seq 1 60); do echo tick $n; sleep 1; done";
const watchMs = 8000;
/** In the catalog, and removed by the policy of the agent `tryout`. */
const hiddenToolName = "gateway";

/** @returns a runner for `Runtime.attachTryout`; the script goes through the same MCP server as every client */
export function createTryoutRunner(deps: {
  tools: ToolSurface;
  version: string;
  logger: Logger;
}): TryoutRunner {
  return async (caller, report, signal) => {
    const steps: Step[] = order.map((step) => ({ step, state: "waiting", detail: "" }));
    const update = (name: StepName, change: Partial<Step>) => {
      const index = order.indexOf(name);
      const step = steps[index];
      if (step !== undefined) steps[index] = { ...step, ...change };
      report(steps.map((each) => ({ ...each })));
    };
    const run = async (name: StepName, act: () => Promise<Ending>) => {
      if (signal.aborted) return update(name, { state: "failed", detail: "stopped" });
      update(name, { state: "running" });
      try {
        update(name, await act());
      } catch (error) {
        update(name, { state: "failed", detail: messageOf(error) });
      }
    };

    const session = createMcpSession({
      tools: deps.tools,
      caller: () => caller,
      connected: () => () => {},
      // The script is in no hurry: it waits for the person instead of coming back with `approval_wait`.
      holdMs: () => null,
      version: deps.version,
      logger: deps.logger,
    });
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "sallyport-tryout", version: deps.version });
    await session.connect(serverEnd);
    await client.connect(clientEnd);
    const call = async (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
      (await client.callTool({ name, arguments: args }, undefined, {
        signal,
        timeout: callTimeoutMs,
      })) as CallToolResult;

    try {
      await run("listTools", async () => {
        const { tools } = await client.listTools();
        return { state: "done", detail: tools.map((tool) => tool.name).join(", ") };
      });
      await run("askCommand", async () => ending(await call("exec", { command: askedCommand })));
      let sessionId: string | null = null;
      await run("startProcess", async () => {
        const result = await call("exec", { command: processCommand, background: true });
        sessionId = sessionIdOf(result);
        return ending(result);
      });
      await run("hiddenTool", async () => {
        const answer = await call(hiddenToolName, {}).then(textOf, messageOf);
        return { state: "done", detail: answer };
      });
      await run("cleanUp", async () => {
        if (sessionId === null) return { state: "done", detail: "nothing runs" };
        // Long enough to look at the running terminal; stopping the run ends it at once.
        await pause(watchMs, signal);
        return ending(await call("process", { action: "kill", sessionId }));
      });
    } finally {
      await client.close();
      await session.close();
    }
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

function ending(result: CallToolResult): Ending {
  const status = result.structuredContent?.status;
  if (status === "not-executed") return { state: "denied", detail: textOf(result) };
  return { state: result.isError === true ? "failed" : "done", detail: textOf(result) };
}

function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function sessionIdOf(result: CallToolResult): string | null {
  const id = result.structuredContent?.sessionId;
  return typeof id === "string" ? id : null;
}
