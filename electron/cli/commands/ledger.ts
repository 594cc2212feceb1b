/** `sallyport ledger export|verify`: the record of what was asked, decided and run, for other programs and for proof. */

import path from "node:path";
import { Command } from "commander";
import { AppError } from "../../../shared/errors/index.ts";
import { writeFileAtomic } from "../../runtime/storage/index.ts";
import { openAccess } from "../access.ts";
import { type CliContext, print } from "../context.ts";

const formats = ["jsonl", "csv"] as const;
type Format = (typeof formats)[number];
const pageSize = 1000;

interface Entry {
  seq: number;
  atMs: number;
  kind: string;
  toolCallId: string | null;
  agentId: string | null;
  sessionKey: string | null;
  callerId: string | null;
  data: Record<string, unknown>;
  hash: string;
}

export function ledgerCommand(context: CliContext): Command {
  return new Command("ledger")
    .description("The record of what was asked, decided and run")
    .addCommand(exportCommand(context))
    .addCommand(verifyCommand(context));
}

function exportCommand(context: CliContext): Command {
  return new Command("export")
    .description("Write every entry, oldest first, with the hash that binds it to the one before")
    .option("--format <format>", `${formats.join(" or ")}`, "jsonl")
    .option("--out <file>", "write this file, readable by you alone; absent: standard output")
    .action(async (options: { format: string; out?: string }) => {
      const format = formats.find((known) => known === options.format);
      if (format === undefined)
        throw new AppError("INVALID_INPUT", `${options.format} is no format. Use ${formats.join(" or ")}.`, {
          data: { usage: true },
        });
      const access = await openAccess(context.io, context.version);
      try {
        const pages: Entry[][] = [];
        let beforeSeq: number | undefined;
        for (;;) {
          const { entries } = await access.rpc.call("ledger.list", {
            limit: pageSize,
            ...(beforeSeq === undefined ? {} : { beforeSeq }),
          });
          if (entries.length === 0) break;
          pages.push(entries);
          beforeSeq = entries.at(-1)?.seq;
        }
        const entries = pages.flat().reverse();
        const text = ledgerText(entries, format);
        if (options.out === undefined) return context.io.stdout(text);
        const file = path.resolve(context.io.cwd, options.out);
        await writeFileAtomic(file, text);
        context.io.stderr(`Wrote ${entries.length} entries to ${file}.\n`);
      } finally {
        await access.close();
      }
    });
}

function verifyCommand(context: CliContext): Command {
  return new Command("verify")
    .description("Recompute the chain of hashes. Exit code 1 when an entry was changed or is missing")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const verdict = await access.rpc.call("ledger.verify", {});
        if (!verdict.ok) context.exitCode = 1;
        print(context, json, verdict, [
          verdict.ok
            ? `${verdict.entries} entries, unbroken.`
            : `Broken at entry ${verdict.firstBadSeq ?? "?"} of ${verdict.entries}: it was changed, or entries are missing.`,
        ]);
      } finally {
        await access.close();
      }
    });
}

/** @returns one entry per line; CSV begins with the names of its columns */
export function ledgerText(entries: readonly Entry[], format: Format): string {
  if (format === "jsonl") return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const header = ["seq", "at", "kind", "toolCallId", "agentId", "sessionKey", "callerId", "data", "hash"];
  const rows = entries.map((entry) => [
    String(entry.seq),
    new Date(entry.atMs).toISOString(),
    entry.kind,
    entry.toolCallId ?? "",
    entry.agentId ?? "",
    entry.sessionKey ?? "",
    entry.callerId ?? "",
    JSON.stringify(entry.data),
    entry.hash,
  ]);
  return [header, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

/** A spreadsheet must not take a text of an agent for a formula. */
function csvField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
