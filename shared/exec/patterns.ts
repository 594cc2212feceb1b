/** Allowlist patterns: compiled once, exact paths by index (spec/exec.md 5.2). */
import { expandHome } from "./paths.ts";
import type { AllowlistRule, ExecPlatform } from "./types.ts";

export interface PatternOptions {
  home: string;
  platform: ExecPlatform;
}

export interface CompiledAllowlist {
  /** The first rule that covers `path`; null stands for a program that could not be found. */
  match(path: string | null): AllowlistRule | null;
  readonly isEmpty: boolean;
}

/** Bare names can match nothing but `*`. */
export function isBareName(pattern: string): boolean {
  return pattern.trim() !== "*" && !/[\\/~]/.test(pattern);
}

function fold(text: string, platform: ExecPlatform): string {
  return platform === "win32" ? text.replaceAll("\\", "/").toLowerCase() : text;
}

function toRegExp(pattern: string): RegExp {
  let source = "";
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] ?? "";
    if (char === "*") {
      const isDouble = pattern[index + 1] === "*";
      source += isDouble ? "[\\s\\S]*" : "[^/]*";
      // A longer run of stars means the same as two; adjacent quantifiers would only cost time.
      while (isDouble && pattern[index + 1] === "*") index += 1;
    } else if (char === "?") {
      source += "[^/]";
    } else {
      source += char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    }
  }
  return new RegExp(`^${source}$`);
}

/** @returns whether one pattern covers one absolute path. */
export function matchesPattern(pattern: string, path: string | null, options: PatternOptions): boolean {
  return compileAllowlist([{ agentId: "*", pattern }], options).match(path) !== null;
}

/** Paths that one matcher remembers. */
const maxAnswers = 1000;

const compiled = new WeakMap<readonly AllowlistRule[], { key: string; list: CompiledAllowlist }>();

/** A matcher kept with the list it was built for; lists are never changed in place. */
export function allowlistMatcher(
  rules: readonly AllowlistRule[],
  options: PatternOptions,
): CompiledAllowlist {
  const key = `${options.platform} ${options.home}`;
  const known = compiled.get(rules);
  if (known !== undefined && known.key === key) return known.list;
  const list = compileAllowlist(rules, options);
  compiled.set(rules, { key, list });
  return list;
}

/** Builds a matcher whose cost does not depend on the number of exact entries. */
export function compileAllowlist(
  rules: readonly AllowlistRule[],
  options: PatternOptions,
): CompiledAllowlist {
  const exact = new Map<string, { rule: AllowlistRule; order: number }>();
  const globs: { rule: AllowlistRule; prefix: string; expression: RegExp; order: number }[] = [];
  const answers = new Map<string, AllowlistRule | null>();
  let star: { rule: AllowlistRule; order: number } | null = null;
  for (const [order, rule] of rules.entries()) {
    const pattern = rule.pattern.trim();
    if (pattern === "*") {
      star ??= { rule, order };
      continue;
    }
    if (pattern === "" || isBareName(pattern)) continue;
    const expanded = fold(expandHome(pattern, options.home), options.platform);
    if (/[*?]/.test(expanded))
      globs.push({
        rule,
        prefix: /^[^*?]*/.exec(expanded)?.[0] ?? "",
        expression: toRegExp(expanded),
        order,
      });
    else if (!exact.has(expanded)) exact.set(expanded, { rule, order });
  }
  const find = (folded: string): AllowlistRule | null => {
    let best = exact.get(folded) ?? star;
    if (best !== null && star !== null && star.order < best.order) best = star;
    for (const glob of globs) {
      if (best !== null && best.order < glob.order) break;
      if (folded.startsWith(glob.prefix) && glob.expression.test(folded)) return glob.rule;
    }
    return best?.rule ?? null;
  };
  return {
    isEmpty: rules.length === 0,
    match(path) {
      if (path === null) return star?.rule ?? null;
      const folded = fold(path, options.platform);
      const known = answers.get(folded);
      if (known !== undefined) return known;
      const answer = find(folded);
      if (answers.size < maxAnswers) answers.set(folded, answer);
      return answer;
    },
  };
}
