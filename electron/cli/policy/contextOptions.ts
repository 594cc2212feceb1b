/** The situation that a question is about, as options of a command or as words `agent=support owner=true`. */

import type { Command } from "commander";
import type { PolicyContext } from "../../../shared/policy/index.ts";
import { usage } from "./policySource.ts";

type ParsedContext = PolicyContext & { surface: "model" | "mcp" | "http" };

const fields = [
  ["agent", "agent id; absent: the default agent"],
  ["session", "session key"],
  ["provider", "model provider"],
  ["model", "model id"],
  ["channel", "message channel of the session"],
  ["group", "group id"],
  ["account", "account of the channel"],
  ["sender", "sender id"],
  ["owner", "true when the sender is the owner"],
  ["sandboxed", "true when the session runs sandboxed"],
  ["depth", "sub-agent depth, 0 for a main session"],
  ["surface", "model, mcp or http"],
] as const;
type Field = (typeof fields)[number][0];
export type ContextOptions = Partial<Record<Field, string | boolean>>;

const switches: ReadonlySet<string> = new Set(["owner", "sandboxed"]);

export function withContext(command: Command): Command {
  for (const [name, about] of fields) {
    command.option(switches.has(name) ? `--${name} [true|false]` : `--${name} <value>`, about);
  }
  return command;
}

/** @throws AppError with `data.usage` for an unknown field or value */
export function parseContextWords(words: string): ContextOptions {
  const options: ContextOptions = {};
  for (const word of words.split(/[\s,]+/).filter((part) => part !== "")) {
    const at = word.indexOf("=");
    const name = at < 0 ? word : word.slice(0, at);
    const field = fields.find(([known]) => known === name)?.[0];
    if (field === undefined || (at < 0 && !switches.has(name))) {
      throw usage(
        `Cannot read "${word}". Write FIELD=VALUE; fields are ${fields.map(([known]) => known).join(", ")}.`,
      );
    }
    options[field] = at < 0 ? true : word.slice(at + 1);
  }
  return options;
}

/** @param defaultAgent asked only when neither agent nor session are given */
export async function toContext(
  options: ContextOptions,
  defaultAgent: () => Promise<string>,
): Promise<ParsedContext> {
  const agentId = textOf(options.agent) ?? (options.session === undefined ? await defaultAgent() : undefined);
  const context = {
    agentId,
    sessionKey: textOf(options.session),
    provider: textOf(options.provider),
    model: textOf(options.model),
    channel: textOf(options.channel),
    groupId: textOf(options.group),
    accountId: textOf(options.account),
    senderId: textOf(options.sender),
    senderIsOwner: truthOf("owner", options.owner),
    sandboxed: truthOf("sandboxed", options.sandboxed),
    subagentDepth: depthOf(options.depth),
    surface: surfaceOf(options.surface),
  };
  const given = Object.entries(context).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as ParsedContext;
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function truthOf(name: string, value: string | boolean | undefined): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw usage(`${name} is true or false, not "${value}".`);
}

function depthOf(value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const depth = Number(value);
  if (Number.isInteger(depth) && depth >= 0 && depth < 100) return depth;
  throw usage(`depth is a whole number from 0, not "${String(value)}".`);
}

function surfaceOf(value: string | boolean | undefined): ParsedContext["surface"] {
  const surface = (["model", "mcp", "http"] as const).find((known) => known === (value ?? "model"));
  if (surface === undefined) throw usage(`surface is model, mcp or http, not "${String(value)}".`);
  return surface;
}
