/** The shape of sallyport.json5, the product's own settings, with defaults that are the strict ones. */

import { z } from "zod";
import { uiSettings } from "../../../shared/contract/index.ts";
import { grant } from "../../../shared/exec/schema.ts";
import type { Hardening, HardeningRule } from "../../../shared/hardening/rules.ts";
import { hardeningPresets } from "../../../shared/hardening/rules.ts";

const storedClient = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  agentId: z.string().min(1),
  isOwner: z.boolean().default(false),
  provider: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  /** `unmapped`: on the `minimal` profile until a person maps it. */
  mapping: z.enum(["unmapped", "mapped"]).default("unmapped"),
  createdAtMs: z.number(),
  /** SHA-256 of the token, hex; the token itself is never kept. */
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/, "Expected 64 hexadecimal digits."),
  /** Its last four characters, to tell tokens apart. */
  tokenHint: z.string().max(8),
});
export type StoredClient = z.infer<typeof storedClient>;

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, "Expected 64 hexadecimal digits.");

/** What a person said about one entry of `mcp.servers`. */
const storedServer = z.strictObject({
  /** The entry that may be started, as a digest over all of it; null: none. */
  confirmedDigest: sha256Hex.nullable().default(null),
  confirmedAtMs: z.number().nullable().default(null),
  confirmedBy: z.string().nullable().default(null),
  /** Tools that may be called without asking, while definition and entry stay as they were. */
  allowedTools: z
    .array(
      z.strictObject({
        /** As the server calls it. */
        tool: z.string().min(1),
        /** `*` = every agent. */
        agentId: z.string().min(1),
        definitionDigest: sha256Hex,
        entryDigest: sha256Hex,
        atMs: z.number(),
        by: z.string(),
      }),
    )
    .default([]),
});
export type StoredServer = z.infer<typeof storedServer>;

/** A person's word that the broad mode of the files counts, and until when (A18). */
const broadConfirmation = z.strictObject({
  agents: z.array(z.string()),
  confirmedAtMs: z.number(),
  endsAtMs: z.number(),
  confirmedBy: z.string(),
});

const ui = z.strictObject({
  theme: uiSettings.shape.theme.default("system"),
  language: uiSettings.shape.language.default("system"),
  density: uiSettings.shape.density.default("compact"),
  attention: uiSettings.shape.attention.default("notify"),
  singleKeys: uiSettings.shape.singleKeys.default(true),
});

export const settingsSchema = z.strictObject({
  hardening: z
    .strictObject({
      preset: z.enum(hardeningPresets).default("sallyport"),
      /** Single rules on or off, on top of the preset. */
      rules: z.record(z.string(), z.boolean()).default({}),
    })
    .prefault({}),
  ui: ui.prefault({}),
  approvals: z
    .strictObject({
      /** How long an MCP call waits for a person before it answers `approval-pending`. */
      holdMs: z.number().int().min(0).max(3_600_000).default(50_000),
      /** How long a request waits for a person before it expires (exec.md §7). */
      requestLifetimeMs: z.number().int().min(1000).max(86_400_000).default(1_800_000),
      grants: z.array(grant).default([]),
    })
    .prefault({}),
  browser: z
    .strictObject({
      /** "See before click": what an agent is about to do on a page is shown to a person first. */
      askBeforeActs: z.boolean().default(false),
    })
    .prefault({}),
  gateway: z
    .strictObject({
      /** A person counts as reachable even when nobody is connected. */
      waitForOperator: z.boolean().default(false),
    })
    .prefault({}),
  mode: z.strictObject({ broadConfirmed: broadConfirmation.nullable().default(null) }).prefault({}),
  mcp: z
    .strictObject({
      clients: z
        .array(storedClient)
        .default([])
        .refine(
          (clients) => new Set(clients.map((client) => client.id)).size === clients.length,
          "Two clients have the same id.",
        ),
      servers: z.record(z.string(), storedServer).default({}),
    })
    .prefault({}),
  /** Statements about the policy that are proved again on every change. */
  assertions: z
    .strictObject({
      /** One a line, as text or as a list of lines: `never support: exec`. */
      text: z
        .union([z.string(), z.array(z.string())])
        .transform((text) => (typeof text === "string" ? text : text.join("\n")))
        .prefault(""),
      /** `block`: a change that breaks one is not written; `warn`: it is, with a report. */
      onFail: z.enum(["block", "warn"]).default("block"),
    })
    .prefault({}),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Strict preset, no clients, no grants, no confirmed broad mode. */
export const defaultSettings: Settings = settingsSchema.parse({});

/**
 * The hardening rules that are on.
 * @param rules every rule that exists
 * @returns also the names in the settings that are no rule: a misspelt name must not go unnoticed
 */
export function resolveHardening(
  settings: Settings,
  rules: readonly Pick<HardeningRule, "id" | "isAlwaysOn">[],
): { hardening: Hardening; unknownRules: string[] } {
  const known = new Set(rules.map((rule) => rule.id));
  const hardening = new Set(settings.hardening.preset === "sallyport" ? known : []);
  const unknownRules: string[] = [];
  for (const [id, isOn] of Object.entries(settings.hardening.rules)) {
    if (!known.has(id)) unknownRules.push(id);
    else if (isOn) hardening.add(id);
    else hardening.delete(id);
  }
  for (const { id, isAlwaysOn } of rules) if (isAlwaysOn === true) hardening.add(id);
  return { hardening, unknownRules };
}
