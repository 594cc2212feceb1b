/** `sallyport policy whatif`: which tools a change of the config would give or take, before and while it is saved. */

import { Command, Option } from "commander";
import { AppError } from "../../../shared/errors/index.ts";
import { unifiedDiff } from "../../../shared/files/index.ts";
import type { HardeningPreset } from "../../../shared/hardening/rules.ts";
import { applyEdits, type DocumentEdit, parseDottedPath } from "../../../shared/json5/index.ts";
import { type Access, openAccess } from "../access.ts";
import { readInput } from "../commands/approvals.ts";
import { parseValue } from "../commands/config.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";
import { fileLines } from "./checkCommand.ts";
import { type ContextOptions, toContext, withContext } from "./contextOptions.ts";
import { asUsage, usage } from "./policySource.ts";
import { sandboxLines } from "./traceText.ts";

interface WhatIfOptions extends ContextOptions {
  set?: string[];
  config?: string;
  preset?: HardeningPreset;
  apply?: boolean;
  json?: boolean;
}

/** What a file that does not exist yet starts from. */
const emptyText = "{\n}\n";
const maxDiffChars = 65_536;

export function whatIfCommand(context: CliContext): Command {
  const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  return withContext(new Command("whatif"))
    .description(
      "Show which tools a change of the saved config would give or take in a context; --apply saves it",
    )
    .option(
      "--set <path=value>",
      "set one value, for example tools.profile=minimal; a path without = removes the value; may be repeated",
      collect,
    )
    .option("--config <file>", "the whole edited config instead of single values")
    .addOption(new Option("--preset <name>", "rules to ask with").choices(["reference", "sallyport"]))
    .option("--apply", "show the difference of the text and save it; comments stay")
    .option("--json", "print JSON")
    .action(async (options: WhatIfOptions) => {
      if ((options.config === undefined) === (options.set === undefined))
        throw usage("Say what to change: either --set PATH=VALUE (as often as needed) or --config FILE.");
      if (options.apply === true) refuseSelfApproval(context.io.env, "change the config");
      const whole =
        options.config === undefined ? undefined : await readInput(context, options.config).catch(asUsage);
      const access = await openAccess(context.io, context.version);
      try {
        await whatIf(context, access, options, whole);
      } finally {
        await access.close();
      }
    });
}

async function whatIf(
  context: CliContext,
  { rpc }: Access,
  options: WhatIfOptions,
  whole: string | undefined,
): Promise<void> {
  const view = await rpc.call("config.get", {});
  const saved = view.exists ? view.raw : emptyText;
  if (saved === null || !view.valid)
    throw new AppError(
      "UNAVAILABLE",
      `${view.path} cannot be read, so there is nothing to compare with. Mend it first.`,
    );
  const edited = whole ?? applyEdits(saved, (options.set ?? []).map(editOf));
  const preset = options.preset === undefined ? {} : { preset: options.preset };
  const asked = await toContext(options, {
    defaultAgent: async () =>
      (await rpc.call("policy.contexts", {})).agents.find(({ isDefault }) => isDefault)?.id ?? "main",
    seen: async () => (await rpc.call("policy.contexts", {})).seen,
  });
  const compared = await rpc.call("policy.compare", {
    a: { context: asked, ...preset },
    b: { context: asked, configText: edited, ...preset },
  });
  const checked = await rpc.call("policy.check", { configText: edited, ...preset });
  const broken = checked.results.filter(({ kind }) => kind !== "proved");
  const diff = unifiedDiff(saved, edited, maxDiffChars).text;
  const { comparison, text, sandboxFromConfig } = compared;
  const written =
    options.apply === true && edited !== saved
      ? await rpc.call("config.set", { raw: edited, baseHash: view.hash })
      : undefined;
  if (broken.length > 0 || checked.problems.length > 0) context.exitCode = 1;
  print(
    context,
    options.json,
    {
      comparison,
      text,
      diff,
      assertions: checked.results,
      problems: checked.problems,
      isApplied: written !== undefined,
    },
    [
      comparison.rows.length === 0
        ? "No tool is given or taken in this context."
        : `+ would be given (${comparison.gained.length})   - would be taken (${comparison.lost.length})   ~ removed at another stage   . same end, other way`,
      ...text.map(safeText),
      ...sandboxLines(sandboxFromConfig.b),
      ...checked.problems.map(({ configPath, message }) =>
        safeText(
          `The edited config would be refused: ${configPath === null ? "" : `${configPath}: `}${message}`,
        ),
      ),
      ...fileLines({ name: "assertions", results: broken }),
      ...(options.apply === true ? ["", ...diff.split("\n").map(safeText)] : []),
      written === undefined
        ? options.apply === true
          ? `Nothing differs from ${view.path}.`
          : "Nothing was written. --apply saves it."
        : `Saved ${written.path}.`,
    ],
  );
}

/** @throws AppError with `data.usage` for a change without a path */
function editOf(words: string): DocumentEdit {
  const at = words.indexOf("=");
  const path = (at < 0 ? words : words.slice(0, at)).trim();
  if (path === "")
    throw usage(`Cannot read "${words}". Write PATH=VALUE, for example tools.profile=minimal.`);
  return at < 0
    ? { op: "remove", path: parseDottedPath(path) }
    : { op: "set", path: parseDottedPath(path), value: parseValue(words.slice(at + 1)) };
}
