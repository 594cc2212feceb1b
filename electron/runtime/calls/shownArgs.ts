/** Arguments as prompts, lists and the ledger show them: bounded, with secrets masked. */

import { shownConfigText } from "../config/shownConfigText.ts";

const secretName = /token|secret|password|passwd|api[-_]?key|authorization|credential|cookie/i;

/** @returns whether a field, variable or parameter of this name holds a secret */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Shapes of well-known secrets, wherever they stand. */
const secretShape =
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)/g;
/**
 * What a shell, a program or a person would understand: blanks, operators, words of any script, addresses, options,
 * paths. Keys and tokens have none of them.
 */
const codeLike =
  /[\s;|&`$<>(){}\\]|[^\x20-\x7e]|:\/\/|^(?:[-~]|\.{1,2}\/|\/[\w.-]+\/)|\/[^/]*\.[a-z][a-z0-9]{0,4}$/i;
/** The value of a header: only what stands behind the scheme is a secret. */
const schemeAndToken = /^((?:bearer|basic|token) {1,9})([\w.~+/=-]+)$/i;
const maxStringLength = 2000;
const maxTextLength = 8000;

/**
 * What a browser types into pages may be a password, and whether it is one is known only when the page has been looked
 * at, after the record is made. Its film keeps what went into ordinary fields.
 */
const typedByBrowser: ReadonlySet<string> = new Set(["text", "value", "values", "promptText"]);

/** @returns pretty JSON of at most about 8,000 characters */
export function showArgs(args: unknown, tool = ""): string {
  const shown = tool === "gateway" ? withoutConfigSecrets(args) : args;
  const text = jsonOf(shown, tool === "browser" ? typedByBrowser : new Set());
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
}

/** A config comes as one text, in which names of secrets are not keys of the arguments. */
function withoutConfigSecrets(args: unknown): unknown {
  if (typeof args !== "object" || args === null || !("raw" in args)) return args;
  return typeof args.raw === "string" ? { ...args, raw: shownConfigText(args.raw) } : args;
}

function jsonOf(args: unknown, typed: ReadonlySet<string>): string {
  try {
    const mask = (key: string, value: unknown) => (typed.has(key) ? lengthOf(value) : maskByName(key, value));
    return JSON.stringify(args, mask, 2) ?? "null";
  } catch {
    // JSON may be nested deeper than the stack; no tool takes such arguments.
    return "(arguments that are nested too deep to be shown)";
  }
}

/** @returns whether a person has to see this text before it is used, also where a secret is expected */
export function isCodeLike(text: string): boolean {
  return codeLike.test(text);
}

/**
 * All of the arguments with nothing cut, secrets masked: for a decision about exactly these. Whoever names a parameter may
 * be hostile, so a name alone hides nothing that reads like words, a command or a path.
 * @returns pretty JSON; null when they are nested too deep to be shown
 */
export function showWholeArgs(args: unknown): string | null {
  try {
    return JSON.stringify(args, maskUnlessCode, 2) ?? "null";
  } catch {
    return null;
  }
}

/**
 * One environment value for a prompt: a secret keeps its first characters and its length.
 * @returns `shown`, whether it was masked, and how many characters the mask stands for
 */
export function showEnvValue(
  name: string,
  value: string,
): { shown: string; isMasked: boolean; length?: number } {
  let length = 0;
  const masked = value.replace(secretShape, (secret) => {
    length += secret.length;
    return maskOf(secret);
  });
  if (length > 0) return { shown: masked, isMasked: true, length };
  if (secretName.test(name) && value !== "")
    return { shown: maskOf(value), isMasked: true, length: value.length };
  return { shown: value, isMasked: false };
}

function maskSecret(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (secretName.test(key) && value !== "") return maskText(value);
  return value.replace(secretShape, (secret) => maskText(secret));
}

function maskUnlessCode(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const [, scheme, token] = schemeAndToken.exec(value) ?? [];
  if (secretName.test(key) && scheme !== undefined && token !== undefined && !isCodeLike(token))
    return scheme + maskText(token);
  return maskSecret(isCodeLike(value) ? "" : key, value);
}

function maskByName(key: string, value: unknown): unknown {
  const masked = maskSecret(key, value);
  if (typeof masked !== "string") return masked;
  return masked.length > maxStringLength
    ? `${masked.slice(0, maxStringLength)}… (${masked.length} characters)`
    : masked;
}

function lengthOf(value: unknown): unknown {
  if (Array.isArray(value)) return `•••••• (${value.length} values)`;
  return typeof value === "string" ? `•••••• (${value.length} characters)` : value;
}

function maskText(secret: string): string {
  return `${maskOf(secret)} (${secret.length} characters)`;
}

function maskOf(secret: string): string {
  return `${secret.length >= 12 ? secret.slice(0, 4) : ""}••••••`;
}
