/** What the commands of `sallyport policy` share: options, the source of the answers, problems of the config. */

import { type Command, Option } from "commander";
import type { FileProblem } from "../../../shared/contract/index.ts";
import type { HardeningPreset } from "../../../shared/hardening/rules.ts";
import type { CliContext } from "../context.ts";
import { safeText } from "../io.ts";
import { openPolicySource, type PolicySource } from "./policySource.ts";

export interface SharedOptions {
  config?: string;
  preset?: HardeningPreset;
  json?: boolean;
}

export function shared(command: Command): Command {
  return command
    .option("--config <file>", "an OpenClaw config file; absent: the running app, else the saved config")
    .addOption(
      new Option("--preset <name>", "rules; with --config absent means reference: as OpenClaw does").choices([
        "reference",
        "sallyport",
      ]),
    )
    .option("--json", "print JSON");
}

export async function withSource<T>(
  context: CliContext,
  options: SharedOptions,
  use: (source: PolicySource) => Promise<T>,
): Promise<T> {
  const source = await openPolicySource(context, options);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Problems of the config go to the error stream: the answer is still the answer. */
export function warn(context: CliContext, problems: readonly FileProblem[]): void {
  for (const { path: file, line, column, configPath, message } of problems) {
    const place = `${file}:${line ?? 1}:${column ?? 1}`;
    context.io.stderr(`${place}: ${configPath === null ? "" : `${configPath}: `}${safeText(message)}\n`);
  }
}
