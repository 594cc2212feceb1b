/** `exec-approvals.json`: lenient and lossless reading, normal form, lists for an agent (spec/exec.md 5). */
import { z } from "zod";
import type { Hardening } from "../hardening/rules.ts";
import type { AllowlistRule } from "./types.ts";

const entry = z.looseObject({
  id: z.string().optional(),
  pattern: z.string(),
  lastUsedAt: z.number().optional(),
  lastUsedCommand: z.string().optional(),
  lastResolvedPath: z.string().optional(),
});

/** security and ask stay plain strings: an unknown word must be seen, not dropped. */
const level = {
  security: z.string().optional(),
  ask: z.string().optional(),
  askFallback: z.string().optional(),
  autoAllowSkills: z.boolean().optional(),
};

const agent = z.looseObject({ ...level, allowlist: z.array(z.union([entry, z.string()])).optional() });

/** The file as it may lie on disk. Unknown fields are kept everywhere. */
export const approvalsFileSchema = z.looseObject({
  version: z.literal(1),
  socket: z.looseObject({ path: z.string().optional(), token: z.string().optional() }).optional(),
  defaults: z.looseObject(level).optional(),
  agents: z.record(z.string(), agent).optional(),
});

export type ApprovalsEntry = z.infer<typeof entry>;
export type ApprovalsDefaults = z.infer<z.ZodObject<typeof level>>;
export interface ApprovalsAgent extends ApprovalsDefaults {
  allowlist?: ApprovalsEntry[] | undefined;
}

/** Normal form: entries are objects with ids; agents in a Map, since an agent may be called `__proto__`. */
export interface ApprovalsFile {
  raw: Readonly<Record<string, unknown>>;
  defaults: ApprovalsDefaults;
  agents: ReadonlyMap<string, ApprovalsAgent>;
}

export type ApprovalsState =
  | { kind: "missing" }
  | { kind: "ok"; file: ApprovalsFile }
  | { kind: "unreadable"; reason: string };

export const emptyApprovals: ApprovalsFile = { raw: { version: 1 }, defaults: {}, agents: new Map() };

export interface NormalizeOptions {
  /** Gives entries without id one; called once per such entry. */
  newId: () => string;
  hardening: Hardening;
}

function normalizeEntries(
  entries: readonly (ApprovalsEntry | string)[],
  newId: () => string,
): ApprovalsEntry[] {
  const kept: ApprovalsEntry[] = [];
  for (const one of entries) {
    const full = typeof one === "string" ? { pattern: one } : one;
    if (full.pattern.trim() === "") continue;
    kept.push(full.id === undefined || full.id === "" ? { ...full, id: newId() } : full);
  }
  return kept;
}

/** `agents.default` is an old name of `agents.main`: main's values win, patterns are joined ignoring case. */
function foldDefaultAgent(agents: Map<string, ApprovalsAgent>): void {
  const legacy = agents.get("default");
  if (legacy === undefined) return;
  const main = agents.get("main");
  const seen = new Set((main?.allowlist ?? []).map((one) => one.pattern.trim().toLowerCase()));
  const extra = (legacy.allowlist ?? []).filter((one) => !seen.has(one.pattern.trim().toLowerCase()));
  agents.delete("default");
  agents.set("main", { ...legacy, ...main, allowlist: [...(main?.allowlist ?? []), ...extra] });
}

/**
 * @param raw the parsed JSON
 * @returns with `exec.unreadableApprovals` on, anything that is not a version-1 file is unreadable; without it,
 * such a file counts as empty, as in the reference
 */
export function normalizeApprovalsFile(raw: unknown, options: NormalizeOptions): ApprovalsState {
  const parsed = approvalsFileSchema.safeParse(raw);
  if (!parsed.success) {
    if (!options.hardening.has("exec.unreadableApprovals")) return { kind: "ok", file: emptyApprovals };
    const issue = parsed.error.issues[0];
    return {
      kind: "unreadable",
      reason: `${issue?.path.map(String).join(".") || "file"}: ${issue?.message ?? "invalid"}`,
    };
  }
  const agents = new Map<string, ApprovalsAgent>();
  for (const [id, value] of Object.entries(parsed.data.agents ?? {})) {
    const { allowlist, ...rest } = value;
    agents.set(id, {
      ...rest,
      ...(allowlist === undefined ? {} : { allowlist: normalizeEntries(allowlist, options.newId) }),
    });
  }
  foldDefaultAgent(agents);
  return { kind: "ok", file: { raw: parsed.data, defaults: parsed.data.defaults ?? {}, agents } };
}

/** @param text the file's content; null when there is no file */
export function readApprovals(text: string | null, options: NormalizeOptions): ApprovalsState {
  if (text === null) return { kind: "missing" };
  try {
    return normalizeApprovalsFile(JSON.parse(text), options);
  } catch (cause) {
    if (!options.hardening.has("exec.unreadableApprovals")) return { kind: "ok", file: emptyApprovals };
    return { kind: "unreadable", reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** @returns the plain JSON to write: what was read, with agents in normal form and every unknown field kept. */
export function serializeApprovals(file: ApprovalsFile): Record<string, unknown> {
  const agents: [string, unknown][] = [...file.agents].map(([id, value]) => [id, value]);
  // fromEntries defines own properties, so an agent called `__proto__` stays an agent.
  return {
    ...file.raw,
    version: 1,
    ...(agents.length > 0 || "agents" in file.raw ? { agents: Object.fromEntries(agents) } : {}),
  };
}

const collected = new WeakMap<ApprovalsFile, Map<string, readonly AllowlistRule[]>>();

/**
 * The entries that count for an agent: `*` first, then its own.
 * One file gives one list per agent, so that matchers built for a list can be kept with it.
 */
export function collectAllowlist(file: ApprovalsFile, agentId: string): readonly AllowlistRule[] {
  const byAgent = collected.get(file) ?? new Map<string, readonly AllowlistRule[]>();
  collected.set(file, byAgent);
  const known = byAgent.get(agentId);
  if (known !== undefined) return known;
  const rules = readAllowlist(file, agentId);
  byAgent.set(agentId, rules);
  return rules;
}

function readAllowlist(file: ApprovalsFile, agentId: string): AllowlistRule[] {
  const ids = agentId === "*" ? ["*"] : ["*", agentId];
  return ids.flatMap((id) =>
    (file.agents.get(id)?.allowlist ?? []).map((one) => ({
      agentId: id,
      pattern: one.pattern,
      entryId: one.id,
    })),
  );
}
