/** Reads `mcp.servers` of openclaw.json. An entry that cannot be understood says why and is never started. */

import { z } from "zod";
import type { McpServer, Reason, RuleSource } from "../../../shared/contract/index.ts";
import type { DocumentPath, TextPosition } from "../../../shared/json5/json5Document.ts";
import { getIn } from "../../../shared/policy/configRecord.ts";
import { digestOfValue } from "../approvals/digest.ts";
import { providersOf } from "./providersOf.ts";
import { shownVariables } from "./shownVariables.ts";
import { serverIdFor } from "./toolNames.ts";

/** A value as it stands in the config: text that may hold `${NAME}`, or a SecretRef. Resolved when the server starts. */
export type RawValue = string | Record<string, unknown>;

export type ServerSpec =
  | {
      kind: "stdio";
      command: string;
      args: readonly string[];
      env: ReadonlyMap<string, RawValue>;
      cwd: string | null;
    }
  | {
      kind: "http";
      transport: "sse" | "streamable-http";
      url: string;
      headers: ReadonlyMap<string, RawValue>;
    };

export interface ServerEntry {
  name: string;
  id: string;
  source: RuleSource;
  /**
   * SHA-256 hex over the whole entry, secrets included, and over the definitions of the secret providers that it uses, since
   * they are programs and files as well; the order of keys does not matter, every value does.
   */
  digest: string;
  transport: McpServer["transport"];
  /** For start and everything in it: process, handshake, list of tools. */
  connectionTimeoutMs: number;
  spec: { ok: true; value: ServerSpec } | { ok: false; reason: Reason };
}

export const defaultConnectionTimeoutMs = 30_000;
const maxConnectionTimeoutMs = 600_000;
/** More servers than anybody runs; what stands behind them in the file is not started. */
const maxServers = 64;
/** Of the command line with the variables that are shown, or of the address. */
const maxTargetChars = 8000;

/** No program takes a NUL, and Node would quote the whole value in its complaint. */
const text = z.string().regex(/^[^\u0000]*$/);
const scalar = z.union([text, z.number(), z.boolean()]).transform(String);
const rawValue = z.union([scalar, z.record(z.string(), z.unknown())]);
const names = /^[^\u0000-\u001f=]+$/;

const entrySchema = z.looseObject({
  enabled: z.boolean().optional(),
  command: text.trim().min(1).optional(),
  args: z.array(scalar).optional(),
  env: z.record(z.string().regex(names), rawValue).optional(),
  cwd: text.optional(),
  workingDirectory: text.optional(),
  url: z.string().trim().min(1).optional(),
  transport: z.string().optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), rawValue).optional(),
  connectionTimeoutMs: z.number().positive().optional(),
});
type RawEntry = z.infer<typeof entrySchema>;

/** @returns entries in the order of the config, which decides who gets which id */
export function readServerEntries(
  config: unknown,
  positionOf: (path: DocumentPath) => TextPosition | null,
): ServerEntry[] {
  const servers = getIn(config, "mcp", "servers");
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) return [];
  const taken = new Set<string>();
  return Object.entries(servers)
    .slice(0, maxServers)
    .map(([name, raw]): ServerEntry => {
      const path = ["mcp", "servers", name];
      const parsed = entrySchema.safeParse(raw);
      const isHttp = parsed.success && parsed.data.command === undefined && parsed.data.url !== undefined;
      return {
        name,
        id: serverIdFor(name, taken),
        source: {
          file: "openclaw.json",
          configPath: path.join("."),
          line: positionOf(path)?.line ?? null,
        },
        digest: digestOf(raw, parsed.success ? providersOf(config, parsed.data) : []),
        transport: isHttp
          ? parsed.data.transport === "streamable-http"
            ? "streamable-http"
            : "sse"
          : "stdio",
        connectionTimeoutMs: parsed.success
          ? Math.min(parsed.data.connectionTimeoutMs ?? defaultConnectionTimeoutMs, maxConnectionTimeoutMs)
          : defaultConnectionTimeoutMs,
        spec: parsed.success ? specOf(name, parsed.data) : unreadable(parsed.error),
      };
    });
}

function digestOf(raw: unknown, providers: readonly unknown[]): string {
  return digestOfValue(providers.length === 0 ? (raw ?? null) : [raw, providers]);
}

function specOf(name: string, entry: RawEntry): ServerEntry["spec"] {
  // Such a key cannot be kept among the settings, and nobody needs it.
  if (name === "__proto__" || name.trim() === "" || name.length > 256) return invalid("mcp.badName");
  if (entry.enabled === false) return invalid("mcp.disabled");
  const { command, url } = entry;
  if (command !== undefined && url !== undefined) return invalid("mcp.commandAndUrl");
  // A person has to see the whole before it is started.
  const env = new Map(Object.entries(entry.env ?? {}));
  const shown = command === undefined ? [] : shownVariables(env).map(({ name, value }) => `${name}=${value}`);
  const chars = [...shown, command ?? "", url ?? "", ...(entry.args ?? [])].join(" ").length;
  if (chars > maxTargetChars)
    return invalid("mcp.badEntry", {
      path: command === undefined ? "url" : "args, env",
      problem: `more than ${maxTargetChars} characters, too long to be shown to a person`,
    });
  if (command !== undefined) {
    return {
      ok: true,
      value: {
        kind: "stdio",
        command,
        args: entry.args ?? [],
        env,
        cwd: entry.cwd ?? entry.workingDirectory ?? null,
      },
    };
  }
  if (url === undefined) return invalid("mcp.noCommand");
  const { transport = "sse" } = entry;
  if (transport !== "sse" && transport !== "streamable-http")
    return invalid("mcp.badTransport", { transport });
  const headers = new Map(Object.entries(entry.headers ?? {}));
  return { ok: true, value: { kind: "http", transport, url, headers } };
}

function unreadable(error: z.ZodError): ServerEntry["spec"] {
  const [issue] = error.issues;
  return invalid("mcp.badEntry", {
    path: issue?.path.map(String).join(".") ?? "",
    problem: issue?.message ?? "",
  });
}

function invalid(code: string, params: Record<string, string> = {}): ServerEntry["spec"] {
  return { ok: false, reason: { code, params } };
}
