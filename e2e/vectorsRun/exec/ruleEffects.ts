/** Which hardening rule makes a recorded command end otherwise than in the reference: found by switching rules, not by name. */

import { execHardening } from "../../../shared/exec/index.ts";
import { evaluateCase } from "./evaluateCase.ts";
import { type ExecCase, openExecVectors } from "./fixture.ts";

type Outcome = "allow" | "ask" | "deny";

/** `allow → ask` and the like, with the ids of the cases. */
export type EffectsByRule = Map<string, Map<string, string[]>>;

const allRules: readonly string[] = execHardening.map((rule) => rule.id);

/**
 * The rules without which the outcome would be the reference's. When each of several would be enough alone, all of
 * them; when only some together are, a smallest such set.
 */
export function rulesBehind(outcomeWith: (rules: ReadonlySet<string>) => Outcome): string[] {
  const before = outcomeWith(new Set());
  const isChanged = (rules: readonly string[]): boolean => outcomeWith(new Set(rules)) !== before;
  if (!isChanged(allRules)) return [];
  const needed = allRules.filter((rule) => !isChanged(allRules.filter((other) => other !== rule)));
  if (needed.length > 0) return needed;
  const enough = allRules.filter((rule) => isChanged([rule]));
  if (enough.length > 0) return enough;
  return allRules.reduce<readonly string[]>((left, rule) => {
    const rest = left.filter((other) => other !== rule);
    return isChanged(rest) ? rest : left;
  }, allRules) as string[];
}

/** Cases that need a program of the machine are left out: the result must be the same everywhere. */
export function effectsOf(cases: readonly ExecCase[], home: string): EffectsByRule {
  const effects: EffectsByRule = new Map();
  for (const one of cases) {
    if (one.requires !== undefined) continue;
    const outcomeWith = (rules: ReadonlySet<string>): Outcome => evaluateCase(one, home, rules).outcome;
    for (const rule of rulesBehind(outcomeWith)) {
      const direction = `${outcomeWith(new Set())} → ${outcomeWith(new Set(allRules))}`;
      const byDirection = effects.get(rule) ?? new Map<string, string[]>();
      byDirection.set(direction, [...(byDirection.get(direction) ?? []), one.id]);
      effects.set(rule, byDirection);
    }
  }
  return effects;
}

/** As published: numbers per rule and direction, in the order of the rules. */
export function recordedEffects(vectorsDir: string): [rule: string, changes: string][] {
  const vectors = openExecVectors(vectorsDir);
  try {
    const effects = effectsOf(vectors.file.cases, `${vectors.root}/home`);
    return allRules.flatMap((rule): [string, string][] => {
      const byDirection = effects.get(rule);
      if (byDirection === undefined) return [];
      const parts = [...byDirection].sort(([a], [b]) => (a < b ? -1 : 1));
      return [[rule, parts.map(([direction, ids]) => `${direction}: ${ids.length}`).join("; ")]];
    });
  } finally {
    vectors.dispose();
  }
}
