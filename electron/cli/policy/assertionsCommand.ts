/** `sallyport policy assertions`: the promises that are kept with every change of the config. */

import { Command, Option } from "commander";
import { z } from "zod";
import { AppError } from "../../../shared/errors/index.ts";
import { assertionOutcomeSchema } from "../../../shared/policy/debug/index.ts";
import { openAccess } from "../access.ts";
import { readInput } from "../commands/approvals.ts";
import { type CliContext, print } from "../context.ts";
import { safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";
import { fileLines } from "./checkCommand.ts";
import { asUsage } from "./policySource.ts";

export function assertionsCommand(context: CliContext): Command {
  return new Command("assertions")
    .description("Show or replace the assertions of sallyport.json5")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const saved = await access.rpc.call("policy.assertions.get", {});
        const { text, onFail } = saved;
        print(
          context,
          json,
          saved,
          text.trim() === ""
            ? ["No assertions are saved. `sallyport policy assertions set FILE` saves some."]
            : [
                onFail === "block"
                  ? "A change of the config that breaks one of these is refused:"
                  : "A change of the config that breaks one of these is written, with a warning:",
                safeText(text),
              ],
        );
      } finally {
        await access.close();
      }
    })
    .addCommand(setCommand(context));
}

function setCommand(context: CliContext): Command {
  return new Command("set")
    .description("Replace the saved assertions by those of a file (- reads from the terminal)")
    .argument("<file>", "one assertion a line; an empty file removes all")
    .addOption(
      new Option(
        "--on-fail <what>",
        "what becomes of a config that breaks one; absent: as it is set",
      ).choices(["block", "warn"]),
    )
    .option("--json", "print JSON")
    .action(async (file: string, options: { onFail?: "block" | "warn"; json?: boolean }) => {
      refuseSelfApproval(context.io.env, "change the assertions");
      const text = await readInput(context, file).catch(asUsage);
      const access = await openAccess(context.io, context.version);
      try {
        const saved = await access.rpc.call("policy.assertions.get", {});
        const onFail = options.onFail ?? saved.onFail;
        const report = await access.rpc
          .call("policy.assertions.set", { text: text.trimEnd(), onFail })
          .catch((error: unknown) => throwWithAllLines(error, file));
        if (report.results.some(({ kind }) => kind !== "proved")) context.exitCode = 1;
        print(context, options.json, report, [
          `Saved ${report.results.length} assertions; a change that breaks one ${onFail === "block" ? "is refused" : "gives a warning"}.`,
          ...fileLines({ name: file, results: report.results }),
        ]);
      } finally {
        await access.close();
      }
    });
}

/** @throws AppError that names every broken line and the way to save them nevertheless */
function throwWithAllLines(error: unknown, file: string): never {
  if (!(error instanceof AppError) || error.data?.reason !== "assertionsRefuted") throw error;
  const results = z.array(assertionOutcomeSchema).safeParse(error.data.results);
  if (!results.success) throw error;
  throw new AppError(
    error.code,
    [
      "The assertions were not saved, because the config breaks some:",
      ...fileLines({ name: file, results: results.data }),
      "`--on-fail warn` saves them nevertheless; broken ones then give a warning.",
    ].join("\n"),
    { data: error.data },
  );
}
