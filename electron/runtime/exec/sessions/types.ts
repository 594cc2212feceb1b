/** The shapes that running a command needs: plans, children, states, results. */

/** One program of a pipeline, run without a shell. */
export interface ArgvCommand {
  /** What is executed: an absolute path. */
  file: string;
  /** The whole argument vector, `argv[0]` (the name the program sees) included. */
  argv: string[];
  /** Added to the child's environment for this program alone. */
  env?: Record<string, string> | undefined;
}

export type ChainOperator = "&&" | "||" | ";";

export interface ChainLink {
  /** Joins this link to the one before it; null on the first. */
  op: ChainOperator | null;
  pipeline: ArgvCommand[];
}

/** A command that was already judged: either argument vectors, or one shell with its text. */
export type RunPlan = { kind: "argv"; chain: ChainLink[] } | { kind: "shell"; file: string; args: string[] };

export type OutputStream = "stdout" | "stderr";

/** How a child (or the last program of a plan) ended. */
export type ChildExit =
  | { kind: "exited"; exitCode: number }
  | { kind: "signalled"; signal: string }
  /** Nothing ran. exitCode 127 = no such program, 126 = not executable, null = another reason. */
  | { kind: "spawnFailed"; exitCode: 126 | 127 | null; message: string };

export type WriteAnswer = { ok: true; bytes: number } | { ok: false; reason: string };

/** A running command behind pipes or a pseudo-terminal; the same for both. */
export interface RunningChild {
  /** Process id of the newest leader; undefined when nothing could be spawned. */
  readonly pid: number | undefined;
  readonly pty: boolean;
  /** Process ids of leaders that have not exited. Each leads its own process group. */
  livePids(): number[];
  /** Every leader ever started, exited ones included. */
  leaderPids(): number[];
  stdinOpen(): boolean;
  write(data: string | Uint8Array): WriteAnswer;
  /** Closes stdin; on a terminal it sends end-of-file (Ctrl-D). */
  end(): WriteAnswer;
  /** @returns false when there is no terminal or it is gone. */
  resize(cols: number, rows: number): boolean;
  /** Registers the one consumer of output. Chunks that came earlier are delivered at once. */
  onData(listener: (stream: OutputStream, chunk: Buffer) => void): void;
  /** Called once when the last program ended. Late registration is answered in a microtask. */
  onExit(listener: (exit: ChildExit) => void): void;
  /** Called once when no more output can come (every holder of the output closed it). */
  onClose(listener: () => void): void;
  /** No further program of the plan is started. Does not signal anything. */
  stopAdvancing(): void;
  /** Lets go of pipes that survivors still hold, so that nothing keeps this process busy. */
  release(): void;
}

export interface SpawnOptions {
  cwd: string;
  env: Record<string, string>;
}

export type StopReason = "kill" | "timeout" | "abort" | "dispose";

/** How a session ended, for people and for the exit notice. */
export type SessionOutcome =
  | { kind: "exited"; exitCode: number }
  | { kind: "signalled"; signal: string }
  | { kind: "spawnFailed"; exitCode: 126 | 127 | null; message: string }
  | { kind: "timedOut"; timeoutMs: number; signal: string | null }
  | { kind: "aborted"; signal: string | null }
  /** The kill was proven useless: no exit was seen within the settle time. */
  | { kind: "unsettled"; remainingPids: number[] }
  /** An adopted process went away; its exit code belongs to a parent that is gone. */
  | { kind: "lost" };

export type SessionState =
  | { kind: "running" }
  /** The command itself exited; processes it started still hold its output open. */
  | { kind: "outputHeld"; exit: ChildExit; exitedAtMs: number }
  | { kind: "stopping"; reason: StopReason; requestedAtMs: number; exit: ChildExit | null }
  | { kind: "ended"; outcome: SessionOutcome; endedAtMs: number; status: "completed" | "failed" };

export type Placement = "foreground" | "background";

export interface OutputCounters {
  bytesTotal: number;
  linesTotal: number;
  /** Over the last two seconds. */
  bytesPerSec: number;
}

/** What may be told about a session; plain JSON. */
export interface SessionInfo {
  sessionId: string;
  agentId: string;
  scopeKey: string;
  sessionKey: string | null;
  /** The tool call that started it, when the starter told. */
  toolCallId: string | null;
  command: string;
  /** Verb and first non-flag word, for narrow lists. */
  name: string;
  cwd: string;
  pid: number | null;
  pty: boolean;
  cols: number;
  rows: number;
  stdin: "open" | "closed";
  placement: Placement;
  /** True for a survivor of an earlier run: it has no output and no exit code. */
  adopted: boolean;
  state: SessionState;
  status: "running" | "completed" | "failed";
  startedAtMs: number;
  endedAtMs: number | null;
  runtimeMs: number;
  exitCode: number | null;
  exitSignal: string | null;
  /** The last 2000 characters of cleaned output. */
  tail: string;
  truncated: boolean;
  /** Bytes of raw output kept for a terminal that attaches now. */
  bytesKept: number;
  counters: OutputCounters;
}

export interface CompletedDetails {
  status: "completed";
  exitCode: number;
  durationMs: number;
  aggregated: string;
  cwd: string;
}

export interface FailedDetails {
  status: "failed";
  exitCode: number | null;
  durationMs: number;
  aggregated: string;
  cwd: string;
}

export interface RunningDetails {
  status: "running";
  sessionId: string;
  pid: number | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  cwd: string;
  tail: string;
}

/** The answer to an exec call: text for the model, details for the panel (spec exec §3.5). */
export interface ExecResult {
  text: string;
  details: CompletedDetails | FailedDetails | RunningDetails;
}
