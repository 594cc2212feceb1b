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
  ["model-api", "API that the model is reached by, for example openai-codex-responses"],
  ["codex-auth", "true when the agent is signed in to Codex outside of the config"],
  ["channel", "message channel of the session"],
  ["group", "group id"],
  ["group-channel", "name of the group's channel, for example #general"],
  ["group-space", "guild, team or workspace that the group belongs to"],
  ["account", "account of the channel"],
  ["sender", "sender id"],
  ["sender-name", "name of the sender"],
  ["sender-username", "user name of the sender"],
  ["sender-e164", "phone number of the sender"],
  ["owner", "true when the sender is the owner"],
  ["sandboxed", "true when the session runs sandboxed"],
  ["depth", "sub-agent depth, 0 for a main session"],
  ["role", "role that a sub-agent session was given: main, orchestrator or leaf; absent: by its depth"],
  ["surface", "model, mcp or http"],
  ["seen", "start from a context that a session really had: its number in `policy contexts`"],
] as const;
type Field = (typeof fields)[number][0];
/** As commander hands it over: `group-channel` is `groupChannel`. */
type OptionKey<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<OptionKey<Tail>>}`
  : Name;
export type ContextOptions = Partial<Record<OptionKey<Field>, string | boolean>>;

/** What a context starts from where an option says nothing. */
export interface ContextSource {
  defaultAgent(): Promise<string>;
  /** Contexts of real sessions, the newest first. */
  seen(): Promise<readonly { label: string; context: PolicyContext }[]>;
}

const switches: ReadonlySet<string> = new Set(["owner", "sandboxed", "codex-auth"]);

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
    options[optionKey(field)] = at < 0 ? true : word.slice(at + 1);
  }
  return options;
}

function optionKey(field: Field): keyof ContextOptions {
  return field.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof ContextOptions;
}

/** Whether any option says something about the situation. */
export function namesContext(options: ContextOptions): boolean {
  return fields.some(([name]) => options[optionKey(name)] !== undefined);
}

/** The default agent is asked for only when neither agent, session nor a seen context are given. */
export async function toContext(options: ContextOptions, source: ContextSource): Promise<ParsedContext> {
  const base = options.seen === undefined ? undefined : await seenContext(options.seen, source);
  const isNamed = options.agent !== undefined || options.session !== undefined || base !== undefined;
  const context = {
    agentId: textOf(options.agent) ?? (isNamed ? undefined : await source.defaultAgent()),
    sessionKey: textOf(options.session),
    provider: textOf(options.provider),
    model: textOf(options.model),
    modelApi: textOf(options.modelApi),
    hasCodexAuth: truthOf("codex-auth", options.codexAuth),
    channel: textOf(options.channel),
    groupId: textOf(options.group),
    groupChannel: textOf(options.groupChannel),
    groupSpace: textOf(options.groupSpace),
    accountId: textOf(options.account),
    senderId: textOf(options.sender),
    senderName: textOf(options.senderName),
    senderUsername: textOf(options.senderUsername),
    senderE164: textOf(options.senderE164),
    senderIsOwner: truthOf("owner", options.owner),
    sandboxed: truthOf("sandboxed", options.sandboxed),
    subagentDepth: depthOf(options.depth),
    subagentRole: roleOf(options.role),
    surface: surfaceOf(options.surface ?? base?.surface),
  };
  const given = Object.entries(context).filter(([, value]) => value !== undefined);
  return { ...startOf(base, options), ...Object.fromEntries(given) } as ParsedContext;
}

/** A session key would decide agent, group and depth by itself, against what was just chosen. */
function startOf(base: PolicyContext | undefined, options: ContextOptions): PolicyContext {
  const { agent, session, channel, group, depth } = options;
  const isOther = [agent, session, channel, group, depth].some((value) => value !== undefined);
  if (base === undefined || !isOther) return base ?? {};
  const { sessionKey: _replaced, ...rest } = base;
  return rest;
}

async function seenContext(value: string | boolean, source: ContextSource): Promise<PolicyContext> {
  const seen = await source.seen();
  const found = typeof value === "string" && /^\d{1,4}$/.test(value) ? seen[Number(value) - 1] : undefined;
  if (found !== undefined) return found.context;
  throw usage(
    seen.length === 0
      ? "No context was seen. Only the running app knows what its sessions called; a config file says nothing of it."
      : `seen is a number from 1 to ${seen.length}; \`sallyport policy contexts\` lists them.`,
  );
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

function roleOf(value: string | boolean | undefined): PolicyContext["subagentRole"] {
  if (value === undefined) return undefined;
  const role = (["main", "orchestrator", "leaf"] as const).find((known) => known === value);
  if (role === undefined) throw usage(`role is main, orchestrator or leaf, not "${String(value)}".`);
  return role;
}

function surfaceOf(value: string | boolean | undefined): ParsedContext["surface"] {
  const surface = (["model", "mcp", "http"] as const).find((known) => known === (value ?? "model"));
  if (surface === undefined) throw usage(`surface is model, mcp or http, not "${String(value)}".`);
  return surface;
}
