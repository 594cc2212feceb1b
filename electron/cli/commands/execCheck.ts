/** `sallyport exec check`: a list of commands against the rules, for CI. Decides, runs nothing. */

import path from "node:path";
import { Command, Option } from "commander";
import { z } from "zod";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { openAccess } from "../access.ts";
import { type CliContext, codeText, print } from "../context.ts";
import { explanationReasons } from "../explanationText.ts";
import { safeText } from "../io.ts";
import { readInput } from "./approvals.ts";

const outcomes = ["allow", "ask", "deny"] as const;
type Outcome = (typeof outcomes)[number];

const listedCommand = z.strictObject({
  command: z.string().min(1),
  expect: z.enum(outcomes).optional(),
  agent: z.string().optional(),
  cwd: z.string().optional(),
});
const commandList = z.array(z.union([z.string().min(1), listedCommand]));

export interface CheckedCommand {
  command: string;
  expected: Outcome;
  agent: string | null;
  cwd: string | null;
  /** Line in a text file, position in a list; from 1. */
  position: number;
}

interface CheckResult extends CheckedCommand {
  outcome: Outcome | "error";
  ok: boolean;
  /** Why it did not run unasked, by codes; or what kept it from being judged. */
  reasons: string[];
}

interface Judged {
  result: CheckResult;
  /** The reasons in sentences. */
  sentences: string[];
}

export function execCheckCommand(context: CliContext): Command {
  return new Command("check")
    .description(
      "Judge a list of commands; exit code 1 when one is not judged as expected. Runs nothing.\n" +
        "FILE holds one command per line (# starts a comment line), or a JSON list of commands and of\n" +
        'objects {"command", "expect": "allow"|"ask"|"deny", "agent"?, "cwd"?}',
    )
    .argument("<file>", "the list; - reads it from standard input")
    .addOption(
      new Option("--expect <outcome>", "what is expected where the list says nothing")
        .choices([...outcomes])
        .default("allow"),
    )
    .option("--agent <id>", "agent where the list names none; absent: the default agent")
    .option("--json", "print JSON")
    .action(async (file: string, options: { expect: Outcome; agent?: string; json?: boolean }) => {
      const text = file === "-" ? await context.io.readStdin() : await readInput(context, file);
      const commands = parseCommandList(text, options.expect);
      const access = await openAccess(context.io, context.version);
      const judged: Judged[] = [];
      try {
        for (const command of commands) judged.push(await check(command));
      } finally {
        await access.close();
      }
      const results = judged.map(({ result }) => result);
      const failed = results.filter((result) => !result.ok).length;
      if (failed > 0) context.exitCode = 1;
      const summary = `${results.length - failed} as expected, ${failed} not.`;
      print(context, options.json, { ok: failed === 0, checked: results.length, failed, results }, [
        ...judged.flatMap(resultLines),
        summary,
      ]);

      async function check(listed: CheckedCommand): Promise<Judged> {
        const agentId = listed.agent ?? options.agent;
        try {
          const explained = await access.rpc.call("exec.explain", {
            command: listed.command,
            ...(listed.cwd === null ? {} : { cwd: path.resolve(context.io.cwd, listed.cwd) }),
            ...(agentId === undefined ? {} : { agentId }),
          });
          const { outcome } = explained;
          const reasons = explained.reasons.map(codeText);
          const result = { ...listed, outcome, ok: outcome === listed.expected, reasons };
          return { result, sentences: explanationReasons(explained) };
        } catch (error) {
          // One that cannot be judged must not hide what the others say.
          const sentences = [messageOf(error)];
          return { result: { ...listed, outcome: "error", ok: false, reasons: sentences }, sentences };
        }
      }
    });
}

/**
 * @param fallback what is expected of a command that says nothing
 * @throws AppError INVALID_INPUT for a JSON list of another form, and for an empty list: a check of nothing proves nothing
 */
export function parseCommandList(text: string, fallback: Outcome): CheckedCommand[] {
  const list = parseList(text);
  const commands = list === null ? fromLines(text, fallback) : fromList(list, fallback);
  if (commands.length === 0) throw badList("The list holds no command.");
  return commands;
}

/** @returns null when the text is no JSON list: `[ -f x ]` is a command as well */
function parseList(text: string): unknown[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch (cause) {
    if (!/^\s*\[\s*["{]/.test(text)) return null;
    throw badList(`The list is not valid JSON: ${messageOf(cause)}`);
  }
}

function fromList(list: unknown[], fallback: Outcome): CheckedCommand[] {
  const checked = commandList.safeParse(list);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const [index] = issue?.path ?? [];
    throw badList(
      `Entry ${typeof index === "number" ? index + 1 : "?"} of the list: use a command, or {"command", "expect", "agent", "cwd"} with expect allow, ask or deny.`,
    );
  }
  return checked.data.map((entry, index) => {
    const { command, expect, agent, cwd } = typeof entry === "string" ? { command: entry } : entry;
    return {
      command,
      expected: expect ?? fallback,
      agent: agent ?? null,
      cwd: cwd ?? null,
      position: index + 1,
    };
  });
}

/** Wrong use, not a failed check: CI tells them apart by the exit code. */
function badList(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { data: { usage: true } });
}

function fromLines(text: string, fallback: Outcome): CheckedCommand[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const command = line.trim();
    if (command === "" || command.startsWith("#")) return [];
    return [{ command, expected: fallback, agent: null, cwd: null, position: index + 1 }];
  });
}

function resultLines({ result, sentences }: Judged): string[] {
  const head = `${result.ok ? "ok  " : "FAIL"} ${result.position}: ${safeText(result.command)}`;
  if (result.ok) return [`${head}  (${result.outcome})`];
  return [
    `${head}  (expected ${result.expected}, is ${result.outcome})`,
    ...sentences.map((sentence) => `       ${safeText(sentence)}`),
  ];
}
