/** `sallyport config`: read, change and check openclaw.json. */

import { Command } from "commander";
import JSON5 from "json5";
import type { FileProblem } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { openAccess, placeOf } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { refuseSelfApproval } from "../selfApproval.ts";
import { readInput } from "./approvals.ts";

export function configCommand(context: CliContext): Command {
  return new Command("config")
    .description("Read, change and check openclaw.json")
    .addCommand(getCommand(context))
    .addCommand(setCommand(context))
    .addCommand(unsetCommand(context))
    .addCommand(validateCommand(context));
}

function getCommand(context: CliContext): Command {
  return new Command("get")
    .description("Print the config, or one value of it; secrets are redacted")
    .argument("[path]", "dotted path, for example tools.exec.ask")
    .option("--json", "print JSON")
    .action(async (path: string | undefined, { json }: { json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const view = await access.rpc.call("config.get", {});
        if (!view.valid) throw new AppError("UNAVAILABLE", problemText(view.path, view.issues));
        if (path === undefined) {
          const text = view.raw ?? JSON.stringify(view.config ?? {}, null, 2);
          print(context, json, view, [
            view.exists ? text.trimEnd() : `${view.path} does not exist; defaults count.`,
          ]);
          return;
        }
        const value = valueAt(view.config ?? {}, path);
        if (value === undefined) throw new AppError("NOT_FOUND", `${path} is not set in ${view.path}.`);
        print(context, json, value, [typeof value === "string" ? value : JSON.stringify(value, null, 2)]);
      } finally {
        await access.close();
      }
    });
}

function setCommand(context: CliContext): Command {
  return new Command("set")
    .description("Set one value in place; comments and formatting stay")
    .argument("<path>", "dotted path; numbers index lists")
    .argument("<value>", "JSON5; what is not JSON5 is taken as text")
    .option("--json", "print JSON")
    .action(async (path: string, text: string, { json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "change the config");
      const access = await openAccess(context.io, context.version);
      try {
        const view = await access.rpc.call("config.setPath", { path, value: parseValue(text) });
        print(context, json, view, [`Set ${path} in ${view.path}.`]);
      } finally {
        await access.close();
      }
    });
}

function unsetCommand(context: CliContext): Command {
  return new Command("unset")
    .description("Remove one value in place; comments and formatting stay")
    .argument("<path>", "dotted path; numbers index lists")
    .option("--json", "print JSON")
    .action(async (path: string, { json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "change the config");
      const access = await openAccess(context.io, context.version);
      try {
        const view = await access.rpc.call("config.setPath", { path });
        print(context, json, view, [`Removed ${path} from ${view.path}.`]);
      } finally {
        await access.close();
      }
    });
}

function validateCommand(context: CliContext): Command {
  return new Command("validate")
    .description("Check a config file; exit code 1 when it has problems")
    .argument("[file]", "absent: the config of the state directory")
    .option("--json", "print JSON")
    .action(async (file: string | undefined, { json }: { json?: boolean }) => {
      const path = file ?? placeOf(context.io).paths.config;
      const raw = await readInput(context, path);
      const access = await openAccess(context.io, context.version);
      try {
        const result = await access.rpc.call("config.validate", { raw });
        if (!result.valid) context.exitCode = 1;
        print(
          context,
          json,
          { path, ...result },
          result.valid ? [`${path} is valid.`] : [problemText(path, result.issues)],
        );
      } finally {
        await access.close();
      }
    });
}

function problemText(path: string, issues: FileProblem[]): string {
  const lines = issues.map(
    ({ line, column, configPath, message }) =>
      `${path}:${line ?? 1}:${column ?? 1}: ${configPath === null ? "" : `${configPath}: `}${message}`,
  );
  return lines.length === 0 ? `${path} is not valid.` : lines.join("\n");
}

/** JSON5; what is not JSON5 is taken as text. */
export function parseValue(text: string): unknown {
  try {
    return JSON5.parse(text) as unknown;
  } catch {
    // `set tools.profile coding` is what people type: a bare word is a text.
    return text;
  }
}

function valueAt(root: unknown, path: string): unknown {
  let current: unknown = root;
  for (const part of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}
