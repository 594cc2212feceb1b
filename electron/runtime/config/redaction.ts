/** Hides secrets of openclaw.json from readers, and puts them back when a reader writes the text again. */

import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../shared/errors/index.ts";
import {
  type DocumentPath,
  defineOwn,
  type Json5Document,
  memberKey,
  nodeAt,
  parseJson5,
  type ValueNode,
} from "../../../shared/json5/json5Document.ts";
import { applyEdits } from "../../../shared/json5/json5Edit.ts";

/** What stands in place of a secret; the same word as OpenClaw's. */
export const redactionMark = "__OPENCLAW_REDACTED__";

const secretKey =
  /token|secret|passw|passphrase|api[-_]?key|authorization|cookie|credential|private[-_]?key|signing[-_]?key|webhook|^(key|auth|access|refresh)$/i;
/** Everything below these is hidden, whatever the key is called. */
const secretSubtree = /^(headers?|env|vars)$/i;
/** Well-known forms of keys, and URLs with a password in them. */
const secretText =
  /^(sk|pk|rk)-[\w-]{12,}|^(ghp|gho|ghs|github_pat|glpat|xox[abprs])[-_]\w{8,}|^AKIA[0-9A-Z]{12,}|^eyJ[\w-]{10,}\.|-----BEGIN|^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
/** Command lines of MCP servers carry secrets as options, glued or as the next word. */
const secretOption = /^--?(?:[\w-]*(?:token|secret|password|api-?key))(=.+)?$/i;
/** A variable or a header as one word of a command line: `API_KEY=…`, `Authorization: Bearer …`; not one that refers. */
const secretWord =
  /^[\w-]{0,64}(?:token|secret|passw|api[-_]?key|authorization|cookie|credential|private[-_]?key)[\w-]{0,64}\s{0,9}[:=]\s{0,9}(?!(?:(?:bearer|basic|token)\s{1,9})?\$\{[A-Z][A-Z0-9_]{0,127}\}$)\S/i;
/** One part of an address behind `?` or `&`. */
const secretParameter =
  /^[\w.-]{0,64}(?:token|secret|passw|key|auth|credential|sig)[\w.-]{0,64}=(?!\$\{[A-Z][A-Z0-9_]{0,127}\}(?:#|$))[^#]/i;
/** Words that stand where secrets stand but are settings: `auth.mode: "token"`, `source: "env"`. */
const openKey = /^(mode|source|type|provider|id|enabled|kind)$/i;
/** `${NAME}` names a variable and holds no secret itself. */
const reference = /^\$\{[A-Z][A-Z0-9_]{0,127}\}$/;

interface SecretPlace {
  path: DocumentPath;
  start: number;
  end: number;
  value: string;
}

/** @returns every text of the document that counts as a secret, in text order */
function findSecrets(document: Json5Document): SecretPlace[] {
  const found: SecretPlace[] = [];
  const visit = (node: ValueNode, path: DocumentPath, isSecret: boolean): void => {
    if (node.type === "Object")
      for (const member of node.members) {
        const key = memberKey(member);
        const isBelow = isSecret || secretSubtree.test(key);
        const child = member.value;
        const isOpen = openKey.test(key) && child.type === "String";
        visit(child, [...path, key], isBelow || (secretKey.test(key) && !isOpen && !isPlainAuth(key, child)));
      }
    else if (node.type === "Array")
      node.elements.forEach((element, index) => {
        const before = node.elements[index - 1]?.value;
        const option = before?.type === "String" ? secretOption.exec(before.value) : null;
        const followsOption = option !== null && option[1] === undefined;
        visit(element.value, [...path, index], isSecret || followsOption);
      });
    else if (node.type === "String" && node.value !== "") {
      const isWord = path.at(-2) === "args" && secretWord.test(node.value);
      if (!isSecret && !isWord && !isSecretText(node.value)) return;
      if (reference.test(node.value)) return;
      found.push({ path, start: node.loc.start.offset, end: node.loc.end.offset, value: node.value });
    }
  };
  visit(document.root, [], false);
  return found;
}

function isSecretText(text: string): boolean {
  if (secretOption.exec(text)?.[1] !== undefined || secretText.test(text)) return true;
  if (!/^[a-z][a-z0-9+.-]{0,32}:\/\//i.test(text)) return false;
  return text
    .split(/[?&]/)
    .slice(1)
    .some((part) => secretParameter.test(part));
}

/** @returns what `redact` hides, each text once */
export function secretValues(document: Json5Document): string[] {
  return [...new Set(findSecrets(document).map(({ value }) => value))];
}

/** `gateway.auth` is an object with a mode beside its secrets; the secrets in it are found by their own names. */
function isPlainAuth(key: string, node: ValueNode): boolean {
  return /^auth$/i.test(key) && node.type === "Object";
}

/**
 * @returns `raw` with each secret replaced; null when it cannot be shown that no secret is left in it, for example
 * because a comment repeats one. `config` is the parsed form with the same replacements.
 */
export function redact(document: Json5Document): {
  raw: string | null;
  config: Record<string, unknown> | null;
} {
  const secrets = findSecrets(document);
  const config = secrets.reduce<unknown>(
    (value, secret) => replaceIn(value, secret.path, redactionMark),
    document.value,
  );
  const raw = secrets.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}"${redactionMark}"${text.slice(end)}`,
    document.text,
  );
  const again = parseJson5(raw, { path: "" });
  const isProven =
    again.ok &&
    isDeepStrictEqual(again.document.value, config) &&
    secrets.every((secret) => isAbsent(raw, secret.value)) &&
    !again.document.tokens.some(
      (token) =>
        token.type.endsWith("Comment") &&
        holdsSecret(raw.slice(token.loc.start.offset, token.loc.end.offset)),
    );
  return { raw: isProven ? raw : null, config: isRecord(config) ? config : null };
}

/** A comment that looks like an old setting with its value cannot be shown safely. */
function holdsSecret(comment: string): boolean {
  return (
    /(token|secret|passw|api[-_]?key)\w*["']?\s*[:=]\s*\S/i.test(comment) ||
    comment.split(/[\s"'`,;=]+/).some((word) => secretText.test(word))
  );
}

/** Very short secrets occur in any text by chance; their own places were replaced. */
function isAbsent(text: string, secret: string): boolean {
  return secret.length < 4 || !text.includes(secret);
}

/**
 * Puts the old secret back wherever the new text holds the mark.
 * List items are matched by their `id`, or by their place while the list has kept its length.
 * @throws AppError INVALID_INPUT when a mark stands where no secret was
 */
export function restoreSecrets(raw: string, current: Json5Document | null): string {
  if (!raw.includes(redactionMark)) return raw;
  const parsed = parseJson5(raw, { path: "" });
  // A text that does not parse is refused by the validation that follows.
  if (!parsed.ok) return raw;
  const marks: DocumentPath[] = [];
  collectMarks(parsed.document.root, [], marks);
  return applyEdits(
    raw,
    marks.map((path) => ({ op: "set", path, value: oldValue(parsed.document.value, current, path) })),
  );
}

function collectMarks(node: ValueNode, path: DocumentPath, marks: DocumentPath[]): void {
  if (node.type === "Object")
    for (const member of node.members) collectMarks(member.value, [...path, memberKey(member)], marks);
  else if (node.type === "Array")
    node.elements.forEach((element, index) => {
      collectMarks(element.value, [...path, index], marks);
    });
  else if (node.type === "String" && node.value.includes(redactionMark)) marks.push(path);
}

function oldValue(next: unknown, current: Json5Document | null, path: DocumentPath): string {
  const refuse = (): never => {
    throw new AppError(
      "INVALID_INPUT",
      `${path.join(".")} holds the mark of a hidden secret, but there was no secret at that place. Write the value itself.`,
      { data: { configPath: path.join(".") } },
    );
  };
  if (current === null) return refuse();
  let newNode = next;
  let oldNode = current.value;
  const oldPath: (string | number)[] = [];
  for (const part of path) {
    let oldPart = part;
    if (Array.isArray(newNode) && typeof part === "number") {
      if (!Array.isArray(oldNode)) return refuse();
      const id: unknown = isRecord(newNode[part]) ? newNode[part].id : undefined;
      if (typeof id === "string") oldPart = oldNode.findIndex((item) => isRecord(item) && item.id === id);
      else if (oldNode.length !== newNode.length) return refuse();
    }
    newNode = read(newNode, part);
    oldNode = read(oldNode, oldPart);
    oldPath.push(oldPart);
  }
  const node = nodeAt(current.root, oldPath);
  const wasSecret = findSecrets(current).some((secret) => isDeepStrictEqual(secret.path, oldPath));
  if (node?.type !== "String" || newNode !== redactionMark || !wasSecret) return refuse();
  return node.value;
}

function read(value: unknown, part: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, part)
    ? Reflect.get(value, part)
    : undefined;
}

function replaceIn(value: unknown, path: DocumentPath, replacement: string): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  if (Array.isArray(value))
    return value.with(Number(part), replaceIn(value[Number(part)], rest, replacement));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value))
    defineOwn(copy, key, key === part ? replaceIn(item, rest, replacement) : item);
  return copy;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
