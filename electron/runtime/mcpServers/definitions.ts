/** Reads the tools that a server lists. Everything in a definition is untrusted: it is bounded, cleaned, or left out. */

import { z } from "zod";
import type { Reason } from "../../../shared/contract/index.ts";
import { normalizeToolName } from "../../../shared/policy/names.ts";
import { digestOfValue } from "../approvals/digest.ts";
import { hasHidden, plainLine, plainText } from "./plainText.ts";
import { nameSeparator, toolNameFor } from "./toolNames.ts";

export interface ForeignTool {
  /** As agents and policy know it. */
  name: string;
  /** As the server calls it: sent back as it came. */
  remoteName: string;
  title: string | null;
  description: string;
  inputSchema: Record<string, unknown>;
  /** SHA-256 hex over the definition as the server sent it, before anything was cleaned. */
  definitionDigest: string;
}

export interface LeftOut {
  remoteName: string;
  reason: Reason;
}

export const maxToolsPerServer = 500;
const maxNameChars = 200;
const maxTitleChars = 120;
const maxDescriptionChars = 2000;
const maxSchemaChars = 64 * 1024;
const maxSchemaDepth = 32;
const maxLeftOut = 100;

const definition = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional(),
});

export interface NameRules {
  serverId: string;
  /** Ids of the other servers: a tool must not pass for one of theirs. */
  otherServerIds: readonly string[];
  /** Names of tools that are there already, normalised as policy does. */
  reserved: ReadonlySet<string>;
}

/** @param raw what the pages of `tools/list` held, in order */
export function readDefinitions(
  raw: readonly unknown[],
  rules: NameRules,
): { tools: ForeignTool[]; leftOut: LeftOut[] } {
  const tools: ForeignTool[] = [];
  const leftOut: LeftOut[] = [];
  const taken = new Set<string>();
  const remoteNames = new Set<string>();
  for (const item of raw) {
    const read = readOne(item, rules, taken, remoteNames);
    if (read.ok) tools.push(read.tool);
    else if (leftOut.length < maxLeftOut) leftOut.push(read.leftOut);
  }
  return { tools, leftOut };
}

type ReadOne = { ok: true; tool: ForeignTool } | { ok: false; leftOut: LeftOut };

function readOne(item: unknown, rules: NameRules, taken: Set<string>, remoteNames: Set<string>): ReadOne {
  const parsed = definition.safeParse(item);
  if (!parsed.success) return without(shownName(item), "mcp.toolBadDefinition");
  const { name: remoteName, title, description = "", inputSchema, execution } = parsed.data;
  const shown = plainLine(remoteName, maxNameChars);
  if (remoteName.trim() === "" || remoteName.length > maxNameChars || hasHidden(remoteName))
    return without(shown, "mcp.toolBadName");
  if (remoteNames.has(remoteName)) return without(shown, "mcp.toolListedTwice");
  if (execution?.taskSupport === "required") return without(shown, "mcp.toolNeedsTask");
  const schema = cleanSchema(inputSchema);
  if (!schema.ok) return without(shown, schema.code);
  const name = toolNameFor(rules.serverId, remoteName, taken);
  if (rules.reserved.has(normalizeToolName(name))) return without(shown, "mcp.toolNameTaken", { name });
  const other = rules.otherServerIds.find((id) => isNameOf(id, name, rules.serverId));
  if (other !== undefined) return without(shown, "mcp.toolOtherServersName", { name, server: other });
  remoteNames.add(remoteName);
  const cleanTitle = title === undefined ? "" : plainLine(title, maxTitleChars);
  return {
    ok: true,
    tool: {
      name,
      remoteName,
      title: cleanTitle === "" ? null : cleanTitle,
      description: plainText(description, maxDescriptionChars).trim(),
      inputSchema: schema.value,
      definitionDigest: digestOfValue({ name: remoteName, title, description, inputSchema }),
    },
  };
}

/**
 * Two servers `a` and `a__b`: a tool `b__c` of the first would have the name of a tool `c` of the second, and a tool
 * `b` the id of the second, which stands for all of its tools in policy lists.
 */
function isNameOf(otherId: string, name: string, ownId: string): boolean {
  const [own, other] = [name.toLowerCase(), otherId.toLowerCase()];
  return otherId.length > ownId.length && (own === other || own.startsWith(other + nameSeparator));
}

function without(remoteName: string, code: string, params: Reason["params"] = {}): ReadOne {
  return { ok: false, leftOut: { remoteName, reason: { code, params } } };
}

function shownName(item: unknown): string {
  const name = typeof item === "object" && item !== null ? Reflect.get(item, "name") : undefined;
  return typeof name === "string" ? plainLine(name, maxNameChars) : "";
}

/** Words for readers; anything else in a schema says what a value must be and cannot be changed. */
const proseKeys: ReadonlySet<string> = new Set(["description", "title", "$comment", "markdownDescription"]);

type CleanSchema = { ok: true; value: Record<string, unknown> } | { ok: false; code: string };

/** @returns the schema with its prose cleaned; or why the tool has to stay out */
export function cleanSchema(schema: Record<string, unknown>): CleanSchema {
  let problem: string | null = null;
  let chars = 0;
  const clean = (value: unknown, key: string, depth: number): unknown => {
    // Counted on the way: what is too large is not walked to its end.
    if (problem !== null) return null;
    if (depth > maxSchemaDepth) problem = "mcp.toolSchemaTooDeep";
    else if (chars > maxSchemaChars) problem = "mcp.toolSchemaTooLarge";
    if (problem !== null) return null;
    if (typeof value === "string") {
      const shown = proseKeys.has(key) ? plainText(value, maxDescriptionChars) : value;
      chars += shown.length + 3;
      if (!proseKeys.has(key) && hasHidden(value)) problem = "mcp.toolHiddenCharacters";
      return shown;
    }
    chars += 6;
    if (Array.isArray(value)) return value.map((item) => clean(item, "", depth + 1));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        chars += name.length;
        if (hasHidden(name)) problem = "mcp.toolHiddenCharacters";
        return [name, clean(item, name, depth + 1)];
      }),
    );
  };
  const value = clean(schema, "", 0);
  if (problem !== null) return { ok: false, code: problem };
  if (typeof value !== "object" || value === null || chars > maxSchemaChars)
    return { ok: false, code: "mcp.toolSchemaTooLarge" };
  return { ok: true, value: { ...value } };
}
