/** `sallyport policy`: gate one explained, compared and proved, for the running app or for any OpenClaw config file. */

import { Command, Option } from "commander";
import type { HardeningPreset } from "../../../shared/hardening/rules.ts";
import { type CliContext, print } from "../context.ts";
import { safeLine, safeText } from "../io.ts";
import { assertionsCommand } from "../policy/assertionsCommand.ts";
import { checkCommand } from "../policy/checkCommand.ts";
import {
  type ContextOptions,
  namesContext,
  parseContextWords,
  toContext,
  withContext,
} from "../policy/contextOptions.ts";
import { type SharedOptions, shared, warn, withSource } from "../policy/policyOptions.ts";
import { asUsage, type SeenContext, usage } from "../policy/policySource.ts";
import { classLines, findingLines, matrixLines, sandboxLines, whyLines } from "../policy/traceText.ts";
import { whatIfCommand } from "../policy/whatIfCommand.ts";
import { readInput } from "./approvals.ts";

export function policyCommand(context: CliContext): Command {
  return new Command("policy")
    .description(
      "Explain, compare and prove tool policy (gate one); works on any OpenClaw config, which it only reads",
    )
    .addCommand(traceCommand(context))
    .addCommand(whyCommand(context))
    .addCommand(compareCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(findingsCommand(context))
    .addCommand(whatIfCommand(context))
    .addCommand(assertionsCommand(context))
    .addCommand(contextsCommand(context));
}

function traceCommand(context: CliContext): Command {
  return shared(withContext(new Command("trace")))
    .description("Show every tool at every stage, with the rule that decided")
    .action((options: SharedOptions & ContextOptions) =>
      withSource(context, options, async (source) => {
        const asked = await toContext(options, source);
        const output = await source.trace({ context: asked });
        warn(context, output.problems);
        print(context, options.json, output, [
          `Policy of ${source.about}, agent ${output.trace.result.agentId ?? "(none)"}`,
          ...sandboxLines(output.sandboxFromConfig),
          ...matrixLines(output.trace, output.positions).map(safeText),
        ]);
      }),
    );
}

function whyCommand(context: CliContext): Command {
  return shared(withContext(new Command("why")))
    .description("Say why a tool is missing or there, and which edits change it")
    .argument("<tool>", "name of the tool; aliases count")
    .option("--layer <path>", "offer only edits below this dotted path, for example agents.list.1")
    .action((tool: string, options: SharedOptions & ContextOptions & { layer?: string }) =>
      withSource(context, options, async (source) => {
        const asked = await toContext(options, source);
        const layer = options.layer?.split(".").map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
        const output = await source.why({
          tool,
          context: asked,
          ...(layer === undefined ? {} : { layer }),
        });
        warn(context, output.problems);
        if (output.answer.state === "unknown") context.exitCode = 1;
        print(context, options.json, output, [
          `In ${source.about}:`,
          ...whyLines(output).map(safeText),
          ...sandboxLines(output.sandboxFromConfig),
        ]);
      }),
    );
}

interface CompareOptions extends SharedOptions {
  a?: string;
  b?: string;
  with?: string;
  presetB?: HardeningPreset;
}

function compareCommand(context: CliContext): Command {
  return shared(new Command("compare"))
    .description("Show only what differs between two contexts, two config files or two presets")
    .option("--a <context>", 'first context, for example "agent=coder owner=true"')
    .option("--b <context>", "second context; absent: the first")
    .option("--with <file>", "config file of the second side; absent: the same as the first")
    .addOption(
      new Option("--preset-b <name>", "rules of the second side; absent: the same").choices([
        "reference",
        "sallyport",
      ]),
    )
    .action((options: CompareOptions) =>
      withSource(context, options, async (source) => {
        if (options.b === undefined && options.with === undefined && options.presetB === undefined)
          throw usage("Say what differs: a second context (--b), file (--with) or preset (--preset-b).");
        const wordsA = parseContextWords(options.a ?? "");
        const wordsB = options.b === undefined ? wordsA : parseContextWords(options.b);
        const other =
          options.with === undefined
            ? {}
            : { configText: await readInput(context, options.with).catch(asUsage) };
        const presetB = options.presetB === undefined ? {} : { preset: options.presetB };
        const output = await source.compare({
          a: { context: await toContext(wordsA, source) },
          b: { context: await toContext(wordsB, source), ...other, ...presetB },
        });
        const { gained, lost, rows } = output.comparison;
        print(
          context,
          options.json,
          output,
          rows.length === 0
            ? ["Nothing differs."]
            : [
                `+ only in B (${gained.length})   - only in A (${lost.length})   ~ removed at another stage   . same end, other way`,
                ...output.text.map(safeText),
                ...sandboxLines(output.sandboxFromConfig.a, "Side A"),
                ...sandboxLines(output.sandboxFromConfig.b, "Side B"),
              ],
        );
      }),
    );
}

function findingsCommand(context: CliContext): Command {
  return shared(withContext(new Command("findings")))
    .description(
      "List entries that do not do what they seem to: stripped lists, misspelt names, shadowed rules; of every agent, or of one context",
    )
    .option("--fail", "exit code 1 when there is any, for build machines")
    .action((options: SharedOptions & ContextOptions & { fail?: boolean }) =>
      withSource(context, options, async (source) => {
        const output = await source.findings({
          context: await toContext(options, source),
          ...(namesContext(options) ? {} : { everyAgent: true }),
        });
        warn(context, output.problems);
        if (options.fail === true && output.findings.length > 0) context.exitCode = 1;
        print(
          context,
          options.json,
          output,
          output.findings.length === 0
            ? ["Nothing found."]
            : [...findingLines(output).map(safeText), ...sandboxLines(output.sandboxFromConfig)],
        );
      }),
    );
}

function contextsCommand(context: CliContext): Command {
  return shared(new Command("contexts"))
    .description(
      "List contexts that sessions really had, and what the config can tell apart: what assertions are proved over",
    )
    .action((options: SharedOptions) =>
      withSource(context, options, async (source) => {
        const { classes, contexts, problems } = await source.check({ assertions: "" });
        const seen = await source.seen();
        warn(context, problems);
        print(context, options.json, { seen, contexts, classes }, [
          ...seenLines(seen),
          `${contexts} contexts can be told apart in ${source.about}`,
          ...classLines(classes).map(safeText),
        ]);
      }),
    );
}

/** Numbered, because `--seen N` chooses one. */
function seenLines(seen: readonly SeenContext[]): string[] {
  if (seen.length === 0) return [];
  return [
    "Seen in sessions, the newest first (choose one with --seen N):",
    ...seen.map(({ label, context }, index) => {
      const words = Object.entries(context).map(([name, value]) => `${name} ${String(value)}`);
      return safeLine(`  ${index + 1}. ${label}: ${words.join(", ")}`);
    }),
  ];
}
