/** For tests of the gateway tool: a real runtime on a folder of its own, its owner, and a person at the panel. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import type { ApprovalRequest } from "../../../../shared/contract/index.ts";
import type { Caller, CallOutcome, Runtime, RuntimeDeps } from "../../runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection, testCaller } from "../../testing/testRuntime.ts";

export const owner: Caller = { ...testCaller, isOwner: true };

export interface TestDesk {
  dir: string;
  runtime: Runtime;
  panel: TestConnection;
  call(args: Record<string, unknown>, caller?: Caller): Promise<CallOutcome>;
  /** The one request that waits. */
  waiting(): Promise<ApprovalRequest>;
  decide(decision: "allow-once" | "deny", request: ApprovalRequest, note?: string): Promise<void>;
  /** Calls, and answers the question that comes of it. */
  callAnd(decision: "allow-once" | "deny", args: Record<string, unknown>): Promise<CallOutcome>;
  configText(): Promise<string>;
  ledger(kind: string): Promise<Record<string, unknown>[]>;
  /** Ends the runtime and starts another one on the same folder. */
  startAgain(): Promise<void>;
  dispose(): Promise<void>;
}

export async function startDesk(
  files: { config?: string; settings?: string } = {},
  over: Partial<RuntimeDeps> = {},
): Promise<TestDesk> {
  const dir = await mkdtemp(path.join(tmpdir(), "gateway-tool-"));
  const configPath = path.join(dir, "openclaw.json");
  if (files.config !== undefined) await writeFile(configPath, files.config);
  if (files.settings !== undefined) await writeFile(path.join(dir, "sallyport.json5"), files.settings);
  const start = async () => {
    const runtime = await createTestRuntime(dir, over);
    const panel = connectTo(runtime);
    await panel.rpc.call("approvals.attend", {});
    return { runtime, panel };
  };
  let { runtime, panel } = await start();
  const stop = async () => {
    panel.close();
    await runtime.dispose();
  };
  const pending = async () => (await panel.rpc.call("approvals.list", {})).pending;

  const desk: TestDesk = {
    dir,
    get runtime() {
      return runtime;
    },
    get panel() {
      return panel;
    },
    call: (args, caller = owner) =>
      runtime.tools.callTool(caller, "gateway", args, {
        signal: new AbortController().signal,
        holdMs: null,
      }),
    async waiting() {
      await expect.poll(async () => (await pending()).length, { timeout: 5000 }).toBe(1);
      const [request] = await pending();
      if (request === undefined) throw new Error("nothing waits");
      return request;
    },
    async decide(decision, { id, digest }, note) {
      await panel.rpc.call("approvals.resolve", {
        id,
        decision,
        ...(decision === "deny" ? {} : { digest }),
        ...(note === undefined ? {} : { note }),
      });
    },
    async callAnd(decision, args) {
      const outcome = desk.call(args);
      await desk.decide(decision, await desk.waiting());
      return outcome;
    },
    configText: () => readFile(configPath, "utf8"),
    async ledger(kind) {
      const { entries } = await panel.rpc.call("ledger.list", { limit: 200 });
      return entries
        .filter((entry) => entry.kind === kind)
        .map(({ data, callerId }) => ({ ...(data as object), by: callerId }));
    },
    async startAgain() {
      await stop();
      ({ runtime, panel } = await start());
    },
    async dispose() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return desk;
}

/** @returns what the tool gave as data; throws for anything but a success */
export function detailsOf(outcome: CallOutcome): Record<string, unknown> {
  if (outcome.kind !== "result" || outcome.isError)
    throw new Error(`It did not succeed: ${JSON.stringify(outcome).slice(0, 2000)}`);
  const [block] = outcome.content;
  expect(outcome.content).toHaveLength(1);
  expect(block?.type === "text" ? block.text : "").toBe(JSON.stringify(outcome.details, null, 2));
  return outcome.details as Record<string, unknown>;
}

/** @returns the text that the caller reads */
export function textIn(outcome: CallOutcome): string {
  if (outcome.kind === "refused") return outcome.text;
  if (outcome.kind !== "result") return outcome.kind;
  return outcome.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
