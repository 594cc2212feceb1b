/** Makes what is really started of an entry: references are looked up, folders and addresses checked. */

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { getIn } from "../../../shared/policy/configRecord.ts";
import { readSecretInput, refText, resolveSecrets } from "../secrets/index.ts";
import type { RawValue, ServerSpec } from "./entries.ts";
import { mcpProblem } from "./problems.ts";

export type StartPlan =
  | { kind: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { kind: "http"; transport: "sse" | "streamable-http"; url: URL; headers: Record<string, string> };

export interface ResolveDeps {
  /** The config in force, for `secrets`. */
  config(): unknown;
  /** What `${NAME}` stands for; keys that a person stored here count too. */
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
}

/** @throws AppError UNAVAILABLE with the reason in its data */
export async function resolveSpec(spec: ServerSpec, deps: ResolveDeps): Promise<StartPlan> {
  const text = (raw: string) => substitute(raw, deps.env);
  if (spec.kind === "http") {
    return {
      kind: "http",
      transport: spec.transport,
      url: addressOf(text(spec.url)),
      headers: sendable(await resolveValues(spec.headers, deps)),
    };
  }
  return {
    kind: "stdio",
    command: expandHome(text(spec.command), deps.homeDir),
    args: spec.args.map(text),
    env: await resolveValues(spec.env, deps),
    cwd: folderOf(spec.cwd === null ? null : text(spec.cwd), deps.homeDir),
  };
}

/** What a header cannot hold is refused here: whoever complains later would quote it. */
function sendable(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw mcpProblem("mcp.badValue", { name }, `The value of ${name} cannot be a header.`);
  return headers;
}

async function resolveValues(
  values: ReadonlyMap<string, RawValue>,
  deps: ResolveDeps,
): Promise<Record<string, string>> {
  const config = deps.config();
  const resolved = await Promise.all(
    [...values].map(async ([name, raw]): Promise<[string, string]> => {
      if (typeof raw === "string") return [name, substitute(raw, deps.env)];
      const input = readSecretInput(raw, getIn(config, "secrets", "defaults"));
      if (input.kind !== "ref")
        throw mcpProblem("mcp.badValue", { name }, `The value of ${name} cannot be read.`);
      const secrets = getIn(config, "secrets");
      const found = await resolveSecrets({
        refs: [input.ref],
        secrets,
        env: deps.env,
        homeDir: deps.homeDir,
      });
      return [name, found.get(refText(input.ref)) ?? ""];
    }),
  );
  return Object.fromEntries(resolved);
}

/** `${NAME}` stands for a variable anywhere in a text, `$${NAME}` for itself. */
function substitute(raw: string, env: ResolveDeps["env"]): string {
  return raw.replace(/\$(\$?)\{([A-Z][A-Z0-9_]{0,127})\}/g, (whole, isEscaped: string, name: string) => {
    if (isEscaped !== "") return whole.slice(1);
    const value = env[name];
    if (value === undefined || value === "")
      throw mcpProblem("mcp.missingVariable", { name }, `The variable ${name} is not set.`);
    return value;
  });
}

function addressOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // The text may hold a secret, so it is not repeated.
    throw mcpProblem("mcp.badUrl", {}, "The url is no address.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw mcpProblem("mcp.badUrl", {}, "The url must begin with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    throw mcpProblem("mcp.badUrl", {}, "Put name and password into headers, not into the url.");
  return url;
}

/** Absent: home; a relative one counts from home. */
function folderOf(cwd: string | null, homeDir: string): string {
  if (cwd === null || cwd.trim() === "") return homeDir;
  const folder = resolve(homeDir, expandHome(cwd.trim(), homeDir));
  let isFolder = false;
  try {
    isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (cause) {
    throw mcpProblem("mcp.noFolder", { folder }, `The folder ${folder} cannot be read.`, cause);
  }
  if (!isFolder) throw mcpProblem("mcp.noFolder", { folder }, `There is no folder ${folder}.`);
  return folder;
}

function expandHome(path: string, homeDir: string): string {
  return path === "~" || path.startsWith("~/") ? join(homeDir, path.slice(1)) : path;
}
