/** `sallyport policy whatif`: which tools a change of the config would give or take, before and while it is saved. */

import { Command, Option } from "commander";
import type { FileProblem, SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { unifiedDiff } from "../../../shared/files/index.ts";
import type { HardeningPreset } from "../../../shared/hardening/rules.ts";
import { applyEdits, type DocumentEdit, parseDottedPath } from "../../../shared/json5/index.ts";
import type { MethodOutput } from "../../../shared/rpc/index.ts";
import { type Access, openAccess } from "../access.ts";
import { readInput } from "../commands/approvals.ts";
import { parseValue } from "../commands/config.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";
import { fileLines } from "./checkCommand.ts";
import { type ContextOptions, toContext, withContext } from "./contextOptions.ts";
import { withSource } from "./policyOptions.ts";
import { asUsage, readConfigText, usage } from "./policySource.ts";
import { sandboxLines } from "./traceText.ts";

interface WhatIfOptions extends ContextOptions {
  set?: string[];
  config?: string;
  preset?: HardeningPreset;
  apply?: boolean;
  all?: boolean;
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
    .option(
      "--config <file>",
      "the whole edited config; with --set: the file to try the change on, only read",
    )
    .addOption(new Option("--preset <name>", "rules to ask with").choices(["reference", "sallyport"]))
    .option("--apply", "show the difference of the text and save it; comments stay")
    .option("--all", "also show tools that end the same and only take another way")
    .option("--json", "print JSON")
    .action(async (options: WhatIfOptions) => {
      const { config, set } = options;
      if (config === undefined && set === undefined)
        throw usage("Say what to change: --set PATH=VALUE (as often as needed) or --config FILE.");
      if (config !== undefined && set !== undefined) return whatIfOfFile(context, options, config, set);
      if (options.apply === true) refuseSelfApproval(context.io.env, "change the config");
      const whole = config === undefined ? undefined : await readInput(context, config).catch(asUsage);
      const access = await openAccess(context.io, context.version);
      try {
        await whatIf(context, access, options, whole);
      } finally {
        await access.close();
      }
    });
}

/** Tries the change on another file, which is only read. */
async function whatIfOfFile(
  context: CliContext,
  options: WhatIfOptions,
  file: string,
  set: readonly string[],
): Promise<void> {
  if (options.apply === true)
    throw usage(`${file} is only read; --apply saves changes of the own config, without --config.`);
  const saved = await readInput(context, file).catch(asUsage);
  const edited = applyEdits(saved, set.map(editOf));
  // The file may be refused for other reasons, and is answered for all the same.
  const before = new Set(readConfigText(saved, file).problems.map(problemText));
  await withSource(context, { ...options, config: file }, async (source) => {
    const asked = await toContext(options, source);
    const { comparison, text, sandboxFromConfig } = await source.compare({
      a: { context: asked },
      b: { context: asked, configText: edited },
      sides: "change",
    });
    const { problems } = await source.check({ assertions: "", configText: edited });
    const refused = problems.map(problemText).filter((problem) => !before.has(problem));
    if (refused.length > 0) context.exitCode = 1;
    const diff = unifiedDiff(saved, edited, maxDiffChars).text;
    print(
      context,
      options.json,
      { comparison, text, diff, assertions: [], problems, isApplied: false },
      refused.length > 0
        ? [...refusalLines(refused), `Nothing was written; ${file} is only read.`]
        : [
            ...changeLines(comparison, text, options.all === true),
            ...sandboxLines(sandboxFromConfig.b),
            `Nothing was written; ${file} is only read.`,
          ],
    );
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
    sides: "change",
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
    checked.problems.length > 0 && written === undefined
      ? [
          ...refusalLines(checked.problems.map(problemText)),
          "Nothing was written, and --apply would not save it.",
        ]
      : [
          ...changeLines(comparison, text, options.all === true),
          ...sandboxLines(sandboxFromConfig.b),
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

function problemText({ configPath, message }: FileProblem): string {
  return configPath === null ? message : `${configPath}: ${message}`;
}

function refusalLines(problems: readonly string[]): string[] {
  return problems.map((problem) => safeText(`The edited config would be refused: ${problem}`));
}

type Comparison = MethodOutput<SallyportContract, "policy.compare">["comparison"];

/** Tools with the same sign and reasons share a line; what ends the same is left out unless it is asked for. */
function changeLines({ rows, gained, lost }: Comparison, text: readonly string[], isAll: boolean): string[] {
  const groups = new Map<string, { sign: string; names: string[]; because: string }>();
  let left = 0;
  for (const [index, { name, change }] of rows.entries()) {
    if (change === "path" && !isAll) {
      left += 1;
      continue;
    }
    const line = text[index] ?? "";
    const [sign] = line;
    const because = line.slice(`${sign} ${name}: `.length);
    const key = `${sign} ${because}`;
    const group = groups.get(key) ?? { sign: sign ?? "", names: [], because };
    group.names.push(name);
    groups.set(key, group);
  }
  const more = left === 0 ? [] : [`${left} more end the same on another way; --all shows them.`];
  if (groups.size === 0) return ["No tool is given or taken in this context.", ...more];
  return [
    `+ would be given (${gained.length})   - would be taken (${lost.length})   ~ removed at another stage${isAll ? "   . same end, other way" : ""}`,
    ...[...groups.values()].map(({ sign, names, because }) =>
      safeText(`${sign} ${names.join(", ")}: ${because}`),
    ),
    ...more,
  ];
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
