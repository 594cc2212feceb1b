/** Runs a judged plan behind pipes, without a shell of our own: pipes between programs, `&&`, `||` and `;`. */

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../../../shared/errors/index.ts";
import { createChildHub } from "./childHub.ts";
import { maxUnreadInputBytes, notRead } from "./floodLimits.ts";
import { execMarkerName } from "./processTable.ts";
import type {
  ArgvCommand,
  ChainLink,
  ChildExit,
  RunningChild,
  RunPlan,
  SpawnOptions,
  WriteAnswer,
} from "./types.ts";

export interface PipeSpawnOptions extends SpawnOptions {
  /** "closed": the first program reads end-of-file at once. "open": it can be written to. */
  stdin: "closed" | "open";
  /** Awaited before each further link of a chain is spawned; a throw ends the chain with exit code 126. */
  beforeLink?: ((linkIndex: number) => Promise<void>) | undefined;
}

/** Starts plans with plain pipes. Never throws: what cannot be spawned is an exit of kind "spawnFailed". */
export interface PipeHost {
  start(plan: RunPlan, options: PipeSpawnOptions): RunningChild;
}

export function createPipeHost(): PipeHost {
  return {
    start: (plan, options) => startPiped(toChain(plan), options),
  };
}

function toChain(plan: RunPlan): ChainLink[] {
  if (plan.kind === "argv") return plan.chain;
  return [{ op: null, pipeline: [{ file: plan.file, argv: [plan.file, ...plan.args] }] }];
}

/** @returns the exit that a shell would report for an error of spawning. */
export function spawnFailure(error: unknown, file: string): ChildExit & { kind: "spawnFailed" } {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR")
    return { kind: "spawnFailed", exitCode: 127, message: `${file}: no such program` };
  if (code === "EACCES" || code === "ENOEXEC" || code === "EPERM")
    return { kind: "spawnFailed", exitCode: 126, message: `${file}: not executable` };
  return { kind: "spawnFailed", exitCode: null, message: `${file}: ${messageOf(error)}` };
}

function succeeded(exit: ChildExit): boolean {
  return exit.kind === "exited" && exit.exitCode === 0;
}

function startPiped(chain: ChainLink[], options: PipeSpawnOptions): RunningChild {
  const hub = createChildHub();
  const live = new Map<number, ChildProcess>();
  const leaders: number[] = [];
  const readers = new Set<Readable>();
  let newestPid: number | undefined;
  let stdin: Writable | null = null;
  let advancing = true;
  let finalExit: ChildExit | null = null;

  const closeWhenDone = (): void => {
    if (finalExit !== null && readers.size === 0) hub.close();
  };

  const listen = (stream: "stdout" | "stderr", readable: Readable | null): void => {
    if (readable === null) return;
    readers.add(readable);
    readable.on("data", (chunk: Buffer) => hub.data(stream, chunk));
    // A reset pipe only means that no more output comes; "close" follows and is what counts.
    readable.on("error", () => {});
    readable.once("close", () => {
      readers.delete(readable);
      closeWhenDone();
    });
  };

  const finish = (exit: ChildExit): void => {
    finalExit = exit;
    stdin = null;
    hub.exit(exit);
    closeWhenDone();
  };

  /** Spawns all members in one turn of the event loop; resolves when every member ended. */
  const runPipeline = (pipeline: ArgvCommand[], isFirst: boolean): Promise<ChildExit> =>
    new Promise((resolve) => {
      let pending = pipeline.length;
      let lastExit: ChildExit = { kind: "exited", exitCode: 0 };
      let previousOut: Readable | null = null;
      pipeline.forEach((command, index) => {
        const isLast = index === pipeline.length - 1;
        const settle = (exit: ChildExit): void => {
          if (isLast) lastExit = exit;
          if (exit.kind === "spawnFailed" && !(isLast && chain.length === 1))
            hub.data("stderr", Buffer.from(`${exit.message}\n`));
          pending -= 1;
          if (pending === 0) resolve(lastExit);
        };
        const wantsInput = isFirst && index === 0 && options.stdin === "open";
        const stdio: StdioOptions = [previousOut ?? (wantsInput ? "pipe" : "ignore"), "pipe", "pipe"];
        const child = spawnMember(command, options, stdio, settle);
        // Our end of the pipe must go before anything is read from it here: it belongs to the next program,
        // and the writer only notices a reader that left when no copy is open.
        previousOut?.destroy();
        previousOut = null;
        if (child === null) return;
        if (child.pid !== undefined) {
          const pid = child.pid;
          live.set(pid, child);
          leaders.push(pid);
          newestPid = pid;
          child.once("exit", () => live.delete(pid));
        }
        if (wantsInput && child.stdin !== null) {
          stdin = child.stdin;
          // Writing to a program that closed its input must not take this process down.
          child.stdin.on("error", () => {});
        }
        listen("stderr", child.stderr);
        if (isLast) listen("stdout", child.stdout);
        else if (child.pid !== undefined) previousOut = child.stdout;
        else child.stdout?.destroy();
      });
      if (pending === 0) resolve(lastExit);
    });

  const runFrom = async (): Promise<void> => {
    let status: ChildExit = { kind: "exited", exitCode: 0 };
    for (const [index, link] of chain.entries()) {
      if (!advancing) break;
      if (link.op === "&&" && !succeeded(status)) continue;
      if (link.op === "||" && succeeded(status)) continue;
      if (index > 0 && options.beforeLink !== undefined) {
        try {
          await options.beforeLink(index);
        } catch (error) {
          hub.data("stderr", Buffer.from(`${messageOf(error)}\n`));
          status = { kind: "exited", exitCode: 126 };
          break;
        }
        if (!advancing) break;
      }
      status = await runPipeline(link.pipeline, index === 0);
    }
    finish(status);
  };
  // The first pipeline is spawned before this function returns, so that its pid is known to the caller.
  void runFrom();

  const writable = (): Writable | null =>
    stdin?.writable === true && !stdin.destroyed && !stdin.writableEnded ? stdin : null;

  const write = (data: string | Uint8Array): WriteAnswer => {
    const target = writable();
    if (target === null) return { ok: false, reason: "stdin is not writable" };
    const bytes = typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
    if (target.writableLength + bytes > maxUnreadInputBytes) return notRead;
    target.write(data);
    return { ok: true, bytes };
  };

  return {
    get pid() {
      return newestPid;
    },
    pty: false,
    livePids: () => [...live.keys()],
    leaderPids: () => [...leaders],
    stdinOpen: () => writable() !== null,
    write,
    end() {
      const target = writable();
      if (target === null) return { ok: false, reason: "stdin is not writable" };
      target.end();
      return { ok: true, bytes: 0 };
    },
    resize: () => false,
    onData: hub.onData,
    onExit: hub.onExit,
    onClose: hub.onClose,
    stopAdvancing() {
      advancing = false;
    },
    release() {
      for (const readable of readers) readable.destroy();
      for (const child of live.values()) child.unref();
    },
  };
}

/** The marker of the run cannot be replaced: by it the tree is found. */
function memberEnv(env: Record<string, string>, own: ArgvCommand["env"]): Record<string, string> {
  if (own === undefined) return env;
  const marker = env[execMarkerName];
  return { ...env, ...own, ...(marker === undefined ? {} : { [execMarkerName]: marker }) };
}

/** @returns null when spawning threw; `settle` is then called in a later turn, as for every other end. */
function spawnMember(
  command: ArgvCommand,
  options: SpawnOptions,
  stdio: StdioOptions,
  settle: (exit: ChildExit) => void,
): ChildProcess | null {
  let settled = false;
  const settleOnce = (exit: ChildExit): void => {
    if (settled) return;
    settled = true;
    settle(exit);
  };
  try {
    const child = spawn(command.file, command.argv.slice(1), {
      argv0: command.argv[0] ?? command.file,
      cwd: options.cwd,
      env: memberEnv(options.env, command.env),
      stdio,
      // Its own session and process group: a signal to the group reaches everything it started.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.once("error", (error) => {
      if (child.pid === undefined) settleOnce(spawnFailure(error, command.file));
    });
    child.once("exit", (exitCode, signal) => {
      if (signal !== null) settleOnce({ kind: "signalled", signal });
      else settleOnce({ kind: "exited", exitCode: exitCode ?? 0 });
    });
    return child;
  } catch (error) {
    queueMicrotask(() => settleOnce(spawnFailure(error, command.file)));
    return null;
  }
}
