/** Turns a judged plan into a running child: directly, behind pipes, or in a terminal with a fallback to pipes. */

import { accessSync, constants, statSync } from "node:fs";
import { basename } from "node:path";
import { AppError, messageOf } from "../../../../shared/errors/index.ts";
import type { ExecutionPlan } from "../../../../shared/exec/types.ts";
import { singleQuote } from "../../../../shared/exec/words.ts";
import { createChildHub } from "./childHub.ts";
import { type PipeHost, spawnFailure } from "./pipeChild.ts";
import { execMarkerName } from "./processTable.ts";
import type { PtyHost } from "./ptyHost.ts";
import type { ArgvCommand, ChainLink, RunningChild, RunPlan, SpawnOptions } from "./types.ts";

/** @param shell runs the texts of plans of kind "shell" and "rebuilt": program and the option before the text */
export function runPlanFrom(plan: ExecutionPlan, shell: { file: string; args: string[] }): RunPlan {
  if (plan.kind !== "argv") return { kind: "shell", file: shell.file, args: [...shell.args, plan.text] };
  let op: ChainLink["op"] = null;
  const chain: ChainLink[] = [];
  for (const pipeline of plan.pipelines) {
    chain.push({ op, pipeline: pipeline.commands.map(({ file, argv }) => ({ file, argv })) });
    op = pipeline.operatorAfter ?? ";";
  }
  return { kind: "argv", chain };
}

const envNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

function keepsItsName(command: ArgvCommand): boolean {
  const name = command.argv[0];
  return name === undefined || basename(name) === basename(command.file);
}

function quoteCommand(command: ArgvCommand): string {
  const own = Object.entries(command.env ?? {}).filter(([name]) => name !== execMarkerName);
  const assignments = own.map(([name, value]) => {
    if (!envNamePattern.test(name))
      throw new AppError("INVALID_INPUT", `Environment name ${JSON.stringify(name)} cannot be used.`);
    return `${name}=${singleQuote(value)}`;
  });
  const words = [command.file, ...command.argv.slice(1)].map(singleQuote);
  if (keepsItsName(command)) return [...assignments, ...words].join(" ");
  // A program with several faces (busybox, systemctl) decides by the name it was called with.
  const name = singleQuote(command.argv[0] ?? command.file);
  return `(${[...assignments, "exec -a", name, ...words].join(" ")})`;
}

/** Text of a chain for a shell: every word single-quoted, so that nothing is expanded. */
export function quoteChain(chain: readonly ChainLink[]): string {
  return chain
    .map((link, index) => {
      const text = link.pipeline.map(quoteCommand).join(" | ");
      return index === 0 ? text : `${link.op ?? ";"} ${text}`;
    })
    .join(" ");
}

/** What to open in a terminal, or why the plan cannot run in one. */
function terminalCommand(
  plan: RunPlan,
): { kind: "direct"; file: string; args: string[] } | { kind: "unsuitable"; reason: string } {
  if (plan.kind === "shell") return { kind: "direct", file: plan.file, args: plan.args };
  const members = plan.chain.flatMap((link) => link.pipeline);
  const only = members[0];
  const needsName = members.some((member) => !keepsItsName(member));
  if (members.length === 1 && only !== undefined && !needsName && only.env === undefined)
    return { kind: "direct", file: only.file, args: only.argv.slice(1) };
  const shell = needsName ? "/bin/bash" : "/bin/sh";
  if (!isExecutable(shell)) return { kind: "unsuitable", reason: `${shell} is not available` };
  return { kind: "direct", file: shell, args: ["-c", quoteChain(plan.chain)] };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Whatever the reason, it cannot be run.
    return false;
  }
}

export interface LaunchOptions extends SpawnOptions {
  pty: boolean;
  beforeLink?: ((linkIndex: number) => Promise<void>) | undefined;
}

export interface Launched {
  child: RunningChild;
  warnings: string[];
}

/**
 * Spawns at once. Never throws for a program that cannot be started: that is an exit of the child.
 * A terminal that cannot be opened becomes pipes with open stdin and a warning.
 * @param ptyProblem why no terminal can be opened, when that is known already
 */
export function launch(
  plan: RunPlan,
  options: LaunchOptions,
  hosts: { pipeHost: PipeHost; ptyHost: PtyHost },
  ptyProblem: string | null = null,
): Launched {
  if (!options.pty)
    return { child: hosts.pipeHost.start(plan, { ...options, stdin: "closed" }), warnings: [] };
  const fallBack = (reason: string): Launched => ({
    child: hosts.pipeHost.start(plan, { ...options, stdin: "open" }),
    warnings: [`Warning: no terminal could be opened (${reason}); the command runs with plain pipes.`],
  });
  if (ptyProblem !== null) return fallBack(ptyProblem);
  const command = terminalCommand(plan);
  if (command.kind === "unsuitable") return fallBack(command.reason);
  // node-pty forks first and can tell about neither of these.
  const failure = spawnProblem(command.file, options.cwd);
  if (failure !== null) return { child: failedChild(command.file, failure), warnings: [] };
  try {
    return { child: hosts.ptyHost.spawn(command.file, command.args, options), warnings: [] };
  } catch (error) {
    return fallBack(messageOf(error));
  }
}

function spawnProblem(file: string, cwd: string): unknown {
  try {
    if (!statSync(cwd).isDirectory()) return new Error(`working directory ${cwd} is not a directory`);
    // A bare name is looked up by the system at spawning.
    if (file.includes("/")) accessSync(file, constants.X_OK);
    return null;
  } catch (error) {
    return error;
  }
}

function failedChild(file: string, error: unknown): RunningChild {
  const hub = createChildHub();
  hub.exit(spawnFailure(error, file));
  hub.close();
  const refusal = { ok: false as const, reason: "stdin is not writable" };
  return {
    pid: undefined,
    pty: true,
    livePids: () => [],
    leaderPids: () => [],
    stdinOpen: () => false,
    write: () => refusal,
    end: () => refusal,
    resize: () => false,
    onData: hub.onData,
    onExit: hub.onExit,
    onClose: hub.onClose,
    stopAdvancing() {},
    release() {},
  };
}
