/** `sallyport approvals`: the approvals file and the requests that wait. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import JSON5 from "json5";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { openAccess } from "../access.ts";
import { type CliContext, print, reasonText } from "../context.ts";
import { refuseSelfApproval } from "../selfApproval.ts";
import { historyCommand, pendingCommand, resolveCommand, watchCommand } from "./approvalRequests.ts";
import { grantsCommand } from "./grants.ts";
import { pauseCommand, resumeCommand } from "./pauses.ts";

export function approvalsCommand(context: CliContext): Command {
  return new Command("approvals")
    .alias("exec-approvals")
    .description("The approvals file, and commands that wait for a decision")
    .addCommand(getCommand(context))
    .addCommand(setCommand(context))
    .addCommand(allowlistCommand(context))
    .addCommand(grantsCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(pendingCommand(context))
    .addCommand(watchCommand(context))
    .addCommand(resolveCommand(context))
    .addCommand(historyCommand(context));
}

function getCommand(context: CliContext): Command {
  return new Command("get")
    .description("Show the approvals file and its allowlist entries")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const view = await access.rpc.call("exec.approvals.get", {});
        if (view.state === "broken") context.exitCode = 1;
        print(context, json, view, [
          `${view.path} (${view.state})`,
          ...view.problems.map(
            (problem) => `  ${problem.line ?? "?"}:${problem.column ?? "?"} ${problem.message}`,
          ),
          ...view.entries.map(
            (entry) =>
              `  ${entry.agentId}  ${entry.pattern}${sourceText(entry.source)}${entry.findings.map((finding) => `  ! ${reasonText(finding)}`).join("")}`,
          ),
          ...(view.entries.length === 0 && view.state !== "broken" ? ["  no allowlist entries"] : []),
        ]);
      } finally {
        await access.close();
      }
    });
}

function sourceText(source: "always" | "hand" | "file" | undefined): string {
  if (source === "always") return "  (stored by an answer)";
  return source === "hand" ? "  (added by hand)" : "";
}

function setCommand(context: CliContext): Command {
  return new Command("set")
    .description("Replace the approvals file by JSON5 from a file or from standard input")
    .option("--file <path>", "read this file")
    .option("--stdin", "read standard input")
    .option("--json", "print JSON")
    .action(async (options: { file?: string; stdin?: boolean; json?: boolean }) => {
      if ((options.file === undefined) === (options.stdin !== true)) {
        throw new AppError("INVALID_INPUT", "Give exactly one of --file PATH and --stdin.", {
          data: { usage: true },
        });
      }
      refuseSelfApproval(context.io.env, "change what may run");
      const text =
        options.file === undefined ? await context.io.readStdin() : await readInput(context, options.file);
      const file = parseObject(text, options.file ?? "standard input");
      const access = await openAccess(context.io, context.version);
      try {
        if (access.via === "files") context.io.stderr("Writing local approvals.\n");
        const { hash } = await access.rpc.call("exec.approvals.get", {});
        const view = await access.rpc.call("exec.approvals.set", {
          file: { ...file, version: 1 },
          baseHash: hash,
        });
        print(context, options.json, view, [`Wrote ${view.path}: ${view.entries.length} allowlist entries.`]);
      } finally {
        await access.close();
      }
    });
}

interface AllowlistOptions {
  agent: string;
  json?: boolean;
}

function allowlistCommand(context: CliContext): Command {
  const withOptions = (command: Command) =>
    command
      .argument("<pattern>", "path of a program; ~ and globs are understood when a command is checked")
      .option("--agent <id>", "agent that the entry is for; * = every agent", "*")
      .option("--json", "print JSON");
  const run = async (pattern: string, change: "add" | "remove", { agent, json }: AllowlistOptions) => {
    refuseSelfApproval(context.io.env, "change what may run");
    const input = { pattern: pattern.trim(), agentId: agent };
    if (input.pattern === "") {
      throw new AppError("INVALID_INPUT", "The pattern is empty.", { data: { usage: true } });
    }
    const access = await openAccess(context.io, context.version);
    try {
      if (access.via === "files") context.io.stderr("Writing local approvals.\n");
      if (change === "add") {
        const result = await access.rpc.call("exec.approvals.allowlistAdd", input);
        print(context, json, result, [
          result.added ? `Added ${input.pattern} for agent ${agent}.` : "Already allowlisted.",
          ...result.findings.map((finding) => `! ${reasonText(finding)}`),
        ]);
        return;
      }
      const result = await access.rpc.call("exec.approvals.allowlistRemove", input);
      print(context, json, result, [
        result.removed ? `Removed ${input.pattern} for agent ${agent}.` : "Pattern not found.",
      ]);
    } finally {
      await access.close();
    }
  };
  return new Command("allowlist")
    .description("Programs that may run without asking")
    .addCommand(
      withOptions(new Command("add").description("Let a program run without asking")).action(
        (pattern: string, options: AllowlistOptions) => run(pattern, "add", options),
      ),
    )
    .addCommand(
      withOptions(new Command("remove").description("Ask for a program again")).action(
        (pattern: string, options: AllowlistOptions) => run(pattern, "remove", options),
      ),
    );
}

/** @throws AppError with the path in its message */
export async function readInput(context: CliContext, file: string): Promise<string> {
  try {
    return await readFile(path.resolve(context.io.cwd, file), "utf8");
  } catch (cause) {
    throw new AppError("NOT_FOUND", `Cannot read ${file}: ${messageOf(cause)}.`, { cause });
  }
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_INPUT", `${name} is not valid JSON5: ${messageOf(cause)}.`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("INVALID_INPUT", `${name} must hold one object, as exec-approvals.json does.`);
  }
  return value as Record<string, unknown>;
}
