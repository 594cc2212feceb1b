/** A server as the contract shows it: secrets masked, texts of the server marked by nothing but their place. */

import type { McpServer, McpServerState } from "../../../shared/contract/index.ts";
import { showEnvValue } from "../calls/shownArgs.ts";
import type { ServerEntry } from "./entries.ts";
import type { ServerMachine } from "./serverMachine.ts";
import type { Confirmation, Standing } from "./standing.ts";

const secretOption = /^(--?[\w-]*(?:token|secret|password|passwd|api-?key|auth)[\w-]*)(?:=(.+))?$/is;
const secretQuery = /token|secret|key|password|auth|sig/i;
const maxTargetChars = 2000;

/** @returns the command line or the address, without secrets */
export function targetOf(entry: ServerEntry): string {
  if (!entry.spec.ok) return "";
  const { value: spec } = entry.spec;
  const text = spec.kind === "http" ? maskAddress(spec.url) : maskCommand([spec.command, ...spec.args]);
  return text.length > maxTargetChars ? `${text.slice(0, maxTargetChars)}…` : text;
}

function maskCommand(words: readonly string[]): string {
  return words
    .map((word, index) => {
      const before = secretOption.exec(words[index - 1] ?? "");
      if (before !== null && before[2] === undefined && !word.startsWith("-")) return mask(word);
      const option = secretOption.exec(word);
      if (option?.[2] !== undefined) return `${option[1]}=${mask(option[2])}`;
      const { shown } = showEnvValue("", word.replace(/(\w+:\/\/[^/\s:@]*:)[^/\s@]+@/g, "$1••••••@"));
      return /^[\w@%+=:,./~-]+$/.test(shown) ? shown : JSON.stringify(shown);
    })
    .join(" ");
}

/** A reference names a variable and is no secret itself. */
function mask(value: string): string {
  return /^\$\{[A-Z][A-Z0-9_]*\}$/.test(value) ? value : "••••••";
}

function maskAddress(raw: string): string {
  try {
    const url = new URL(raw);
    if (url.password !== "") url.password = "******";
    for (const [name, value] of [...url.searchParams])
      if (secretQuery.test(name)) url.searchParams.set(name, mask(value));
    return showEnvValue("", decodeURI(url.href)).shown;
  } catch {
    // No address, or one with a reference in it: shown as far as it can hold no secret.
    return showEnvValue("", raw.replace(/\?.*$/s, "?…")).shown;
  }
}

export interface ViewParts {
  entry: ServerEntry;
  machine: ServerMachine;
  confirmation: Confirmation;
  /** With rule `mcp.confirmStart` off nobody has to confirm. */
  needsConfirmation: boolean;
  standing: Standing;
  log: string;
}

export function viewOf({
  entry,
  machine,
  confirmation,
  needsConfirmation,
  standing,
  log,
}: ViewParts): McpServer {
  const { spec } = entry;
  const started = spec.ok ? spec.value : null;
  const stdio = started?.kind === "stdio" ? started : null;
  const http = started?.kind === "http" ? started : null;
  return {
    name: entry.name,
    id: entry.id,
    transport: entry.transport,
    target: targetOf(entry),
    cwd: stdio?.cwd ?? null,
    envNames: [...(stdio?.env.keys() ?? [])],
    headerNames: [...(http?.headers.keys() ?? [])],
    source: entry.source,
    digest: entry.digest,
    state: stateOf(entry, machine, needsConfirmation ? confirmation : "confirmed"),
    tools: machine.tools().map((tool) => ({
      name: tool.name,
      remoteName: tool.remoteName,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.inputSchema,
      ...standing.allowance(entry, tool),
    })),
    leftOut: [...machine.leftOut()],
    log,
  };
}

function stateOf(entry: ServerEntry, machine: ServerMachine, confirmation: Confirmation): McpServerState {
  if (!entry.spec.ok) return { kind: "invalid", reason: entry.spec.reason };
  if (confirmation !== "confirmed") return { kind: "unconfirmed", isChanged: confirmation === "changed" };
  return machine.state();
}
