/** `sallyport policy`: gate one explained, compared and proved, for the running app or for any OpenClaw config file. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Command, Option } from "commander";
import type { FileProblem } from "../../../shared/contract/index.ts";
import type { HardeningPreset } from "../../../shared/hardening/rules.ts";
import { refutationLines } from "../../../shared/policy/debug/index.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { type ContextOptions, parseContextWords, toContext, withContext } from "../policy/contextOptions.ts";
import { type CheckedFile, junitReport } from "../policy/junit.ts";
import { asUsage, openPolicySource, type PolicySource, usage } from "../policy/policySource.ts";
import { classLines, matrixLines, whyLines } from "../policy/traceText.ts";
import { readInput } from "./approvals.ts";

interface SharedOptions {
  config?: string;
  preset?: HardeningPreset;
  json?: boolean;
}

export function policyCommand(context: CliContext): Command {
  return new Command("policy")
    .description(
      "Explain, compare and prove tool policy (gate one). Reads only; works on any OpenClaw config",
    )
    .addCommand(traceCommand(context))
    .addCommand(whyCommand(context))
    .addCommand(compareCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(findingsCommand(context))
    .addCommand(contextsCommand(context));
}

function shared(command: Command): Command {
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

async function withSource<T>(
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
function warn(context: CliContext, problems: readonly FileProblem[]): void {
  for (const { path: file, line, column, configPath, message } of problems) {
    const place = `${file}:${line ?? 1}:${column ?? 1}`;
    context.io.stderr(`${place}: ${configPath === null ? "" : `${configPath}: `}${safeText(message)}\n`);
  }
}

function traceCommand(context: CliContext): Command {
  return shared(withContext(new Command("trace")))
    .description("Show every tool at every stage, with the rule that decided")
    .action((options: SharedOptions & ContextOptions) =>
      withSource(context, options, async (source) => {
        const asked = await toContext(options, source.defaultAgent);
        const output = await source.trace({ context: asked });
        warn(context, output.problems);
        print(context, options.json, output, [
          `Policy of ${source.about}, agent ${output.trace.result.agentId ?? "(none)"}`,
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
        const asked = await toContext(options, source.defaultAgent);
        const layer = options.layer?.split(".").map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
        const output = await source.why({
          tool,
          context: asked,
          ...(layer === undefined ? {} : { layer }),
        });
        warn(context, output.problems);
        if (output.answer.state === "unknown") context.exitCode = 1;
        print(context, options.json, output, [`In ${source.about}:`, ...whyLines(output).map(safeText)]);
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
          a: { context: await toContext(wordsA, source.defaultAgent) },
          b: { context: await toContext(wordsB, source.defaultAgent), ...other, ...presetB },
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
              ],
        );
      }),
    );
}

interface CheckOptions extends SharedOptions {
  junit?: string;
}

function checkCommand(context: CliContext): Command {
  return shared(new Command("check"))
    .description(
      "Prove or refute assertions over every context. Exit code: 0 proved, 1 refuted, 2 unreadable",
    )
    .argument("[file...]", "files of assertions; absent: those of sallyport.json5")
    .option("--junit <file>", "also write a JUnit report")
    .action((names: string[], options: CheckOptions) =>
      withSource(context, options, async (source) => {
        const texts =
          names.length === 0
            ? [{ name: "sallyport.json5", text: undefined }]
            : await Promise.all(
                names.map(async (name) => ({ name, text: await readInput(context, name).catch(asUsage) })),
              );
        const files: (CheckedFile & Awaited<ReturnType<PolicySource["check"]>>)[] = [];
        for (const { name, text } of texts) {
          const output = await source.check(text === undefined ? {} : { assertions: text });
          files.push({ name, ...output });
        }
        const [first] = files;
        if (first === undefined) throw usage("There is nothing to check.");
        const results = files.flatMap((file) => file.results);
        if (results.length === 0)
          throw usage(`There are no assertions in ${texts.map(({ name }) => name).join(", ")}.`);
        warn(context, first.problems);
        if (options.junit !== undefined)
          await writeFile(path.resolve(context.io.cwd, options.junit), junitReport(files));
        const isRefuted = results.some((result) => result.kind === "refuted");
        const isUnreadable = first.problems.length > 0 || results.some((result) => result.kind === "invalid");
        // A config that OpenClaw would not load proves nothing about what runs.
        context.exitCode = isRefuted ? 1 : isUnreadable ? 2 : 0;
        const { classes, contexts, preset, problems } = first;
        print(
          context,
          options.json,
          {
            ok: context.exitCode === 0,
            preset,
            contexts,
            classes,
            problems,
            files: files.map((file) => ({ file: file.name, counts: file.counts, results: file.results })),
          },
          [
            `Checked against ${source.about}: ${contexts} contexts`,
            ...classLines(classes).map(safeText),
            ...files.flatMap(fileLines),
          ],
        );
      }),
    );
}

function fileLines({ name, results }: CheckedFile): string[] {
  return results.flatMap((result) => {
    const head = `${name}:${result.line}: ${safeText(result.text)}`;
    if (result.kind === "proved") return [`proved   ${head} (${result.contexts} contexts)`];
    if (result.kind === "invalid") return [`invalid  ${head}`, `    ${safeText(result.message)}`];
    return [`REFUTED  ${head}`, ...refutationLines(result).map((line) => `    ${safeText(line)}`)];
  });
}

function findingsCommand(context: CliContext): Command {
  return shared(withContext(new Command("findings")))
    .description(
      "List entries that do not do what they seem to: stripped lists, misspelt names, shadowed rules",
    )
    .action((options: SharedOptions & ContextOptions) =>
      withSource(context, options, async (source) => {
        const output = await source.findings({ context: await toContext(options, source.defaultAgent) });
        warn(context, output.problems);
        print(
          context,
          options.json,
          output,
          output.findings.length === 0
            ? ["Nothing found."]
            : output.findings.map((finding) => safeText(`${finding.kind}: ${finding.text}`)),
        );
      }),
    );
}

function contextsCommand(context: CliContext): Command {
  return shared(new Command("contexts"))
    .description("List what the config can tell apart: the classes over which assertions are proved")
    .action((options: SharedOptions) =>
      withSource(context, options, async (source) => {
        const { classes, contexts, problems } = await source.check({ assertions: "" });
        warn(context, problems);
        print(context, options.json, { contexts, classes }, [
          `${contexts} contexts can be told apart in ${source.about}`,
          ...classLines(classes).map(safeText),
        ]);
      }),
    );
}
