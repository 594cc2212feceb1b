/** Runs the command line inside a test: own state directory, captured streams, scripted answers. */

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { CliIo } from "../io.ts";
import { runCli } from "../runCli.ts";

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunSettings {
  stdin?: string;
  /** Answers to questions; with them the run counts as interactive. */
  answers?: string[];
  env?: Record<string, string>;
  signal?: AbortSignal;
  onStdout?: (text: string) => void;
}

export interface CliHarness {
  stateDir: string;
  homeDir: string;
  env: Record<string, string>;
  run(args: string[], settings?: RunSettings): Promise<CliRun>;
  cleanUp(): Promise<void>;
}

/** A home of its own: `<home>/.openclaw` is the state directory, as on a fresh machine. */
export async function createCliHarness(): Promise<CliHarness> {
  const homeDir = await mkdtemp(path.join(os.tmpdir(), "sallyport-cli-"));
  const env = { PATH: process.env.PATH ?? "", HOME: homeDir, OPENCLAW_HOME: homeDir };
  return {
    homeDir,
    stateDir: path.join(homeDir, ".openclaw"),
    env,
    async run(args, settings = {}) {
      const run: CliRun = { code: 0, stdout: "", stderr: "" };
      const answers = [...(settings.answers ?? [])];
      const io: CliIo = {
        env: { ...env, ...settings.env },
        homeDir,
        cwd: homeDir,
        stdout: (text) => {
          run.stdout += text;
          settings.onStdout?.(text);
        },
        stderr: (text) => {
          run.stderr += text;
        },
        readStdin: async () => settings.stdin ?? "",
        isInteractive: settings.answers !== undefined,
        ask: async () => answers.shift() ?? "",
        askSecret: async () => answers.shift() ?? "",
        signal: settings.signal ?? new AbortController().signal,
      };
      run.code = await runCli(args, { io, version: "0.0.1", panelDir: null, startCommand: null });
      return run;
    },
    cleanUp: () => rm(homeDir, { recursive: true, force: true }),
  };
}
