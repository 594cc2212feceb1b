/** `config.schema.lookup`: the form of one setting and what is directly below it. */

import { z } from "zod";
import { AppError } from "../../../../shared/errors/index.ts";
import { anyItem, isChangeable, openSettings } from "../../../../shared/gatewayTool/index.ts";
import type { Hardening } from "../../../../shared/hardening/rules.ts";
import type { DocumentPath } from "../../../../shared/json5/json5Document.ts";
import { asRecord } from "../../../../shared/policy/configRecord.ts";
import { configSchema } from "../../config/index.ts";

type Node = Readonly<Record<string, unknown>>;

export interface Hint {
  /** What the setting does. */
  help?: string;
  /** Whether this tool may change it; a person is asked where the rules say so. */
  changeable: boolean;
}

export interface SchemaChild {
  key: string;
  path: string;
  /** JSON Schema type; `any` where only the name is known. */
  type: string;
  required: boolean;
  hasChildren: boolean;
  hint: Hint;
  hintPath: string;
}

export interface SchemaAnswer {
  path: string;
  /** The setting itself, without what is below it. */
  schema: Node;
  hint: Hint;
  hintPath: string;
  children: SchemaChild[];
  note?: string;
}

const allowedPath = /^[A-Za-z0-9_./[\]\-*]{1,1024}$/;
const maxChildren = 200;
/** What describes a value itself; the rest of a schema node is about what is below it. */
const ownWords = [
  "type",
  "title",
  "description",
  "format",
  "pattern",
  "enum",
  "const",
  "default",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "required",
];

const root: Node = withOpenSettings(
  asRecord(z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" })) ?? {},
);

/**
 * @param path keys with dots; `[]`, `[*]`, `*` or an index for the items of a list, `*` for any key
 * @throws AppError INVALID_INPUT for a path that is malformed, too long, or not described
 * @see gateway-sessions-nodes.md §8
 */
export function lookUpSchema(path: string, hardening: Hardening): SchemaAnswer {
  if (!allowedPath.test(path))
    throw new AppError(
      "INVALID_INPUT",
      "path has 1 to 1024 characters out of letters, digits and _ . / [ ] - *. Example: agents.list[].identity",
    );
  const parts = partsOf(path);
  const node = parts.reduce<Node>((at, part, depth) => {
    const next = step(at, part);
    if (next === undefined) throw notDescribed(path, at, parts.slice(0, depth));
    return next;
  }, root);
  const children = childrenOf(node, parts, hardening);
  const shown = textOf(parts);
  return {
    path: shown,
    schema: ownPartOf(node),
    hint: hintOf(node, parts, hardening),
    hintPath: shown,
    children: children.slice(0, maxChildren),
    ...(children.length > maxChildren ? { note: `${children.length - maxChildren} more are left out` } : {}),
  };
}

/** Items of a list are `[]` whatever index was given. */
function partsOf(path: string): string[] {
  return path
    .replace(/\[(?:\*|\d*)\]/g, `.${anyItem}`)
    .split(".")
    .filter((part) => part !== "");
}

function textOf(parts: readonly string[]): string {
  return parts.reduce(
    (text, part) => (part === anyItem ? `${text}[]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

function step(node: Node, part: string): Node | undefined {
  if (part === anyItem || part === "*" || /^\d+$/.test(part)) {
    const items = asRecord(node.items);
    if (items !== undefined) return items;
  }
  const properties = asRecord(node.properties);
  if (properties !== undefined && Object.hasOwn(properties, part)) return asRecord(properties[part]);
  const others = asRecord(node.additionalProperties);
  // An empty schema means "kept as it is": nothing is known of what stands there.
  if (others !== undefined && Object.keys(others).length > 0) return others;
  for (const branch of branchesOf(node)) {
    const found = step(branch, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function branchesOf(node: Node): Node[] {
  return [node.anyOf, node.oneOf, node.allOf]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .flatMap((branch): Node[] => [asRecord(branch) ?? {}]);
}

function childrenOf(node: Node, parts: readonly string[], hardening: Hardening): SchemaChild[] {
  const required = Array.isArray(node.required) ? node.required : [];
  const named = Object.entries(asRecord(node.properties) ?? {});
  const others = asRecord(node.additionalProperties);
  const items = asRecord(node.items);
  const listed: [key: string, value: unknown][] = [
    ...named,
    ...(others !== undefined && Object.keys(others).length > 0 ? [["*", others] as [string, unknown]] : []),
    ...(items === undefined ? [] : [[anyItem, items] as [string, unknown]]),
  ];
  const own = listed.map(([key, value]): SchemaChild => {
    const child = asRecord(value) ?? {};
    const path = [...parts, key];
    const shown = textOf(path);
    return {
      key,
      path: shown,
      type: typeOf(child),
      required: required.includes(key),
      hasChildren: hasChildren(child),
      hint: hintOf(child, path, hardening),
      hintPath: shown,
    };
  });
  return own.length > 0 ? own : branchesOf(node).flatMap((branch) => childrenOf(branch, parts, hardening));
}

function hasChildren(node: Node): boolean {
  const others = asRecord(node.additionalProperties);
  return (
    node.properties !== undefined ||
    node.items !== undefined ||
    (others !== undefined && Object.keys(others).length > 0) ||
    branchesOf(node).some(hasChildren)
  );
}

function typeOf(node: Node): string {
  if (typeof node.type === "string") return node.type;
  const types = new Set(branchesOf(node).map(typeOf));
  return types.size === 0 ? "any" : [...types].join(" | ");
}

function ownPartOf(node: Node): Node {
  const kept = Object.fromEntries(
    ownWords.filter((key) => Object.hasOwn(node, key)).map((key) => [key, node[key]]),
  );
  const branches = branchesOf(node).map(ownPartOf);
  return branches.length === 0 ? kept : { ...kept, anyOf: branches };
}

function hintOf(node: Node, parts: readonly string[], hardening: Hardening): Hint {
  // An index stands for every item of the list.
  const path: DocumentPath = parts.map((part) => (part === anyItem ? 0 : part));
  const changeable = isChangeable(path, hardening);
  return typeof node.description === "string" ? { help: node.description, changeable } : { changeable };
}

function notDescribed(path: string, node: Node, known: readonly string[]): AppError {
  const keys = Object.keys(asRecord(node.properties) ?? {});
  const where = known.length === 0 ? "the config" : textOf(known);
  const next =
    keys.length > 0
      ? `${where} has: ${keys.slice(0, 40).join(", ")}${keys.length > 40 ? ", …" : ""}.`
      : `What is below ${where} is kept as it is; no form of it is known here.`;
  return new AppError("INVALID_INPUT", `No setting ${path} is described. ${next}`, { data: { path } });
}

/** Sections that are known by name only get the settings in them whose form is known. */
function withOpenSettings(schema: Node): Node {
  return openSettings.reduce((node, { path, schema: leaf }) => {
    const { $schema: _version, ...form } = asRecord(z.toJSONSchema(leaf, { io: "input" })) ?? {};
    return withLeaf(node, path, form);
  }, schema);
}

function withLeaf(node: Node, path: readonly string[], leaf: Node): Node {
  const [part, ...rest] = path;
  if (part === undefined) return { ...node, ...leaf };
  if (part === anyItem) return { ...node, items: withLeaf(asRecord(node.items) ?? {}, rest, leaf) };
  const properties = asRecord(node.properties) ?? {};
  const child = asRecord(properties[part]) ?? {};
  return { ...node, type: "object", properties: { ...properties, [part]: withLeaf(child, rest, leaf) } };
}
