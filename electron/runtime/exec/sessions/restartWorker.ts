/** What another Sallyport did before it was killed, for restart.test.ts: `node restartWorker.js <stateDir> <command>...`. */

import { createTestRuntime } from "../../testing/testRuntime.ts";

const [stateDir = "", ...commands] = process.argv.slice(2);
const runtime = await createTestRuntime(stateDir);
const sessionKey = "agent:main:mcp:test";
const caller = {
  id: "mcp:test",
  label: "test",
  agentId: "main",
  sessionKey,
  isOwner: false,
  provider: null,
  model: null,
  surface: "mcp" as const,
};
const started = [];
for (const command of commands) {
  const options = { signal: new AbortController().signal, holdMs: null };
  const outcome = await runtime.tools.callTool(caller, "exec", { command, background: true }, options);
  started.push(outcome.kind === "result" ? outcome.details : outcome);
}
process.stdout.write(`${JSON.stringify(started)}\n`);
// Stays until it is killed; nothing is tidied up, as in a crash.
setInterval(() => {}, 60_000);
