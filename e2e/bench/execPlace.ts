/** A runtime on a folder of its own in which some commands are allowed, for benchmarks of running them. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestRuntime, testCaller } from "../../electron/runtime/testing/testRuntime.ts";

export interface ExecPlace {
  /** Calls the tool as a client does. @throws Error when the command was not run */
  exec(args: Record<string, unknown>): Promise<Record<string, unknown>>;
  workDir: string;
  dispose(): Promise<void>;
}

/** @param programs absolute paths that are allowed, as they are called and as they really are */
export async function openExecPlace(programs: readonly string[]): Promise<ExecPlace> {
  const root = await mkdtemp(path.join(tmpdir(), "sallyport-bench-"));
  await writeFile(
    path.join(root, "openclaw.json"),
    JSON.stringify({ tools: { profile: "coding", exec: { security: "allowlist", ask: "on-miss" } } }),
  );
  await writeFile(
    path.join(root, "exec-approvals.json"),
    JSON.stringify({
      version: 1,
      agents: { main: { allowlist: programs.map((pattern, index) => ({ id: `entry-${index}`, pattern })) } },
    }),
  );
  const runtime = await createTestRuntime(root);
  return {
    workDir: root,
    async exec(args) {
      const outcome = await runtime.tools.callTool(testCaller, "exec", args, {
        signal: new AbortController().signal,
        holdMs: null,
      });
      if (outcome.kind !== "result" || outcome.isError)
        throw new Error(`The command did not run: ${JSON.stringify(outcome).slice(0, 500)}`);
      return outcome.details as Record<string, unknown>;
    },
    async dispose() {
      await runtime.dispose();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
