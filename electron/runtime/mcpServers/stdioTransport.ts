/** A server as a child process: own process group, bounded input, ended with everything that it started. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { createProcessTree, execMarkerName } from "../exec/sessions/index.ts";
import { createTreeIdentity, type TreeIdentity } from "../exec/sessions/processTree.ts";
import { createBrake, floodGuard, maxMessagesPerSecond } from "./floodGuard.ts";
import { createLineReader } from "./lineReader.ts";
import { mcpProblem } from "./problems.ts";

export interface StdioPlan {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

export interface OwnedTransport extends Transport {
  readonly pid: number | null;
  /** Resolves when nothing of the server is left, or after a bounded wait. */
  end(): Promise<void>;
}

/** One message: a picture of 5 MiB in base64 fits. */
export const maxMessageBytes = 8 * 1024 * 1024;
/** Printing to standard output is a common mistake of servers; a few lines of it are forgiven. */
const maxBadLines = 50;
/** Twice the largest message each second, and far more log than anybody reads; a server that writes more waits. */
export const maxOutputBytesPerSecond = 2 * maxMessageBytes;
const maxLogBytesPerSecond = 1024 * 1024;
/** What a server has not read yet of what it was sent. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** How long a server may take to end by itself after its input was closed. */
const politeMs = 500;

const tree = createProcessTree();

/** @param onStderr what it writes there, as it comes */
export function createStdioTransport(plan: StdioPlan, onStderr: (text: string) => void): OwnedTransport {
  const marker = randomUUID();
  let child: ChildProcess | null = null;
  let isOpen = false;
  let badLines = 0;
  let ending: Promise<void> | null = null;
  let identity: TreeIdentity | null = null;

  const fail = (error: Error) => {
    transport.onerror?.(error);
    closed();
  };
  const closed = () => {
    if (!isOpen) return;
    isOpen = false;
    child?.stdout?.destroy();
    transport.onclose?.();
  };
  const blankLine = floodGuard(() =>
    fail(mcpProblem("mcp.flood", { perSecond: maxMessagesPerSecond }, "It writes too many lines.")),
  );
  const reader = createLineReader(maxMessageBytes, {
    onLine(line) {
      // What came together with the line that ended it.
      if (!isOpen) return;
      if (line.trim() === "") return blankLine();
      const message = parseMessage(line);
      if (message !== null) return transport.onmessage?.(message);
      badLines += 1;
      if (badLines === maxBadLines)
        fail(mcpProblem("mcp.notMcp", {}, "It writes lines that are no MCP messages."));
    },
    onTooLong: () =>
      fail(
        mcpProblem(
          "mcp.messageTooLarge",
          { maxBytes: maxMessageBytes },
          `It sent a message of more than ${maxMessageBytes} bytes.`,
        ),
      ),
  });

  const start = () =>
    new Promise<void>((resolve, reject) => {
      const started = spawn(plan.command, [...plan.args], {
        cwd: plan.cwd,
        // By the marker its descendants are found, and no process below it counts as a person's.
        env: { ...plan.env, [execMarkerName]: marker },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
      });
      child = started;
      started.once("error", (cause) => {
        const code = "code" in cause ? String(cause.code) : "";
        reject(spawnProblem(plan.command, code, cause));
        closed();
      });
      started.once("spawn", () => {
        isOpen = true;
        resolve();
      });
      started.once("exit", (exitCode, signal) => {
        if (!isOpen || ending !== null) return closed();
        fail(exitProblem(exitCode, signal));
      });
      if (started.pid !== undefined) {
        const { pid } = started;
        const livePids = () => (started.exitCode === null && started.signalCode === null ? [pid] : []);
        identity = createTreeIdentity(marker, { livePids, leaderPids: () => [pid] });
      }
      // A reset pipe is noticed by the exit that follows.
      for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.on("error", () => {});
      const outputBrake = createBrake(started.stdout, maxOutputBytesPerSecond);
      started.stdout.on("data", (chunk: Buffer) => {
        outputBrake(chunk.length);
        if (isOpen) reader.push(chunk);
      });
      started.stdout.once("end", () => {
        // Without its output nothing can be asked of it any more, whether or not it runs on.
        if (ending === null)
          setTimeout(() => isOpen && fail(exitProblem(started.exitCode, null)), politeMs).unref();
      });
      const logBrake = createBrake(started.stderr, maxLogBytesPerSecond);
      started.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        logBrake(chunk.length);
        onStderr(chunk);
      });
    });

  const endAll = async () => {
    closed();
    const leader = child;
    if (leader === null || identity === null) return;
    leader.stdin?.end();
    await exitWithin(leader, politeMs);
    await tree.end(identity);
    leader.stdout?.destroy();
    leader.stderr?.destroy();
  };

  const transport: OwnedTransport = {
    get pid() {
      return isOpen ? (child?.pid ?? null) : null;
    },
    start,
    async send(message) {
      const input = child?.stdin;
      if (!isOpen || input === null || input === undefined || !input.writable)
        throw mcpProblem("mcp.ended", {}, "The MCP server has ended.");
      const line = `${JSON.stringify(message)}\n`;
      if (input.writableLength + line.length > maxUnreadBytes) {
        const problem = mcpProblem("mcp.notReading", {}, "It does not read what it is sent.");
        fail(problem);
        throw problem;
      }
      input.write(line);
    },
    async close() {
      await transport.end();
    },
    end() {
      ending ??= endAll();
      return ending;
    },
  };
  return transport;
}

function parseMessage(line: string): JSONRPCMessage | null {
  try {
    const parsed = JSONRPCMessageSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    // No JSON: counted as a bad line by the caller.
    return null;
  }
}

function exitWithin(child: ChildProcess, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function spawnProblem(command: string, code: string, cause: unknown): Error {
  if (code === "ENOENT" || code === "ENOTDIR")
    return mcpProblem("mcp.noProgram", { program: command }, `There is no program ${command}.`, cause);
  if (code === "EACCES" || code === "EPERM")
    return mcpProblem("mcp.notExecutable", { program: command }, `${command} may not be run.`, cause);
  return mcpProblem(
    "mcp.spawnFailed",
    { program: command, error: code },
    `${command} cannot be started.`,
    cause,
  );
}

function exitProblem(exitCode: number | null, signal: NodeJS.Signals | null): Error {
  if (signal !== null) return mcpProblem("mcp.killed", { signal }, `It was ended by ${signal}.`);
  if (exitCode === null) return mcpProblem("mcp.closedOutput", {}, "It closed its output.");
  return mcpProblem("mcp.exited", { exitCode }, `It ended with exit code ${exitCode}.`);
}
