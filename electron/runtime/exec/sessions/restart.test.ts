import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { contract } from "../../../../shared/contract/index.ts";
import type { RpcClient } from "../../../../shared/rpc/index.ts";
import type { Runtime } from "../../runtimeTypes.ts";
import { connectTo, createTestRuntime } from "../../testing/testRuntime.ts";
import { isAlive, until } from "./testSupport.ts";

let stateDir: string;
let outDir: string;
let runtime: Runtime | undefined;
const pids: number[] = [];

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../../..");

/** Runs commands in a Sallyport of its own process, kills that with SIGKILL, and tells what it had started. */
async function crashAfter(...commands: string[]): Promise<{ sessionId: string; pid: number }[]> {
  const { build } = await import("vite");
  const { pageScript } = await import(
    pathToFileURL(path.join(root, "electron/dev/build/pageScript.mjs")).href
  );
  // Inside node_modules, so that the packages it imports are found.
  outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-worker-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [pageScript()],
    build: { ssr: path.join(here, "restartWorker.ts"), outDir, emptyOutDir: false, target: "node20" },
  });
  const worker = spawn(process.execPath, [path.join(outDir, "restartWorker.js"), stateDir, ...commands], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (worker.pid !== undefined) pids.push(worker.pid);
  let output = "";
  const told = new Promise<void>((resolve, reject) => {
    worker.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("\n")) resolve();
    });
    worker.once("exit", (code) => reject(new Error(`the worker ended with ${code}: ${output}`)));
  });
  await told;
  worker.removeAllListeners("exit");
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGKILL");
  await gone;
  const started = JSON.parse(output) as { sessionId: string; pid: number }[];
  for (const { pid } of started) pids.push(pid);
  return started;
}

async function restart(): Promise<RpcClient<typeof contract>> {
  runtime = await createTestRuntime(stateDir);
  return connectTo(runtime).rpc;
}

beforeEach(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), "restart-"));
  await writeFile(
    path.join(stateDir, "openclaw.json"),
    `{ tools: { profile: "coding", exec: { security: "allowlist", ask: "off" } } }`,
  );
  await writeFile(
    path.join(stateDir, "exec-approvals.json"),
    JSON.stringify({
      version: 1,
      agents: { main: { allowlist: [{ pattern: "/bin/*" }, { pattern: "/usr/bin/*" }] } },
    }),
    { mode: 0o600 },
  );
});
afterEach(async () => {
  await runtime?.dispose();
  runtime = undefined;
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  await rm(stateDir, { recursive: true, force: true });
  await rm(outDir, { recursive: true, force: true });
});

describe("after a crash and a restart on the same state directory", () => {
  it("lists what survived, adopts one command, ends another with its tree, and forgets both", async () => {
    const [server, other, short] = await crashAfter("sleep 301", "sleep 302", "true");
    if (server === undefined || other === undefined) throw new Error("nothing was started");
    expect(short).toBeDefined();
    expect(isAlive(server.pid)).toBe(true);
    const rpc = await restart();
    const { survivors, processes } = await rpc.call("processes.list", {});
    expect(processes).toEqual([]);
    expect(survivors.map((survivor) => survivor.command).sort()).toEqual(["sleep 301", "sleep 302"]);
    const idOf = (command: string) =>
      survivors.find((survivor) => survivor.command === command)?.id ?? "missing";

    expect(await rpc.call("processes.endSurvivor", { id: idOf("sleep 302") })).toEqual({
      gone: true,
      remaining: [],
    });
    expect(isAlive(other.pid)).toBe(false);

    await rpc.call("processes.adopt", { id: idOf("sleep 301") });
    const after = await rpc.call("processes.list", {});
    expect(after.survivors).toEqual([]);
    expect(after.processes).toMatchObject([{ id: server.sessionId, command: "sleep 301", treeSize: 1 }]);
    expect(await rpc.call("processes.end", { id: server.sessionId })).toEqual({ gone: true, remaining: [] });
    await until("the adopted command is gone", () => !isAlive(server.pid));

    await runtime?.dispose();
    const again = await restart();
    expect((await again.call("processes.list", {})).survivors).toEqual([]);
  }, 60_000);
});
