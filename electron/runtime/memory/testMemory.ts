/** For tests: the memory tools on real folders, with config and environment in hand. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import { allMemoryHardening } from "../../../shared/memory/index.ts";
import { createManualClock } from "../clock.ts";
import { silentLogger } from "../logging/logger.ts";
import { testContext } from "../testing/toolCallContext.ts";
import type { ToolCallContext, ToolResult } from "../tools/defineTool.ts";
import { createMemoryTools, type MemoryTools, type MemoryToolsDeps } from "./createMemoryTools.ts";

export interface TestMemory {
  /** Change it between calls; a new object counts as a new config. */
  settings: { config: unknown; hardening: Hardening; env: Record<string, string>; sandboxed: Set<string> };
  root: string;
  stateDir: string;
  /** Of an agent; `main` unless named. */
  workspaceOf(agentId?: string): string;
  tools: MemoryTools;
  /** Arguments pass the schema as in a real call. @returns the JSON that the model gets */
  call(tool: string, args: unknown, context?: Partial<ToolCallContext>): Promise<MemoryPayload>;
  callTool(tool: string, args: unknown, context?: Partial<ToolCallContext>): Promise<ToolResult>;
  remove(): Promise<void>;
}

export interface MemoryPayload {
  results: {
    path: string;
    startLine: number;
    endLine: number;
    score: number;
    snippet: string;
    citation?: string;
  }[];
  notes?: string[];
  index: { files: number; chunks: number; embedded?: number; isComplete: boolean };
  [key: string]: unknown;
}

/** @param from folder of an earlier one whose tools were disposed; absent: a new one */
export async function makeTestMemory(
  over: Partial<MemoryToolsDeps> = {},
  from?: string,
): Promise<TestMemory> {
  const root = from ?? (await mkdtemp(path.join(tmpdir(), "sallyport-memory-")));
  const stateDir = path.join(root, "state");
  const settings: TestMemory["settings"] = {
    config: {},
    hardening: allMemoryHardening,
    env: {},
    sandboxed: new Set(),
  };
  const workspaceOf = (agentId = "main") => path.join(root, `workspace-${agentId}`);
  const tools = createMemoryTools({
    config: () => settings.config,
    hardening: () => settings.hardening,
    env: settings.env,
    homeDir: path.join(root, "home"),
    stateDir,
    workspaceOf,
    isSandboxed: (agentId) => settings.sandboxed.has(agentId),
    clock: createManualClock(),
    logger: silentLogger,
    workerUrl: null,
    limits: { retryFirstMs: 1 },
    ...over,
  });
  const callTool: TestMemory["callTool"] = async (name, args, context = {}) => {
    const tool = tools.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool.execute(tool.input.parse(args), { ...testContext(), ...context });
  };
  return {
    settings,
    root,
    stateDir,
    workspaceOf,
    tools,
    callTool,
    async call(name, args, context) {
      const { content } = await callTool(name, args, context);
      const [block] = content;
      return JSON.parse(block?.type === "text" ? block.text : "null") as MemoryPayload;
    },
    async remove() {
      await tools.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Builds the worker as in the product. @returns its address, and what removes it */
export async function buildTestWorker(): Promise<{ url: URL; remove(): Promise<void> }> {
  const { build } = await import("vite");
  const here = path.dirname(fileURLToPath(import.meta.url));
  const root = path.resolve(here, "../../..");
  // Inside node_modules, so that the packages it imports are found.
  const outDir = await mkdtemp(path.join(root, "node_modules", ".sallyport-memory-"));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "node", external: ["libsql"] },
    build: {
      ssr: path.join(here, "memoryWorker.ts"),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rolldownOptions: {
        external: ["libsql"],
        output: { format: "es", entryFileNames: "memoryWorker.mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  });
  return {
    url: pathToFileURL(path.join(outDir, "memoryWorker.mjs")),
    remove: () => rm(outDir, { recursive: true, force: true }),
  };
}
