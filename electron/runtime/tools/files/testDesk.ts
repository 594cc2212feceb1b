/** For tests: the file tools on a temporary home with a state directory, a workspace and a folder outside. */

import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { allFilesHardening } from "../../../../shared/files/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import { allMediaHardening } from "../../../../shared/media/index.ts";
import { type Approvals, createApprovals } from "../../approvals/createApprovals.ts";
import { createPresence, type Presence } from "../../approvals/presence.ts";
import { createManualClock, type ManualClock } from "../../clock.ts";
import { silentLogger } from "../../logging/logger.ts";
import { testContext } from "../../testing/toolCallContext.ts";
import type { ToolCallContext, ToolDefinition, ToolResult } from "../defineTool.ts";
import { createFileTools } from "./createFileTools.ts";
import { createProtectedPaths } from "./protectedPaths.ts";
import type { SandboxView } from "./sandboxPaths.ts";

export { textOf } from "../../testing/toolCallContext.ts";

export interface TestDesk {
  home: string;
  stateDir: string;
  workspace: string;
  outside: string;
  approvals: Approvals;
  presence: Presence;
  clock: ManualClock;
  /** Change it between calls. */
  settings: {
    workspaceOnly: boolean;
    patchWorkspaceOnly: boolean;
    sandbox: SandboxView | null;
    hardening: Hardening;
    workspaces: string[];
  };
  /** Arguments pass the schema as in a real call; a wrong one throws what zod says. */
  call(tool: string, args: unknown, context?: Partial<ToolCallContext>): Promise<ToolResult>;
  remove(): Promise<void>;
}

/** @param given an existing home, for a second process; absent: a new temporary one */
export async function makeTestDesk(given?: string): Promise<TestDesk> {
  const home = await realpath(given ?? (await mkdtemp(path.join(tmpdir(), "sallyport-files-"))));
  const stateDir = path.join(home, ".openclaw");
  const workspace = path.join(stateDir, "workspace");
  const outside = path.join(home, "outside");
  for (const folder of [workspace, outside]) await mkdir(folder, { recursive: true });
  const clock = createManualClock();
  const presence = createPresence({ screenLock: { isLocked: () => false }, waitForOperator: () => false });
  presence.attend("test");
  const approvals = createApprovals({ clock, logger: silentLogger, presence, earlier: [] });
  const settings: TestDesk["settings"] = {
    workspaceOnly: false,
    patchWorkspaceOnly: true,
    sandbox: null,
    hardening: new Set([...allFilesHardening, ...allMediaHardening]),
    workspaces: [workspace],
  };
  const tools: readonly ToolDefinition[] = createFileTools({
    workspaceOf: () => settings.workspaces[0] ?? workspace,
    isWorkspaceOnly: () => settings.workspaceOnly,
    isPatchWorkspaceOnly: () => settings.patchWorkspaceOnly,
    homeDir: home,
    protectedPaths: createProtectedPaths({ stateDirs: [stateDir], workspaces: () => settings.workspaces }),
    approvals,
    sandboxOf: () => Promise.resolve(settings.sandbox),
    hardening: () => settings.hardening,
    logger: silentLogger,
  }) as readonly ToolDefinition[];
  return {
    home,
    stateDir,
    workspace,
    outside,
    approvals,
    presence,
    clock,
    settings,
    async call(name, args, context = {}) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool.execute(tool.input.parse(args), { ...testContext(), ...context });
    },
    async remove() {
      approvals.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}
