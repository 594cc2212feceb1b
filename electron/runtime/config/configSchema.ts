/** The shape of openclaw.json: what decides about tools is checked strictly, the rest is only known by name. */

import { z } from "zod";
import type { FileProblem } from "../../../shared/contract/index.ts";
import { type Json5Document, parseJson5 } from "../storage/json5Document.ts";
import { agentToolsSchema, globalToolsSchema, toolListsSchema } from "./toolsSchema.ts";

const anyObject = z.looseObject({});

const agentEntry = z.looseObject({
  id: z.string().trim().min(1, "An agent needs an id."),
  name: z.string().optional(),
  default: z.boolean().optional(),
  workspace: z.string().optional(),
  tools: agentToolsSchema.optional(),
  subagents: z.looseObject({ allowAgents: z.array(z.string()).optional() }).optional(),
});

const agents = z.looseObject({
  defaults: z.looseObject({ workspace: z.string().optional() }).optional(),
  list: z.array(agentEntry).optional(),
});

const toolsBySender = z.record(z.string(), toolListsSchema);
const groupEntry = z.looseObject({
  tools: toolListsSchema.optional(),
  toolsBySender: toolsBySender.optional(),
});
const groups = z.record(z.string(), z.union([groupEntry, z.null(), z.boolean()]));

/** Where group policies are written differs by channel; each place that can hold one is strict about it. */
const channelAccount = z.looseObject({
  groups: groups.optional(),
  guilds: z.record(z.string(), groupEntry.extend({ channels: groups.optional() })).optional(),
  teams: z.record(z.string(), groupEntry.extend({ channels: groups.optional() })).optional(),
});
const channel = channelAccount.extend({ accounts: z.record(z.string(), channelAccount).optional() });

const gateway = z.looseObject({
  port: z.number().int().min(1).max(65_535).optional(),
  bind: z.string().optional(),
  auth: z
    .looseObject({
      mode: z.string().optional(),
      token: z.union([z.string(), anyObject]).optional(),
      password: z.union([z.string(), anyObject]).optional(),
    })
    .optional(),
  tools: z
    .strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() })
    .optional(),
});

/** Top-level keys of the release that other programs own; we keep them as they are. */
const knownElsewhere = [
  "acp",
  "approvals",
  "audio",
  "auth",
  "bindings",
  "broadcast",
  "browser",
  "canvasHost",
  "cli",
  "commands",
  "cron",
  "diagnostics",
  "discovery",
  "env",
  "hooks",
  "logging",
  "mcp",
  "media",
  "memory",
  "messages",
  "meta",
  "models",
  "nodeHost",
  "plugins",
  "secrets",
  "skills",
  "talk",
  "ui",
  "update",
  "web",
  "wizard",
] as const;

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  ...Object.fromEntries(knownElsewhere.map((key) => [key, z.unknown().optional()])),
  tools: globalToolsSchema.optional(),
  agents: agents.optional(),
  session: z
    .looseObject({
      mainKey: z.string().optional(),
      scope: z.string().optional(),
      dmScope: z.string().optional(),
    })
    .optional(),
  gateway: gateway.optional(),
  channels: z.record(z.string(), z.union([channel, z.boolean(), z.null()])).optional(),
});

export type OpenClawConfig = z.infer<typeof configSchema>;

export type ConfigValidation =
  | { ok: true; config: OpenClawConfig; document: Json5Document }
  /** `document` is there when the text parses and only breaks the schema. */
  | { ok: false; problems: FileProblem[]; document: Json5Document | null };

/**
 * Checks the text of openclaw.json.
 * @param path named in the problems
 * @returns the parsed data itself, not a copy with defaults; or every problem with its line and column
 */
export function validateConfigText(text: string, path: string): ConfigValidation {
  const parsed = parseJson5(text, { path });
  if (!parsed.ok) return { ok: false, problems: [parsed.problem], document: null };
  const { document } = parsed;
  const checked = configSchema.safeParse(document.value);
  if (checked.success) return { ok: true, config: checked.data, document };
  return { ok: false, problems: problemsOf(checked.error, document, path), document };
}

/** Turns schema issues into problems with places; shared with sallyport.json5 and the approvals file. */
export function problemsOf(error: z.ZodError, document: Json5Document, path: string): FileProblem[] {
  return error.issues.map((issue) => {
    const issuePath = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    // An unknown key is reported at its parent, as the release does, but shown where it stands.
    const place = issue.code === "unrecognized_keys" ? [...issuePath, ...issue.keys.slice(0, 1)] : issuePath;
    const { line, column } = document.nearestPosition(place);
    return { path, line, column, message: messageFor(issue), configPath: issuePath.join(".") };
  });
}

function messageFor(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const keys = issue.keys.map((key) => JSON.stringify(key)).join(", ");
  if (issue.keys.includes("$include"))
    return "$include is not supported: rules in the included file would be overlooked. Put its content here.";
  return `Unknown key ${keys}. Remove it or correct its spelling.`;
}
