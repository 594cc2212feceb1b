/** `sallyport policy check`: promises proved or refuted, for people, programs and CI. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { type ClassLabel, labelText, refutationLines } from "../../../shared/policy/debug/index.ts";
import { readInput } from "../commands/approvals.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { type CheckedFile, junitReport } from "./junit.ts";
import { type SharedOptions, shared, warn, withSource } from "./policyOptions.ts";
import { asUsage, type PolicySource, usage } from "./policySource.ts";
import { classLines } from "./traceText.ts";

interface CheckOptions extends SharedOptions {
  junit?: string;
  classes?: string | boolean;
}

/** How many classes are listed when no number is given, and how many at most. */
const usualClasses = 200;
const mostClasses = 10_000;

export function checkCommand(context: CliContext): Command {
  return shared(new Command("check"))
    .description(
      "Prove or refute assertions over every context. Exit code: 0 proved, 1 refuted, 2 unreadable",
    )
    .argument("[file...]", "files of assertions; absent: those of sallyport.json5")
    .option("--junit <file>", "also write a JUnit report")
    .option(
      "--classes [count]",
      `list the classes of contexts one by one, up to count (${usualClasses}, at most ${mostClasses})`,
    )
    .action((names: string[], options: CheckOptions) =>
      withSource(context, options, async (source) => {
        const listClasses = classCount(options.classes);
        const texts =
          names.length === 0
            ? [{ name: "sallyport.json5", text: undefined }]
            : await Promise.all(
                names.map(async (name) => ({ name, text: await readInput(context, name).catch(asUsage) })),
              );
        for (const { name, text } of texts) refuseConfig(name, text);
        const files: (CheckedFile & Awaited<ReturnType<PolicySource["check"]>>)[] = [];
        for (const { name, text } of texts) {
          const output = await source.check({
            ...(text === undefined ? {} : { assertions: text }),
            ...(listClasses === undefined || files.length > 0 ? {} : { listClasses }),
          });
          files.push({ name, ...output });
        }
        const [first] = files;
        if (first === undefined) throw usage("There is nothing to check.");
        const results = files.flatMap((file) => file.results);
        if (results.length === 0)
          throw usage(`There are no assertions in ${texts.map(({ name }) => name).join(", ")}.`);
        warn(context, first.problems);
        if (options.junit !== undefined)
          await writeFile(path.resolve(context.io.cwd, options.junit), junitReport(files, first.problems));
        const isRefuted = results.some((result) => result.kind === "refuted");
        const isUnreadable = first.problems.length > 0 || results.some((result) => result.kind === "invalid");
        // A config that OpenClaw would not load proves nothing about what runs.
        context.exitCode = isRefuted ? 1 : isUnreadable ? 2 : 0;
        const { classes, contexts, preset, problems, listed } = first;
        print(
          context,
          options.json,
          {
            ok: context.exitCode === 0,
            preset,
            contexts,
            classes,
            ...(listed === undefined ? {} : { listed }),
            problems,
            files: files.map((file) => ({ file: file.name, counts: file.counts, results: file.results })),
          },
          [
            `Checked against ${source.about}: ${contexts} contexts`,
            ...classLines(classes).map(safeText),
            ...listedLines(listed, contexts),
            ...files.flatMap(fileLines),
          ],
        );
      }),
    );
}

/** @throws AppError with `data.usage` for a config where assertions are wanted */
function refuseConfig(name: string, text: string | undefined): void {
  const first = text
    ?.replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .find((line) => !/^\s*(#|\/[/*]|$)/.test(line));
  if (first?.trimStart().startsWith("{") === true)
    throw usage(`${name} looks like a config, not a list of assertions; did you mean --config ${name}?`);
}

export function fileLines({ name, results }: CheckedFile): string[] {
  return results.flatMap((result) => {
    const head = `${name}:${result.line}: ${safeText(result.text)}`;
    if (result.kind === "proved") return [`proved   ${head} (${result.contexts} contexts)`];
    if (result.kind === "invalid") return [`invalid  ${head}`, `    ${safeText(result.message)}`];
    return [`REFUTED  ${head}`, ...refutationLines(result).map((line) => `    ${safeText(line)}`)];
  });
}

function listedLines(listed: ClassLabel[] | undefined, contexts: number): string[] {
  if (listed === undefined) return [];
  const more = contexts - listed.length;
  return [
    ...listed.map((label, index) => safeText(`  class ${index + 1}: ${labelText(label)}`)),
    ...(more > 0 ? [`  and ${more} more; --classes takes a number up to ${mostClasses}`] : []),
  ];
}

function classCount(value: string | boolean | undefined): number | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return usualClasses;
  const count = Number(value);
  if (Number.isInteger(count) && count > 0 && count <= mostClasses) return count;
  throw usage(`--classes takes a whole number from 1 to ${mostClasses}, not "${value}".`);
}
