/** What a command may touch of the world: streams, environment, questions. Tests bring their own. */

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
  /** Asks on the terminal; only called when `isInteractive`. */
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
