/** What counts while a command runs: rules that end, and input into shells that nobody was asked about. */

import { chmod, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Runtime } from "./runtimeTypes.ts";
import { connectTo, createTestRuntime, type TestConnection, testCaller } from "./testing/testRuntime.ts";

let folder: string;
let runtime: Runtime;
let panel: TestConnection;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "running-rules-")));
});
afterEach(async () => {
  panel.close();
  await runtime.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function start(exec: Record<string, unknown>, patterns: string[]) {
  await writeFile(
    join(folder, "openclaw.json"),
    JSON.stringify({
      tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss", ...exec } },
    }),
  );
  await writeFile(
    join(folder, "exec-approvals.json"),
    JSON.stringify({
      version: 1,
      agents: { main: { allowlist: patterns.map((pattern, id) => ({ id: `${id}`, pattern })) } },
    }),
  );
  runtime = await createTestRuntime(folder);
  panel = connectTo(runtime);
  await panel.rpc.call("approvals.attend", {});
}

const call = (tool: string, args: Record<string, unknown>) =>
  runtime.tools.callTool(testCaller, tool, args, { signal: new AbortController().signal, holdMs: null });

async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined> | T | null | undefined,
): Promise<T> {
  const endsAtMs = Date.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    if (Date.now() > endsAtMs) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => null,
  );

async function program(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

describe("a chain whose rule ends while it runs", () => {
  it.each([
    ["is stopped before its next link", true],
    ["goes on when the rule stays", false],
  ])("%s", async (_title, isRemoved) => {
    const waits = await program(
      "waits",
      `touch ${folder}/began; while [ ! -e ${folder}/go ]; do sleep 0.05; done`,
    );
    const marks = await program("marks", `touch ${folder}/marked`);
    await start({}, [waits, marks]);
    const outcome = call("exec", { command: `${waits} && ${marks}`, yieldMs: 60_000 });
    await until("the first link", () => exists(join(folder, "began")));
    if (isRemoved)
      await panel.rpc.call("exec.approvals.allowlistRemove", { agentId: "main", pattern: marks });
    await writeFile(join(folder, "go"), "");
    const text = JSON.stringify(await outcome);
    expect(await exists(join(folder, "marked"))).toBe(isRemoved ? null : true);
    if (isRemoved) expect(text).toContain("The rule that allowed this command is gone");
  });
});

describe("input into a shell", () => {
  const bash = "/usr/bin/bash";
  const sessionOf = async (outcome: Awaited<ReturnType<typeof call>>) => {
    if (outcome.kind !== "result") throw new Error(JSON.stringify(outcome));
    return String((outcome.details as { sessionId?: string }).sessionId);
  };

  it("that a rule started is refused to the agent, and the panel may type", async () => {
    await start({ strictInlineEval: false }, [bash, await realpath(bash)]);
    const sessionId = await sessionOf(await call("exec", { command: bash, pty: true, background: true }));
    const refused = await call("process", { action: "write", sessionId, data: `touch ${folder}/typed\n` });
    expect(JSON.stringify(refused)).toContain("started without a person's word");
    const byPerson = await panel.rpc.call("processes.write", {
      id: sessionId,
      data: `touch ${folder}/typed\n`,
    });
    expect(byPerson).toEqual({ accepted: true, reason: null });
    await until("the person's line", () => exists(join(folder, "typed")));
    await call("process", { action: "kill", sessionId });
  });

  it("that a person allowed is taken, and the prompt has said so", async () => {
    await start({}, []);
    const starting = call("exec", { command: bash, pty: true, background: true });
    const request = await until(
      "the prompt",
      async () => (await panel.rpc.call("approvals.list", {})).pending[0],
    );
    expect(request.warnings.map(({ reason }) => reason)).toContainEqual({
      code: "inputToShell",
      params: { program: bash },
    });
    await panel.rpc.call("approvals.resolve", {
      id: request.id,
      digest: request.digest,
      decision: "allow-once",
    });
    const sessionId = await sessionOf(await starting);
    await call("process", { action: "write", sessionId, data: `touch ${folder}/typed\n` });
    await until("the agent's line", () => exists(join(folder, "typed")));
    await call("process", { action: "kill", sessionId });
  });

  it("of a script that was allowed as such is data and taken", async () => {
    const script = await program("reads", `read line; echo "$line" > ${folder}/read`);
    await start({}, [script]);
    const sessionId = await sessionOf(
      await call("exec", { command: `${bash} ${script}`, pty: true, background: true }),
    );
    await call("process", { action: "write", sessionId, data: "hello\n" });
    await until("the script's file", () => exists(join(folder, "read")));
  });
});
