/** Runs the file tools on a real folder, as the runtime calls them, on preset `reference`. */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { createApprovals } from "../../../electron/runtime/approvals/createApprovals.ts";
import { createPresence } from "../../../electron/runtime/approvals/presence.ts";
import { systemClock } from "../../../electron/runtime/clock.ts";
import { silentLogger } from "../../../electron/runtime/logging/logger.ts";
import type { ToolDefinition, ToolResult } from "../../../electron/runtime/tools/defineTool.ts";
import { createFileTools } from "../../../electron/runtime/tools/files/createFileTools.ts";
import { createProtectedPaths } from "../../../electron/runtime/tools/files/protectedPaths.ts";
import { AppError } from "../../../shared/errors/index.ts";

const reference: ReadonlySet<string> = new Set();

export interface Limits {
  workspaceOnly: boolean;
  contextWindow?: number | undefined;
}

export type Outcome =
  | { ok: true; result: ToolResult }
  | { ok: false; kind: string; data: Record<string, unknown> };

export interface Sandbox {
  root: string;
  outside: string;
  /** Runs a tool as a call does: arguments through its schema, errors as their kind. */
  call(tool: string, args: unknown, limits: Limits): Promise<Outcome>;
  dispose(): void;
}

export function createSandbox(): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "files-vectors-")));
  const root = join(base, "root");
  const outside = join(base, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  return {
    root,
    outside,
    async call(name, args, limits) {
      const tool = toolsFor(base, root, limits).find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const input = tool.input.safeParse(args);
      if (!input.success)
        return { ok: false, kind: "missing_parameter", data: { issues: input.error.issues } };
      try {
        return { ok: true, result: await tool.execute(input.data, context()) };
      } catch (error) {
        if (error instanceof AppError && typeof error.data?.kind === "string") {
          return { ok: false, kind: error.data.kind, data: error.data };
        }
        throw error;
      }
    },
    dispose: () => rmSync(base, { recursive: true, force: true }),
  };
}

function toolsFor(base: string, root: string, limits: Limits): ToolDefinition[] {
  const presence = createPresence({ screenLock: { isLocked: () => false }, waitForOperator: () => false });
  return [
    ...createFileTools({
      workspaceOf: () => root,
      isWorkspaceOnly: () => limits.workspaceOnly,
      isPatchWorkspaceOnly: () => limits.workspaceOnly,
      homeDir: join(base, "home"),
      protectedPaths: createProtectedPaths({ stateDirs: [join(base, "state")], workspaces: () => [root] }),
      approvals: createApprovals({ clock: systemClock, logger: silentLogger, presence, earlier: [] }),
      hardening: () => reference,
      contextWindowTokens: () => limits.contextWindow,
      logger: silentLogger,
    }),
  ] as ToolDefinition[];
}

function context() {
  return {
    toolCallId: "vector",
    agentId: "main",
    sessionKey: "agent:main:main",
    callerId: "vector",
    callerLabel: "vector",
    senderIsOwner: true,
    canBackground: false,
    signal: new AbortController().signal,
    reportProgress: () => {},
    reportWaiting: () => {},
  };
}

/** Writes files, links (text as it is in the link) and hard links (target relative to the link). */
export function fill(
  folder: string,
  entries: {
    files?: Record<string, string> | undefined;
    links?: Record<string, string> | undefined;
    hardlinks?: Record<string, string> | undefined;
  },
): void {
  const place = (name: string) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  for (const [name, text] of Object.entries(entries.files ?? {})) writeFileSync(place(name), text);
  for (const [name, target] of Object.entries(entries.links ?? {})) symlinkSync(target, place(name));
  for (const [name, target] of Object.entries(entries.hardlinks ?? {})) {
    linkSync(resolve(dirname(place(name)), target), place(name));
  }
}

/** The whole tree below a folder: text by relative path, a link as `{link: target}`. */
export function treeOf(folder: string): Record<string, string | { link: string }> {
  const found: Record<string, string | { link: string }> = {};
  const visit = (current: string) => {
    for (const name of readdirSync(current).sort()) {
      const path = join(current, name);
      const facts = lstatSync(path);
      const key = relative(folder, path).replaceAll("\\", "/");
      if (facts.isSymbolicLink()) found[key] = { link: readlinkSync(path) };
      else if (facts.isDirectory()) visit(path);
      else found[key] = readFileSync(path, "utf8");
    }
  };
  visit(folder);
  return found;
}

export function textOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
