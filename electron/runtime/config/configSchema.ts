/** The shape of openclaw.json: what decides about tools is checked strictly, the rest is only known by name. */

import { z } from "zod";
import { browserConfigSchema } from "../../../shared/browser/index.ts";
import type { FileProblem } from "../../../shared/contract/index.ts";
import { type Json5Document, parseJson5 } from "../../../shared/json5/json5Document.ts";
import {
  agentToolsSchema,
  policyConfigSchema,
  toolsConfigSchema,
} from "../../../shared/policy/configSchema.ts";
import { findInclude } from "../../../shared/policy/includes.ts";
import { problemsOf } from "../storage/fileProblems.ts";

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
  tools: policyConfigSchema.shape.gateway.unwrap().shape.tools,
});

/** Top-level keys of the release that other programs own; we keep them as they are. */
const knownElsewhere = [
  "acp",
  "approvals",
  "audio",
  "auth",
  "bindings",
  "broadcast",
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
  browser: browserConfigSchema.optional(),
  tools: toolsConfigSchema.optional(),
  agents: agents.optional(),
  session: z
    .looseObject({
      mainKey: z.string().optional(),
      scope: z.string().optional(),
      dmScope: z.string().optional(),
    })
    .optional(),
  gateway: gateway.optional(),
  channels: policyConfigSchema.shape.channels,
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
  const included = findInclude(document.value);
  if (included !== null) {
    const { line, column } = document.nearestPosition(included);
    const message =
      "$include is not supported: rules in the included file would be overlooked. Put its content here.";
    return {
      ok: false,
      problems: [{ path, line, column, message, configPath: included.join(".") }],
      document,
    };
  }
  const checked = configSchema.safeParse(document.value);
  if (checked.success) return { ok: true, config: checked.data, document };
  return { ok: false, problems: problemsOf(checked.error, document, path), document };
}
