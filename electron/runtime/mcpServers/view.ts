/** A server as the contract shows it: secrets masked, texts of the server marked by nothing but their place. */

import type { McpServer, McpServerState } from "../../../shared/contract/index.ts";
import { isCodeLike, showEnvValue } from "../calls/shownArgs.ts";
import type { ServerEntry } from "./entries.ts";
import type { ServerMachine } from "./serverMachine.ts";
import { type ShownVariable, shownVariables } from "./shownVariables.ts";
import type { Confirmation, Standing } from "./standing.ts";

const secretName = "[\\w-]{0,64}(?:token|secret|passw|api[-_]?key|auth|credential|cookie)[\\w-]{0,64}";
/** The value is the next word, or stands behind `=`. */
const secretOption = new RegExp(`^(--?${secretName}(?:=|$))(.*)$`, "is");
/** A variable or a header with its value as one word: `API_KEY=…`, `Authorization: Bearer …`. */
const secretWord = new RegExp(
  `^(${secretName}\\s{0,9}[:=]\\s{0,9}(?:(?:bearer|basic|token)\\s{1,9})?)(.+)$`,
  "is",
);
const secretQuery = /token|secret|key|password|auth|sig/i;

/** Variables that hold a secret although programs act on variables that are called so. */
const secretVariable =
  /token|secret|passw|api[-_]?key|auth(?!or)|credential|cookie|(?:^|_)(?:pat|pass|key|pwd?)(?:_|$)/i;
/** Their values hold addresses or settings of others, in which a secret can stand; lists of files are shown as they are. */
const secretInside = /^GIT_CONFIG_(?:VALUE|PARAMETERS)|PROXY$|_URL$|INDEX|REGISTRY/i;

/**
 * Variables that change what runs stand in front of the command, as a shell would have it.
 * @returns the command line or the address as a whole, without secrets; how long it can get `entries.ts` decides
 */
export function targetOf(entry: ServerEntry): string {
  if (!entry.spec.ok) return "";
  const { value: spec } = entry.spec;
  if (spec.kind === "http") return maskAddress(spec.url);
  const variables = shownVariables(spec.env).map(shownVariable);
  return [...variables, maskCommand([spec.command, ...spec.args])].join(" ");
}

function shownVariable({ name, value, kind }: ShownVariable): string {
  // Quotes would make it look like text of that form.
  if (kind === "reference") return `${quoted(name)}=${value}`;
  if (secretVariable.test(name)) return `${quoted(name)}=${quoted(mask(value))}`;
  return `${quoted(name)}=${quoted(secretInside.test(name) ? maskWord(value, "") : value)}`;
}

function maskCommand(words: readonly string[]): string {
  return words.map((word, index) => quoted(maskWord(word, words[index - 1] ?? ""))).join(" ");
}

function maskWord(word: string, before: string): string {
  const option = secretOption.exec(before);
  if (option?.[1]?.endsWith("=") === false && option[2] === "" && !word.startsWith("-")) return mask(word);
  const named = secretOption.exec(word) ?? secretWord.exec(word);
  if (named?.[1] !== undefined && named[2] !== undefined && named[2] !== "") return named[1] + mask(named[2]);
  return showEnvValue("", word.replace(/(\w{1,32}:\/\/[^/\s:@]*:)[^/\s@;|&`$<>()]+@/g, "$1••••••@")).shown;
}

function quoted(word: string): string {
  return /^(?:[\w@%+=:,./~•-]|\$\{[A-Z][A-Z0-9_]*\})+$/.test(word) ? word : JSON.stringify(word);
}

/** A reference names a variable and is no secret itself. */
function mask(value: string): string {
  return /^\$\{[A-Z][A-Z0-9_]*\}$/.test(value) || isCodeLike(value) ? value : "••••••";
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
