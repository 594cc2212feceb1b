/** One suite over every way to the runtime: IPC, WebSocket and memory have to answer alike. */

import assert from "node:assert/strict";
import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { RpcClient, Transport } from "../../../shared/rpc/index.ts";

export interface ContractPeer {
  rpc: RpcClient<SallyportContract>;
  /** For frames that no typed client would send. */
  transport: Transport;
}

export interface ContractCase {
  title: string;
  run(peer: ContractPeer): Promise<void>;
}

/** Waits for the answer to one hand-made frame. */
function answerTo(
  transport: Transport,
  id: string,
): Promise<{ ok?: boolean; error?: { code?: string; message?: string } }> {
  return new Promise((resolve) => {
    const off = transport.onMessage((message) => {
      if ((message as { id?: unknown }).id !== id) return;
      off();
      resolve(message as object);
    });
  });
}

export const contractCases: ContractCase[] = [
  {
    title: "answers with what the schema promises",
    async run({ rpc }) {
      const status = await rpc.call("app.status", {});
      assert.equal(status.semantics, "2026.3.31");
      assert.equal((await rpc.call("health", {})).ok, true);
    },
  },
  {
    title: "refuses bad parameters with their place, and goes on",
    async run({ rpc }) {
      const input = { limit: -1 } as { limit: number };
      await assert.rejects(rpc.call("calls.list", input), (error: unknown) => {
        assert(error instanceof AppError);
        assert.equal(error.code, "INVALID_INPUT");
        assert.match(error.message, /calls\.list.*\/limit/);
        return true;
      });
      assert.equal((await rpc.call("health", {})).ok, true);
    },
  },
  {
    title: "names an unknown method to an operator, and answers a frame that is none",
    async run({ transport }) {
      const unknown = answerTo(transport, "case-unknown");
      transport.send({ type: "req", id: "case-unknown", method: "no.such.method" });
      assert.match(String((await unknown).error?.message), /unknown method: no\.such\.method/);
      const malformed = answerTo(transport, "case-malformed");
      transport.send({ type: "req", id: "case-malformed", method: 7 } as never);
      assert.equal((await malformed).ok, false);
    },
  },
  {
    title: "carries errors with their code and data",
    async run({ rpc }) {
      await assert.rejects(
        rpc.call("approvals.resolve", { id: "0000-none", decision: "deny" }),
        (error: unknown) => {
          assert(error instanceof AppError);
          assert.equal(error.code, "NOT_FOUND");
          assert.equal(error.data?.reason, "APPROVAL_NOT_FOUND");
          return true;
        },
      );
    },
  },
  {
    title: "keeps many calls at once apart",
    async run({ rpc }) {
      const texts = Array.from({ length: 100 }, (_, index) => `{ tools: { deny: ["tool_${index}"] } }`);
      const answers = await Promise.all(texts.map((raw) => rpc.call("config.validate", { raw })));
      assert(answers.every((answer) => answer.valid));
    },
  },
  {
    title: "carries long and foreign text unchanged",
    async run({ rpc }) {
      const raw = `// ${"记忆🙂\u202e".repeat(100_000)}\n{`;
      const { valid, issues } = await rpc.call("config.validate", { raw });
      assert.equal(valid, false);
      assert.equal(issues[0]?.line, 2);
    },
  },
  {
    title: "sends events in the order of what happened",
    async run({ rpc }) {
      const densities: string[] = [];
      let gaps = 0;
      const offs = [
        rpc.on("ui.settingsChanged", ({ density }) => densities.push(density)),
        rpc.onGap(() => {
          gaps += 1;
        }),
      ];
      const { density: before } = await rpc.call("ui.settings.get", {});
      const other = before === "compact" ? "comfortable" : "compact";
      await rpc.call("ui.settings.set", { density: other });
      await rpc.call("ui.settings.set", { density: before });
      for (let wait = 0; wait < 200 && densities.length < 2; wait += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      for (const off of offs) off();
      assert.equal(densities.at(-1), before);
      assert(densities.includes(other));
      assert.equal(gaps, 0);
    },
  },
  {
    title: "ends a wait that is cancelled, and only the wait",
    async run({ rpc }) {
      const { toolCallId } = await rpc.call("calls.start", {
        tool: "exec",
        args: { command: "definitely-asks --now" },
      });
      const leave = new AbortController();
      const waiting = rpc.call("calls.wait", { toolCallId }, { signal: leave.signal });
      leave.abort();
      await assert.rejects(
        waiting,
        (error: unknown) => error instanceof AppError && error.code === "CANCELLED",
      );
      await rpc.call("calls.cancel", { toolCallId });
      const { call } = await rpc.call("calls.wait", { toolCallId });
      assert(["cancelled", "denied"].includes(call.state.kind), call.state.kind);
    },
  },
];
