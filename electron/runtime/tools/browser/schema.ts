/** Input of the browser tool: one flat object, written as loosely as models write it. */

import { z } from "zod";
import { booleanOf, numberOf, recordOf } from "../../browser/actions/readArgs.ts";

export const browserActions = [
  "status",
  "start",
  "stop",
  "profiles",
  "tabs",
  "open",
  "focus",
  "close",
  "snapshot",
  "screenshot",
  "navigate",
  "console",
  "errors",
  "requests",
  "pdf",
  "upload",
  "download",
  "dialog",
  "act",
] as const;
export type BrowserAction = (typeof browserActions)[number];

/** Fields of an act in its flat form; `batch` and dragging by selector need `request`. */
export const flatActFields = [
  "kind",
  "targetId",
  "ref",
  "doubleClick",
  "button",
  "modifiers",
  "text",
  "submit",
  "slowly",
  "key",
  "delayMs",
  "startRef",
  "endRef",
  "values",
  "fields",
  "width",
  "height",
  "timeMs",
  "textGone",
  "selector",
  "url",
  "loadState",
  "fn",
  "timeoutMs",
] as const;

const numbers = ["limit", "maxChars", "depth", "timeoutMs"] as const;
const booleans = [
  "interactive",
  "compact",
  "labels",
  "fullPage",
  "accept",
  "incremental",
  "urls",
  "clear",
] as const;
/** Texts that mean nothing when they are blank; what is typed into pages stays as it is. */
const words = [
  "action",
  "target",
  "node",
  "profile",
  "targetUrl",
  "url",
  "targetId",
  "mode",
  "snapshotFormat",
  "refs",
  "selector",
  "frame",
  "ref",
  "element",
  "type",
  "level",
  "inputRef",
  "after",
  "history",
  "filter",
  "path",
  "observe",
  "kind",
] as const;

function tidy(value: unknown): unknown {
  const given = recordOf(value);
  if (given === undefined) return value;
  const args = new Map([...given].filter(([, item]) => item !== null && item !== undefined));
  for (const name of words) {
    const item = args.get(name);
    if (typeof item !== "string") continue;
    if (item.trim() === "") args.delete(name);
    else args.set(name, item.trim());
  }
  for (const name of numbers) {
    if (args.has(name)) args.set(name, numberOf(args.get(name)) ?? args.get(name));
  }
  for (const name of booleans) {
    if (args.has(name)) args.set(name, booleanOf(args.get(name)) ?? args.get(name));
  }
  const paths = args.get("paths");
  if (typeof paths === "string") args.set("paths", [paths]);
  return Object.fromEntries(args);
}

const text = (about: string) => z.string().optional().describe(about);
const yes = (about: string) => z.boolean().optional().describe(about);
/** Fields of acts are checked by the act itself, whose messages name the kind. */
const actField = (about: string) => z.unknown().optional().describe(about);

export const browserInput = z.preprocess(
  tidy,
  z.object({
    action: z
      .enum(browserActions)
      .describe(
        "open a url in a new tab; snapshot to read the page and get refs; act on refs; the rest by name",
      ),
    profile: text("Browser profile; absent: the default, isolated one. `user` is the person's own browser"),
    target: text("host (default) | sandbox | node"),
    node: text("Node for target node"),
    targetId: text("Tab, whole id or a prefix; absent: the one used last"),
    url: text("open, navigate: full address; act wait: glob"),
    targetUrl: text("Same as url, and wins over it"),
    history: z.enum(["back", "forward", "reload"]).optional().describe("navigate: instead of url"),
    snapshotFormat: z
      .enum(["dense", "ai", "role", "aria"])
      .optional()
      .describe("snapshot: dense (default) costs least; ai | role | aria are OpenClaw's"),
    incremental: yes("snapshot: only what changed since your last look at this page"),
    after: text("snapshot: go on behind the mark that a cut snapshot named"),
    urls: yes("snapshot: print link targets"),
    mode: z.enum(["efficient"]).optional().describe("snapshot: role format, interactive, compact, 6 levels"),
    refs: z.enum(["role", "aria"]).optional().describe("snapshot: aria keeps refs between role snapshots"),
    interactive: yes("snapshot: controls only (role format)"),
    compact: yes("snapshot: without unnamed structure (role format)"),
    labels: yes("snapshot, screenshot: a picture with the refs drawn in"),
    depth: z.number().optional().describe("snapshot: levels below the root (role format)"),
    selector: text("snapshot: CSS, first match only; act: CSS instead of ref"),
    frame: text("snapshot: CSS selector of one iframe"),
    maxChars: z.number().optional().describe("snapshot: characters at most"),
    limit: z
      .number()
      .optional()
      .describe("snapshot aria: nodes; console, errors, requests: entries, newest last"),
    ref: text(
      "Element of the last snapshot, as in e12, or 12 where a line begins with its number: act, screenshot, upload (clicks it), download (clicks it)",
    ),
    element: text("screenshot, upload: CSS selector"),
    fullPage: yes("screenshot: the whole page"),
    type: z.enum(["png", "jpeg"]).optional().describe("screenshot"),
    level: text("console: error | warn | info | debug and above"),
    filter: text("requests: part of the address"),
    clear: yes("errors, requests: forget them afterwards"),
    paths: z.array(z.string()).optional().describe("upload: files in the uploads folder"),
    inputRef: text("upload: ref of the file input"),
    path: text("download: file name in the downloads folder"),
    accept: yes("dialog: accept the next one; absent: dismiss it"),
    promptText: z.string().optional().describe("dialog: text for a prompt"),
    timeoutMs: z.number().optional().describe("Limit of act, wait, navigate, upload, download, dialog"),
    observe: z
      .enum(["auto", "none"])
      .optional()
      .describe(
        "open, navigate, act: auto (default) answers with what is new on the page when that is small",
      ),
    request: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "act: {kind: click|type|press|hover|drag|select|fill|resize|wait|evaluate|scrollIntoView|close|batch, …fields}. fill takes fields:[{ref, value, type?: checkbox|radio}]; batch takes actions:[…], stopOnError",
      ),
    kind: text("act without request: its kind; fields stand beside it"),
    text: actField("type: text; wait: text to appear"),
    submit: actField("type: press Enter afterwards"),
    slowly: actField("type: key by key at the caret"),
    doubleClick: actField("click"),
    button: actField("click: left | right | middle"),
    modifiers: actField("click: Alt, Control, Meta, Shift"),
    delayMs: actField("click, press"),
    key: actField("press: Enter, Control+a"),
    startRef: actField("drag: from"),
    endRef: actField("drag: to"),
    values: actField("select: values or texts of options"),
    fields: actField("fill: [{ref, value}]"),
    width: actField("resize"),
    height: actField("resize"),
    timeMs: actField("wait: milliseconds"),
    textGone: actField("wait: text to go away"),
    loadState: actField("wait: load | domcontentloaded | networkidle"),
    fn: actField("evaluate: function or expression; wait: condition"),
  }),
);

export type BrowserToolInput = z.output<typeof browserInput>;

/** The act of a call in either form; `request` wins. Undefined when there is none. */
export function actRequest(input: BrowserToolInput): Record<string, unknown> | undefined {
  if (input.request !== undefined) {
    return { ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs }), ...input.request };
  }
  if (input.kind === undefined) return undefined;
  const given = new Map<string, unknown>(Object.entries(input));
  return Object.fromEntries(
    flatActFields.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])),
  );
}
