/** Commands on pages: look, act, records, film. */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { type CliContext, print } from "../../context.ts";
import { safeLine, safeText } from "../../io.ts";
import {
  type Common,
  choice,
  type OnTab,
  onGateway,
  type Rpc,
  wholeNumber,
  withProfile,
  withTab,
} from "./common.ts";
import { requestOf } from "./requestOf.ts";

interface SnapshotOptions extends OnTab {
  format: "dense" | "ai" | "role" | "aria";
  interactive?: boolean;
  compact?: boolean;
  depth?: number;
  selector?: string;
  frame?: string;
  maxChars?: number;
  changes?: boolean;
  urls?: boolean;
}

export function pageCommands(context: CliContext): Command[] {
  return [
    withTab("snapshot", "Print a page as text with refs")
      .addOption(
        new Option("--format <name>", "form of the text")
          .choices(["dense", "ai", "role", "aria"])
          .default("dense"),
      )
      .option("--interactive", "role: controls only")
      .option("--compact", "role: without unnamed structure")
      .option("--depth <levels>", "role: levels below the root", wholeNumber)
      .option("--selector <css>", "only the first match")
      .option("--frame <css>", "one iframe")
      .option("--max-chars <number>", "characters at most", wholeNumber)
      .option("--changes", "only what changed since the last look from here")
      .option("--urls", "print link targets")
      .action((options: SnapshotOptions) =>
        onGateway(context, null, async (rpc) => {
          const { format, interactive, compact, depth, selector, frame, maxChars, changes, urls } = options;
          const shot = await rpc.call("browser.snapshot", {
            ...choice(options),
            format,
            ...(interactive === undefined ? {} : { interactive }),
            ...(compact === undefined ? {} : { compact }),
            ...(depth === undefined ? {} : { maxDepth: depth }),
            ...(selector === undefined ? {} : { selector }),
            ...(frame === undefined ? {} : { frame }),
            ...(maxChars === undefined ? {} : { maxChars }),
            ...(changes === undefined ? {} : { incremental: changes }),
            ...(urls === undefined ? {} : { urls }),
          });
          const text = shot.extent === "unchanged" ? "Nothing changed." : safeText(shot.text);
          const more = shot.more === null ? [] : [shot.more];
          print(context, options.json, shot, [safeLine(`${shot.title} ${shot.url}`.trim()), text, ...more]);
        }),
      ),
    withTab("screenshot", "Write a picture of a page")
      .argument("<file>", "where to; the ending says png or jpg")
      .option("--full-page", "the whole page")
      .option("--ref <ref>", "one element of the last snapshot")
      .action((file: string, options: OnTab & { fullPage?: boolean; ref?: string }) =>
        onGateway(context, null, async (rpc) => {
          const shot = await rpc.call("browser.screenshot", {
            ...choice(options),
            type: /\.jpe?g$/i.test(file) ? "jpeg" : "png",
            maxSide: 2000,
            ...(options.fullPage === undefined ? {} : { fullPage: options.fullPage }),
            ...(options.ref === undefined ? {} : { ref: options.ref }),
          });
          const path = resolve(context.io.cwd, file);
          await writeFile(path, Buffer.from(shot.base64, "base64"));
          const { base64: _picture, ...facts } = shot;
          print(context, options.json, { ...facts, path }, [
            `${path} ${shot.width} × ${shot.height} ${shot.mimeType}`,
          ]);
        }),
      ),
    withTab("act", "Act on a page by hand: click e4, type e4 TEXT, press Enter, select e4 VALUE, wait TEXT")
      .argument(
        "<kind>",
        "click, type, press, hover, select, wait, scrollIntoView, evaluate, …; json takes a whole act",
      )
      .argument("[words...]", "ref and text")
      .action((kind: string, words: string[], options: OnTab) =>
        onGateway(context, null, async (rpc) => {
          const done = await rpc.call("browser.act", { ...choice(options), request: requestOf(kind, words) });
          const lines = [
            safeLine(done.message),
            ...(done.value === null ? [] : [safeText(done.value)]),
            ...done.events.map((event) => safeLine(`${event.kind}: ${event.text}`)),
            safeLine(done.url),
          ];
          print(context, options.json, done, lines);
        }),
      ),
    record(context, "console", "Print the console of a page", (records) =>
      records.console.map(
        ({ type, text, location }) => `[${type}] ${text}${location === null ? "" : ` (${location})`}`,
      ),
    ),
    record(context, "errors", "Print the script errors of a page", (records) =>
      records.errors.map(({ name, message }) => `${name}: ${message}`),
    ),
    record(context, "requests", "Print the requests of a page", (records) =>
      records.requests.map(
        ({ method, url, resourceType, status, failure }) =>
          `${method} ${url} ${resourceType} ${failure ?? status ?? "running"}`,
      ),
    ),
    record(context, "downloads", "Print what a page downloaded", (records) =>
      records.downloads.map(({ suggestedFilename, state, path, reason }) =>
        [suggestedFilename, state, path ?? reason ?? ""].join(" ").trim(),
      ),
    ),
    withProfile("film", "Print what agents and people did in the browsers").action(
      ({ profile, json }: Common) =>
        onGateway(context, null, async (rpc) => {
          const film = await rpc.call("browser.film", {
            ...choice(profile === undefined ? {} : { profile }),
            limit: 100,
          });
          const lines = film.entries.map(({ atMs, who, action, target, detail, urlAfter, result }) =>
            safeLine(
              [
                new Date(atMs).toISOString(),
                who.label,
                action,
                target === null ? "" : `${target.role} "${target.name}"`,
                detail ?? "",
                result.kind === "failed" ? `failed: ${result.message}` : result.kind,
                urlAfter ?? "",
              ]
                .filter((part) => part !== "")
                .join("  "),
            ),
          );
          print(context, json, film, lines.length === 0 ? ["Nothing was done yet."] : lines);
        }),
    ),
  ];
}

function record(
  context: CliContext,
  name: string,
  about: string,
  linesOf: (records: Awaited<ReturnType<typeof readRecords>>) => string[],
): Command {
  return withTab(name, about).action((options: OnTab) =>
    onGateway(context, null, async (rpc) => {
      const records = await readRecords(rpc, options);
      const lines = linesOf(records).map(safeLine);
      print(context, options.json, records, lines.length === 0 ? ["Nothing."] : lines);
    }),
  );
}

function readRecords(rpc: Rpc, options: OnTab) {
  return rpc.call("browser.records", choice(options));
}
