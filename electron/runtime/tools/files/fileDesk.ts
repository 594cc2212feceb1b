/** What the file tools share: finding files within an agent's limits, reading them, and changing them with a person's word. */

import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { Approvals } from "../../approvals/createApprovals.ts";
import type { Logger } from "../../logging/logger.ts";
import type { ToolCallContext, ToolResult } from "../defineTool.ts";
import { askFor, type FileChange, notChanged } from "./changeDraft.ts";
import { guardWorkspace, locate, pathError, requireRegular, type Target } from "./locate.ts";
import { createPathQueue } from "./pathQueue.ts";
import { fileProblem } from "./problems.ts";
import type { ProtectedPaths } from "./protectedPaths.ts";
import { type ReadBytes, readLocated } from "./readFile.ts";
import { removeFile, replaceFile } from "./replaceFile.ts";
import { locateInSandbox, type SandboxView } from "./sandboxPaths.ts";

export interface FileToolDeps {
  /** Absolute. */
  workspaceOf(agentId: string): string;
  /** Holds read, write and edit to the workspace. */
  isWorkspaceOnly(agentId: string): boolean;
  /** Holds apply_patch to the workspace; absent: it is held. */
  isPatchWorkspaceOnly?(agentId: string): boolean;
  /** What the sandbox of a session shows; null for sessions outside of one; absent: there is none. */
  sandboxOf?(agentId: string, sessionKey: string): Promise<SandboxView | null>;
  /** For `~`; absolute. */
  homeDir: string;
  protectedPaths: ProtectedPaths;
  approvals: Approvals;
  hardening(): Hardening;
  /** Tokens of the caller's model, when known; decides how much one read returns. */
  contextWindowTokens?(context: ToolCallContext): number | undefined;
  /** Longest side of a picture that is shown, in pixels; absent or undefined: the usual one. */
  maxPictureSide?(): number | undefined;
  logger: Logger;
}

/** Largest file whose content is shown, compared or changed. */
export const maxEditBytes = 8 * 1024 * 1024;

/** Largest file outside the workspace that is replaced as a whole: its hash is part of what a person decides. */
export const maxHashedBytes = 64 * 1024 * 1024;

export type Access = "read" | "write" | "delete";

export interface FindOptions {
  access: Access;
  /** Whether the guard counts; decided by the tool and its configuration. */
  isHeld: boolean;
  /** `given` is absolute and exact, not as a model wrote it. */
  isExact?: boolean;
}

export interface Planned<T> {
  changes: FileChange[];
  value: T;
}

export type ChangeOutcome<T> =
  | { kind: "done"; value: T; wasAsked: boolean }
  | { kind: "refused"; result: ToolResult };

export interface FileDesk {
  deps: FileToolDeps;
  /** @throws AppError for paths that this agent may not use; @see locate, guardWorkspace, ProtectedPaths */
  find(given: string, context: ToolCallContext, options: FindOptions): Promise<Target>;
  read(target: Target, maxBytes: number, signal: AbortSignal): Promise<ReadBytes>;
  /** The text of a file as UTF-8; null when there is no file. */
  readText(target: Target, signal: AbortSignal): Promise<{ text: string; sha256: string } | null>;
  /**
   * Works out changes and makes them, one caller at a time per file. Changes outside the workspace wait for a person
   * (rule files.askOutsideWorkspace) and are made only when nothing was touched meanwhile.
   * @param compute reads and plans, writes nothing
   */
  change<T>(
    request: {
      tool: string;
      targets: readonly Target[];
      isHeld: boolean;
      compute: () => Promise<Planned<T>>;
    },
    context: ToolCallContext,
  ): Promise<ChangeOutcome<T>>;
}

/** One desk per runtime: its queue must see every change. */
export function createFileDesk(deps: FileToolDeps): FileDesk {
  const queue = createPathQueue();

  const find: FileDesk["find"] = async (given, context, { access, isHeld, isExact = false }) => {
    const isLinkItself = access === "delete";
    const sandbox = await deps.sandboxOf?.(context.agentId, context.sessionKey);
    const isSandboxed = sandbox !== undefined && sandbox !== null;
    const target = isSandboxed
      ? await locateInSandbox(given, sandbox, access, { isLinkItself, isExact })
      : await locate(given, {
          workspace: deps.workspaceOf(context.agentId),
          home: deps.homeDir,
          isLinkItself,
          isExact,
        });
    const why = await whyRefused(target, access === "read" ? "read" : "write");
    if (why !== null) {
      deps.logger.warn("files.protected", { agentId: context.agentId, access, path: target.realPath });
      throw fileProblem("protected", `${given} is out of bounds: ${why}. Nothing was done.`, {
        data: { path: given },
      });
    }
    if (isHeld && !isSandboxed) guardWorkspace(target, access);
    return target;
  };

  const whyRefused = async (target: Target, access: "read" | "write") => {
    try {
      return await deps.protectedPaths.whyRefused(target.realPath, target.facts, access);
    } catch (error) {
      throw pathError(target.given, error);
    }
  };

  const readText: FileDesk["readText"] = async (target, signal) => {
    if (target.facts === null) return null;
    const { bytes, sha256 } = await readLocated(target, maxEditBytes, signal);
    try {
      return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), sha256 };
    } catch (cause) {
      throw fileProblem(
        "not_text",
        `${target.given} is not valid UTF-8, so changing a part of it would damage the rest. Change it with exec.`,
        { cause, data: { path: target.given } },
      );
    }
  };

  /** Looks again, as if for the first time: path, guard, protection, content. */
  const recheck = async (change: FileChange, context: ToolCallContext, isHeld: boolean) => {
    const { target, before } = change;
    const access = change.next.kind === "delete" ? "delete" : "write";
    const fresh = await find(target.given, context, { access, isHeld });
    const isSame =
      fresh.realPath === target.realPath &&
      (before === null || before.sha256 === ""
        ? haveSameFacts(fresh, target)
        : (await readLocated(fresh, maxHashedBytes, context.signal)).sha256 === before.sha256);
    if (!isSame) {
      throw fileProblem(
        "changed",
        `${target.given} changed between the decision and the write, so nothing was written. Read it and try again.`,
        { data: { path: target.given } },
      );
    }
  };

  const apply = async (changes: readonly FileChange[], context: ToolCallContext, isHeld: boolean) => {
    context.signal.throwIfAborted();
    const written: string[] = [];
    // Everything new is there before anything old goes: a move that is interrupted loses nothing.
    const ordered = [...changes].sort(
      (a, b) => Number(a.next.kind === "delete") - Number(b.next.kind === "delete"),
    );
    for (const change of ordered) {
      const { target, next } = change;
      try {
        if (next.kind === "delete") await removeFile(target.realPath);
        else {
          const { facts } = target;
          await replaceFile({
            realPath: target.realPath,
            bytes: next.bytes,
            existing:
              facts === null
                ? null
                : { mode: Number(facts.mode), uid: Number(facts.uid), gid: Number(facts.gid) },
            isPrivate: isHeld,
            beforeRename: () => requireUnmoved(change, context, isHeld),
          });
        }
        written.push(target.given);
      } catch (cause) {
        const done =
          written.length === 0 ? "No file was changed." : `Already changed: ${written.join(", ")}.`;
        const known = pathError(target.given, cause);
        throw fileProblem("write_failed", `${known.message} ${done}`, {
          cause,
          data: { path: target.given, written },
        });
      }
    }
  };

  /** Between reading and renaming nobody else may have put a newer version there. */
  const requireUnmoved = async (change: FileChange, context: ToolCallContext, isHeld: boolean) => {
    const { target } = change;
    const fresh = await find(target.given, context, { access: "write", isHeld });
    const isSame = fresh.realPath === target.realPath && haveSameFacts(fresh, target);
    if (!isSame) {
      throw fileProblem(
        "changed",
        `${target.given} was changed by somebody else just now. Read it and try again.`,
        {
          data: { path: target.given },
        },
      );
    }
  };

  return {
    deps,
    find,
    readText,
    read: readLocated,
    async change({ tool, targets, isHeld, compute }, context) {
      const keys = targets.map((target) => target.realPath);
      const { signal } = context;
      for (const target of targets) requireRegular(target);
      const first = await queue.run(keys, signal, async () => {
        const planned = await compute();
        const mustAsk =
          deps.hardening().has("files.askOutsideWorkspace") &&
          planned.changes.some((change) => !change.target.isInside);
        if (!mustAsk) await apply(planned.changes, context, isHeld);
        return { planned, mustAsk };
      });
      const { planned, mustAsk } = first;
      if (!mustAsk) return { kind: "done", value: planned.value, wasAsked: false };
      // The queue is free while a person thinks; what was shown is checked again before it is made.
      const answer = await deps.approvals.request(
        askFor(tool, planned.changes, deps.workspaceOf(context.agentId), context),
        signal,
        (approvalId) => context.reportWaiting({ approvalId }),
      );
      if (answer.outcome !== "allowed-once") return { kind: "refused", result: notChanged(answer) };
      context.reportWaiting(null);
      await queue.run(keys, signal, async () => {
        for (const change of planned.changes) await recheck(change, context, isHeld);
        await apply(planned.changes, context, isHeld);
      });
      return { kind: "done", value: planned.value, wasAsked: true };
    },
  };
}

/** Whether the same entry stands there with the same size and time of change, or still nothing does. */
function haveSameFacts({ facts: a }: Target, { facts: b }: Target): boolean {
  if (a === null || b === null) return a === b;
  return a.ino === b.ino && a.dev === b.dev && a.mtimeNs === b.mtimeNs && a.size === b.size;
}
