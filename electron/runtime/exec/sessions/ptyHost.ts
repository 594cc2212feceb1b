/** Starts programs in a pseudo-terminal; node-pty is known to this file alone. */

import { AppError } from "../../../../shared/errors/index.ts";
import { createChildHub } from "./childHub.ts";
import { holdUntilDrained } from "./ptyDrain.ts";
import { createPtyInput, type PtyInput } from "./ptyInput.ts";
import type { RunningChild, SpawnOptions, WriteAnswer } from "./types.ts";

export const ptyDefaultCols = 120;
export const ptyDefaultRows = 30;

export interface PtySpawnOptions extends SpawnOptions {
  cols?: number;
  rows?: number;
}

/** Opens pseudo-terminals. */
export interface PtyHost {
  /** Rejects when this machine cannot open terminals. Resolves before the last checks, so that `spawn` is immediate. */
  ready(): Promise<void>;
  /** Throws when the terminal cannot be opened, or when `ready` was not awaited. */
  spawn(file: string, args: string[], options: PtySpawnOptions): RunningChild;
}

/** The part of node-pty's terminal that is used here. With `encoding: null` data are Buffers. */
interface NodePtyTerminal {
  readonly pid: number;
  onData(listener: (data: string) => void): unknown;
  onExit(listener: (event: { exitCode: number; signal?: number | undefined }) => void): unknown;
  write(data: string | Buffer): void;
  resize(cols: number, rows: number): void;
}

type NodePtyModule = typeof import("node-pty");

export interface NodePtyHostOptions {
  /** Gives the module; the default loads the installed one. A failure here makes every spawn reject. */
  load?: () => Promise<NodePtyModule>;
}

export function createNodePtyHost(options: NodePtyHostOptions = {}): PtyHost {
  const load = options.load ?? (() => import("node-pty"));
  let nodePty: NodePtyModule | null = null;
  return {
    async ready() {
      // Loaded at the first use: a machine whose native module is broken still runs everything else.
      nodePty ??= await load();
    },
    spawn(file, args, spawnOptions) {
      if (nodePty === null) throw new AppError("INTERNAL", "The terminal host was used before it was ready.");
      const terminal = nodePty.spawn(file, args, {
        name: terminalName(spawnOptions.env),
        cols: spawnOptions.cols ?? ptyDefaultCols,
        rows: spawnOptions.rows ?? ptyDefaultRows,
        cwd: spawnOptions.cwd,
        env: spawnOptions.env,
        encoding: null,
      });
      return wrapTerminal(terminal);
    },
  };
}

/** TERM of the child's environment, else xterm-256color. */
export function terminalName(env: Record<string, string>): string {
  const name = env.TERM?.trim();
  return name === undefined || name === "" ? "xterm-256color" : name;
}

const signalNames = new Map<number, string>([
  [1, "SIGHUP"],
  [2, "SIGINT"],
  [3, "SIGQUIT"],
  [4, "SIGILL"],
  [6, "SIGABRT"],
  [8, "SIGFPE"],
  [9, "SIGKILL"],
  [11, "SIGSEGV"],
  [13, "SIGPIPE"],
  [14, "SIGALRM"],
  [15, "SIGTERM"],
]);

const END_OF_TRANSMISSION = "\u0004";

function wrapTerminal(terminal: NodePtyTerminal): RunningChild {
  const hub = createChildHub();
  let isLive = true;

  const input = inputOf(terminal, () => isLive);

  // node-pty throws read errors out of an event handler unless somebody else listens for them too. The end of
  // the terminal is reported as its exit, so there is nothing to do here.
  callIfPresent(terminal, "on", ["error", () => {}]);
  const drain = holdUntilDrained(terminal, (chunk) => hub.data("stdout", chunk));
  // The typings promise text; with encoding null the value is a Buffer.
  terminal.onData((data: unknown) =>
    hub.data("stdout", Buffer.isBuffer(data) ? data : Buffer.from(String(data))),
  );
  terminal.onExit(({ exitCode, signal }) => {
    isLive = false;
    input?.close();
    drain.release();
    destroyTerminal(terminal);
    const signalNumber = signal ?? 0;
    if (signalNumber > 0)
      hub.exit({ kind: "signalled", signal: signalNames.get(signalNumber) ?? `signal ${signalNumber}` });
    else hub.exit({ kind: "exited", exitCode });
    hub.close();
  });

  const write = (data: string | Uint8Array): WriteAnswer => {
    if (!isLive) return { ok: false as const, reason: "the terminal is closed" };
    const buffer = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
    if (input !== null) return input.write(buffer);
    terminal.write(buffer);
    return { ok: true as const, bytes: buffer.byteLength };
  };

  return {
    pid: terminal.pid,
    pty: true,
    livePids: () => (isLive ? [terminal.pid] : []),
    leaderPids: () => [terminal.pid],
    stdinOpen: () => isLive,
    write,
    end: () => write(END_OF_TRANSMISSION),
    resize(cols, rows) {
      if (!isLive || !(cols > 0 && rows > 0)) return false;
      try {
        terminal.resize(Math.floor(cols), Math.floor(rows));
        return true;
      } catch {
        // The program ended between the check and the call; its exit event is on the way.
        return false;
      }
    },
    onData: hub.onData,
    onExit: hub.onExit,
    onClose: hub.onClose,
    stopAdvancing() {},
    release() {
      isLive = false;
      input?.close();
      drain.release();
      destroyTerminal(terminal);
    },
  };
}

/**
 * Closes the descriptor and drops unwritten input: its number may soon belong to another file. The method is
 * public in node-pty but missing in its typings.
 */
function destroyTerminal(terminal: NodePtyTerminal): void {
  callIfPresent(terminal, "destroy", []);
}

/** @returns null where the terminal has no descriptor of its own (Windows) */
function inputOf(terminal: NodePtyTerminal, isLive: () => boolean): PtyInput | null {
  const fd: unknown = Reflect.get(terminal, "fd");
  if (typeof fd !== "number" || process.platform === "win32") return null;
  // The reading side closes the descriptor, by itself too, and says so before it does.
  const isOpen = () => {
    const reader: unknown = Reflect.get(terminal, "_socket");
    return (
      isLive() && (typeof reader !== "object" || reader === null || Reflect.get(reader, "destroyed") !== true)
    );
  };
  return createPtyInput(fd, isOpen);
}

function callIfPresent(target: object, name: string, args: unknown[]): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method === "function") Reflect.apply(method, target, args);
}
