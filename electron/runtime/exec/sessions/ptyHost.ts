/** Starts programs in a pseudo-terminal; node-pty is known to this file alone. */

import { createChildHub } from "./childHub.ts";
import type { RunningChild, SpawnOptions } from "./types.ts";

export const ptyDefaultCols = 120;
export const ptyDefaultRows = 30;

export interface PtySpawnOptions extends SpawnOptions {
  cols?: number;
  rows?: number;
}

/** Opens pseudo-terminals. `spawn` throws or rejects when the terminal cannot be opened at all. */
export interface PtyHost {
  spawn(file: string, args: string[], options: PtySpawnOptions): Promise<RunningChild>;
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
  let loading: Promise<NodePtyModule> | null = null;
  return {
    async spawn(file, args, spawnOptions) {
      // Loaded at the first use: a machine whose native module is broken still runs everything else.
      loading ??= load();
      const nodePty = await loading;
      const cols = spawnOptions.cols ?? ptyDefaultCols;
      const rows = spawnOptions.rows ?? ptyDefaultRows;
      const terminal = nodePty.spawn(file, args, {
        name: terminalName(spawnOptions.env),
        cols,
        rows,
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

  // The typings promise text; with encoding null the value is a Buffer.
  terminal.onData((data: unknown) =>
    hub.data("stdout", Buffer.isBuffer(data) ? data : Buffer.from(String(data))),
  );
  terminal.onExit(({ exitCode, signal }) => {
    isLive = false;
    disposeWriter(terminal);
    const signalNumber = signal ?? 0;
    if (signalNumber > 0)
      hub.exit({ kind: "signalled", signal: signalNames.get(signalNumber) ?? `signal ${signalNumber}` });
    else hub.exit({ kind: "exited", exitCode });
    hub.close();
  });

  const write = (data: string | Uint8Array) => {
    if (!isLive) return { ok: false as const, reason: "the terminal is closed" };
    const buffer = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
    terminal.write(buffer);
    return { ok: true as const, bytes: buffer.byteLength };
  };

  return {
    pid: terminal.pid,
    pty: true,
    livePids: () => (isLive ? [terminal.pid] : []),
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
      destroyTerminal(terminal);
    },
  };
}

/**
 * Unwritten input must not go to a file descriptor number that another file may have got meanwhile, so the
 * queue is dropped with the terminal. The method is public in node-pty but missing in its typings.
 */
function disposeWriter(terminal: NodePtyTerminal): void {
  destroyTerminal(terminal);
}

function destroyTerminal(terminal: NodePtyTerminal): void {
  const destroy: unknown = Reflect.get(terminal, "destroy");
  if (typeof destroy === "function") Reflect.apply(destroy, terminal, []);
}
