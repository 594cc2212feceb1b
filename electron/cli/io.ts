/** What a command may touch of the world: streams, environment, questions. Tests bring their own. */

import { closeSync, constants, openSync, readSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { escapeForDisplay } from "../../shared/exec/displayCommand.ts";

export interface CliIo {
  env: Record<string, string | undefined>;
  homeDir: string;
  cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  readStdin(): Promise<string>;
  /** Whether a person sits at both ends. */
  isInteractive: boolean;
  /** Asks on the terminal, and takes only what is typed after the question; only called when `isInteractive`. */
  ask(question: string): Promise<string>;
  /** Like `ask`, without showing what is typed. */
  askSecret(question: string): Promise<string>;
  /** Aborts on Ctrl+C and SIGTERM. */
  signal: AbortSignal;
}

/** @returns the streams and environment of this process */
export function processIo(homeDir: string): CliIo {
  const ended = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => ended.abort(name));
  // A reader that went away (`| head`) is no failure of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  return {
    env: process.env,
    homeDir,
    cwd: process.cwd(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    async readStdin() {
      let text = "";
      process.stdin.setEncoding("utf8");
      for await (const chunk of process.stdin) text += chunk;
      return text;
    },
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    async ask(question) {
      dropTypedAhead();
      const reader = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await reader.question(question, { signal: ended.signal });
      } finally {
        reader.close();
      }
    },
    async askSecret(question) {
      process.stderr.write(question);
      // The terminal shows nothing: readline writes what is typed into a stream that keeps none of it.
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
      const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
      try {
        return await reader.question("", { signal: ended.signal });
      } finally {
        reader.close();
        process.stderr.write("\n");
      }
    },
    signal: ended.signal,
  };
}

/** Of what was typed ahead; who pastes more than this is asked all the same. */
const maxDroppedReads = 256;

/**
 * What was typed before a question was shown is no answer to it.
 * @throws Error of the system when the terminal cannot be read
 */
function dropTypedAhead(): void {
  const { stdin } = process;
  if (stdin.isTTY !== true || process.platform === "win32") return;
  if (stdin.readableLength > 0) stdin.read();
  const wasRaw = stdin.isRaw;
  // A begun line without its end is kept back by the terminal until it is raw.
  stdin.setRawMode(true);
  try {
    const terminal = openTerminal();
    try {
      const dropped = Buffer.alloc(4096);
      for (let reads = 0; reads < maxDroppedReads && readNow(terminal, dropped) > 0; reads += 1);
    } finally {
      closeSync(terminal);
    }
  } finally {
    stdin.setRawMode(wasRaw);
  }
}

function openTerminal(): number {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  try {
    return openSync("/dev/tty", flags);
  } catch (error) {
    // A session without a terminal of its own; only Linux opens the one at standard input anew.
    if (process.platform === "linux" && isSystemError(error, "ENXIO")) return openSync("/dev/stdin", flags);
    throw error;
  }
}

/** @returns how many bytes there were; 0 when nothing waits */
function readNow(terminal: number, into: Buffer): number {
  try {
    return readSync(terminal, into);
  } catch (error) {
    if (isSystemError(error, "EAGAIN")) return 0;
    throw error;
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Makes text of an agent harmless on a terminal: control characters, which could move the cursor or hide words, and
 * all that the panel marks because it cannot be seen are shown as escapes. Line breaks stay.
 */
export function safeText(text: string): string {
  return escapeForDisplay(text).replaceAll("\t", "\\u{9}");
}

/** Like `safeText`, for a fact on one line: a line break in it would begin a line that looks like one of ours. */
export function safeLine(text: string): string {
  return safeText(text).replaceAll("\n", "\\n");
}

/** JSON that a terminal cannot take for commands either: the same value, with escapes where characters would act. */
export function safeJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u00ad\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join(""),
  );
}
