/** What a change of openclaw.json changes, setting by setting, and whether an agent may make it. Pure. */

import type { Hardening } from "../hardening/rules.ts";
import type { DocumentPath } from "../json5/json5Document.ts";
import { isSameValue } from "../json5/sameValue.ts";
import { isAboveOpenSetting, openSettingAt } from "./openSettings.ts";

export interface ChangedSetting {
  path: DocumentPath;
  /** As it would be; undefined: removed. */
  value: unknown;
}

export type ChangeVerdict =
  | { kind: "allowed" }
  /** `paths` as in the file: `agents.list[0].tools.allow`. */
  | { kind: "protected"; paths: string[] }
  /** A setting that may be changed, but not to this. */
  | { kind: "badValue"; path: string; problem: string };

/** What the reference itself keeps from the tool, whatever the rules. */
const keptByReference: readonly DocumentPath[] = [
  ["tools", "exec", "ask"],
  ["tools", "exec", "security"],
];

/**
 * Goes down to single values, so that a change is named where it is made. A list that comes, goes or changes its length
 * is a change of the list itself besides. The order of keys is no change.
 */
export function changedSettings(before: unknown, after: unknown, path: DocumentPath = []): ChangedSetting[] {
  if (isSameValue(before, after)) return [];
  const old = shapeOf(before);
  const next = shapeOf(after);
  const own: ChangedSetting[] = isOwnChange(old, next) ? [{ path, value: after }] : [];
  if (old.kind !== next.kind)
    return [...own, ...partsOf(old, noParts, path), ...partsOf(noParts, next, path)];
  return [...own, ...partsOf(old, next, path)];
}

/**
 * Whether the gateway tool may make this change, by rule `gateway.protectedConfig`: what is not known to be harmless is
 * refused. With the rule off only what the reference keeps is kept.
 * @param before plain data of the config as it is
 * @param after plain data of the config as it would be
 */
export function judgeConfigChange(before: unknown, after: unknown, hardening: Hardening): ChangeVerdict {
  const changes = changedSettings(before, after);
  if (!hardening.has("gateway.protectedConfig")) {
    const kept = changes.filter(({ path }) => keptByReference.some((one) => isSameValue(one, path)));
    return kept.length === 0 ? { kind: "allowed" } : { kind: "protected", paths: namesOf(kept) };
  }
  const closed = changes.filter((change) => !isOpen(change));
  if (closed.length > 0) return { kind: "protected", paths: namesOf(closed) };
  for (const { path, value } of changes) {
    const checked = value === undefined ? undefined : openSettingAt(path)?.schema.safeParse(value);
    if (checked === undefined || checked.success) continue;
    const problem = checked.error.issues[0]?.message ?? "not of the known form";
    return { kind: "badValue", path: shownConfigPath(path), problem };
  }
  return { kind: "allowed" };
}

/** Whether the tool may change what is at this path, to some value. */
export function isChangeable(path: DocumentPath, hardening: Hardening): boolean {
  if (hardening.has("gateway.protectedConfig")) return openSettingAt(path) !== undefined;
  return !keptByReference.some((one) => isSameValue(one, path));
}

/** @returns the path as people write it: `agents.list[0].identity["a.b"]` */
export function shownConfigPath(path: DocumentPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

interface Shape {
  kind: "absent" | "leaf" | "list" | "object";
  parts: ReadonlyMap<string | number, unknown>;
}

const noParts: Shape = { kind: "absent", parts: new Map() };

function shapeOf(value: unknown): Shape {
  if (value === undefined) return noParts;
  if (Array.isArray(value)) return { kind: "list", parts: new Map(value.entries()) };
  if (typeof value === "object" && value !== null)
    return { kind: "object", parts: new Map(Object.entries(value)) };
  return { kind: "leaf", parts: new Map() };
}

function isOwnChange(old: Shape, next: Shape): boolean {
  if (old.kind === "leaf" || next.kind === "leaf") return true;
  if (old.kind === "list" || next.kind === "list")
    return old.kind !== next.kind || old.parts.size !== next.parts.size;
  // An object without members that comes or goes has no part that could be named.
  return old.kind !== next.kind && old.parts.size + next.parts.size === 0;
}

function partsOf(old: Shape, next: Shape, path: DocumentPath): ChangedSetting[] {
  const keys = new Set([...old.parts.keys(), ...next.parts.keys()]);
  return [...keys].flatMap((key) => changedSettings(old.parts.get(key), next.parts.get(key), [...path, key]));
}

function isOpen({ path, value }: ChangedSetting): boolean {
  if (openSettingAt(path) !== undefined) return true;
  const isEmpty = value === undefined || isSameValue(value, {});
  return isEmpty && isAboveOpenSetting(path);
}

function namesOf(changes: readonly ChangedSetting[]): string[] {
  return changes.map(({ path }) => shownConfigPath(path));
}
