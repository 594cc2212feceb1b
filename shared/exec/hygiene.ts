/** What is wrong with an allowlist entry: never matches, too broad, trusts a program that runs others (spec/exec.md 14.2). */
import { whyNeverTrusted } from "./allowAlways.ts";
import { baseName, expandHome } from "./paths.ts";
import { compileAllowlist, isBareName } from "./patterns.ts";
import { isRunner } from "./programs.ts";
import type { AllowlistRule, ExecPlatform, ExecutableLookup } from "./types.ts";

export type EntryFinding =
  | { code: "neverMatches"; params: { why: "bareName" | "empty" | "relative" | "arguments" } }
  | { code: "tooBroad"; params: { why: "everything" | "wholeTree" | "wholeDirectory" } }
  | { code: "runsOthers"; params: { program: string; kind: string } }
  | { code: "fileMissing"; params: { path: string } }
  | { code: "notExecutable"; params: { path: string } }
  | { code: "realPathNotListed"; params: { path: string; realPath: string } }
  | { code: "shadowed"; params: { by: string } };

export interface FindingOptions {
  home: string;
  platform: ExecPlatform;
  lookup: ExecutableLookup;
}

/** Whether an entry must be refused when somebody adds it: it could never match. */
export function isUselessPattern(pattern: string): boolean {
  return pattern.trim() === "" || isBareName(pattern);
}

/** @param others the entries that count beside this one, for shadowing and for real paths */
export function entryFindings(
  pattern: string,
  options: FindingOptions,
  others: readonly AllowlistRule[] = [],
): EntryFinding[] {
  const trimmed = pattern.trim();
  if (trimmed === "") return [{ code: "neverMatches", params: { why: "empty" } }];
  if (trimmed === "*") return [{ code: "tooBroad", params: { why: "everything" } }];
  if (isBareName(trimmed)) return [{ code: "neverMatches", params: { why: "bareName" } }];
  const expanded = expandHome(trimmed, options.home);
  const isAbsolute =
    expanded.startsWith("/") || (options.platform === "win32" && /^[A-Za-z]:[\\/]/.test(expanded));
  if (!isAbsolute && !expanded.startsWith("*"))
    return [{ code: "neverMatches", params: { why: "relative" } }];
  const findings: EntryFinding[] = [];
  const list = compileAllowlist(
    others.filter((one) => one.pattern.trim() !== trimmed),
    options,
  );
  const shadow = list.match(expanded);
  if (shadow !== null) findings.push({ code: "shadowed", params: { by: shadow.pattern } });
  if (/\*\*/.test(expanded)) findings.push({ code: "tooBroad", params: { why: "wholeTree" } });
  else if (/\/\*$/.test(expanded)) findings.push({ code: "tooBroad", params: { why: "wholeDirectory" } });
  const program = baseName(expanded).replace(/[*?]/g, "");
  const kind = program === "" ? null : whyNeverTrusted(program);
  if (kind !== null)
    findings.push({ code: "runsOthers", params: { program, kind: isRunner(program) ? "runner" : kind } });
  if (/[*?]/.test(expanded)) return findings;
  const facts = options.lookup.inspect(expanded);
  if (!facts.exists) {
    const beforeSpace = expanded.split(/\s/)[0] ?? "";
    const hasArguments = beforeSpace !== expanded && options.lookup.inspect(beforeSpace).exists;
    findings.push(
      hasArguments
        ? { code: "neverMatches", params: { why: "arguments" } }
        : { code: "fileMissing", params: { path: expanded } },
    );
  } else if (!facts.isExecutable) {
    findings.push({ code: "notExecutable", params: { path: expanded } });
  } else if (
    facts.realPath !== null &&
    facts.realPath !== expanded &&
    compileAllowlist(others, options).match(facts.realPath) === null
  ) {
    findings.push({ code: "realPathNotListed", params: { path: expanded, realPath: facts.realPath } });
  }
  return findings;
}
