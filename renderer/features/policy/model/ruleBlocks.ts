/** Arranges the rules of a cell as a browser arranges styles: a block per place in the config, losers struck through. */

import { pathText } from "../../../../shared/policy/index.ts";
import type { PolicyRule } from "../../../../shared/policy/types.ts";
import { lineOf, type Positions } from "./matrixModel.ts";

export interface RuleEntry {
  text: string;
  /** The entry that decided for this tool. */
  isHit: boolean;
}

export interface RuleLine {
  id: string;
  rule: PolicyRule;
  /** `deny`, `alsoAllow`, `profile`; the last named segment of the path. */
  key: string;
  /** The whole list as the config holds it, or only the entry when the list is built in or not at hand. */
  entries: RuleEntry[];
  isList: boolean;
  line: number | null;
}

export interface RuleBlock {
  /** `agents.list[1].tools`, or null for built-in lists. */
  place: string | null;
  line: number | null;
  isWinner: boolean;
  lines: RuleLine[];
}

/** Long lists are cut around the entry that matters. */
const shownEntries = 6;

/**
 * @param rules deciding rule first, losers after it
 * @param config the parsed document that was evaluated, for the neighbours of an entry; null when not at hand
 */
export function ruleBlocks(rules: readonly PolicyRule[], config: unknown, positions: Positions): RuleBlock[] {
  const blocks = new Map<string, RuleBlock>();
  rules.forEach((rule, index) => {
    const split = splitPath(rule);
    const blockKey = split.parent === null ? `built-in:${rule.path}` : pathText(split.parent);
    let block = blocks.get(blockKey);
    if (block === undefined) {
      block = {
        place: split.parent === null ? null : pathText(split.parent) || split.key,
        line: lineOf(positions, split.parent === null ? null : rule.configPath),
        isWinner: index === 0 && rule.lostTo === undefined,
        lines: [],
      };
      blocks.set(blockKey, block);
    }
    const same = block.lines.find((line) => line.key === split.key && line.isList);
    if (same !== undefined && (same.rule.lostTo === undefined) === (rule.lostTo === undefined)) {
      for (const entry of same.entries) if (entry.text === rule.entry) entry.isHit = true;
      return;
    }
    block.lines.push(ruleLine(rule, split, config, positions));
  });
  return [...blocks.values()];
}

interface SplitPath {
  parent: (string | number)[] | null;
  key: string;
  isList: boolean;
}

function splitPath(rule: PolicyRule): SplitPath {
  if (rule.configPath === null || rule.configPath.length === 0) {
    return { parent: null, key: rule.list === "default" ? "default" : rule.list, isList: false };
  }
  const path = [...rule.configPath];
  const isList = typeof path.at(-1) === "number";
  if (isList) path.pop();
  const key = path.pop();
  return { parent: path, key: String(key ?? ""), isList };
}

function ruleLine(rule: PolicyRule, split: SplitPath, config: unknown, positions: Positions): RuleLine {
  const listPath = split.parent === null ? null : [...split.parent, split.key];
  const list = listPath === null ? undefined : valueAt(config, listPath);
  const line = lineOf(positions, rule.configPath);
  if (Array.isArray(list)) {
    const texts = list.filter((entry) => typeof entry === "string");
    const hit = texts.indexOf(rule.entry);
    const start = Math.max(0, Math.min(hit - 2, texts.length - shownEntries));
    const entries = texts
      .slice(start, start + shownEntries)
      .map((text, index) => ({ text, isHit: start + index === hit }));
    if (start > 0) entries.unshift({ text: "…", isHit: false });
    if (start + shownEntries < texts.length) entries.push({ text: "…", isHit: false });
    return { id: rule.id, rule, key: split.key, entries, isList: true, line };
  }
  // The list of a profile is built in; the config only names the profile.
  const isProfile = rule.list === "profile" && typeof list === "string";
  const text = rule.entry === "" || isProfile ? String(list ?? "") : rule.entry;
  return {
    id: rule.id,
    rule,
    key: split.key,
    entries: text === "" ? [] : [{ text, isHit: true }],
    isList: split.isList,
    line,
  };
}

/** Own properties only: a config may hold keys such as `__proto__`. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value;
}
