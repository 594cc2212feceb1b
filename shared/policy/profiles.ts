/** Stages 1 and 2: the profile of agent or config, and the profile of the model provider (policy §6, §7). */

import { profileLists } from "./catalog.ts";
import type { ColumnId } from "./codes.ts";
import { getList } from "./configRecord.ts";
import { builtInSources, compileList, type EntrySource, listSources } from "./lists.ts";
import { restrictRule, type StagePolicy } from "./pick.ts";
import type { ProviderEntry, ToolsScope } from "./scopes.ts";
import type { ConfigPath, PolicyRule } from "./types.ts";

/** A profile word and where it is written. */
export interface ProfileChoice {
  word: string;
  path: ConfigPath;
}

type Scopes = readonly (ToolsScope | ProviderEntry | undefined)[];

/**
 * The profile word that counts: the first scope that has one. An unknown word hides a known one further down.
 * @param scopes the agent's first
 */
export function chooseProfile(scopes: Scopes): ProfileChoice | undefined {
  for (const scope of scopes) {
    const word = scope?.record?.profile;
    if (scope !== undefined && typeof word === "string") return { word, path: [...scope.path, "profile"] };
  }
  return undefined;
}

/** alsoAllow of the first scope whose alsoAllow is a list, even an empty one. */
function chooseAlsoAllow(scopes: Scopes): { sources: EntrySource[]; path: ConfigPath } | undefined {
  for (const scope of scopes) {
    const list = getList(scope?.record, "alsoAllow");
    if (scope !== undefined && list !== undefined) {
      const path = [...scope.path, "alsoAllow"];
      return { sources: listSources(list, "alsoAllow", path), path };
    }
  }
  return undefined;
}

const implicitGrants = [
  { section: "exec", code: "implicit-exec", tools: ["exec", "process"] },
  { section: "fs", code: "implicit-fs", tools: ["read", "write", "edit"] },
] as const;

/** exec and fs sections next to a profile add their tools, at either level; an empty object is enough. */
function implicitSources(scopes: Scopes): EntrySource[] {
  return implicitGrants.flatMap(({ section, code, tools }) => {
    const owner = scopes.find((scope) => {
      const value = scope?.record?.[section];
      return value !== undefined && value !== null;
    });
    if (owner === undefined) return [];
    const path = [...owner.path, section];
    return tools.map((raw): EntrySource => ({ raw, list: "implicit", path, why: { code } }));
  });
}

/**
 * The stage policy of a profile with its extra entries.
 * @param scopes where the word and alsoAllow are looked up, the agent's first
 * @param withImplicit stage 1 only
 * @param unknownIsMinimal policy.unknownProfile
 * @returns undefined when the stage is skipped: no word, `full`, or an unknown word
 */
export function profileStage(
  column: ColumnId,
  labelBase: string,
  scopes: Scopes,
  { withImplicit, unknownIsMinimal }: { withImplicit: boolean; unknownIsMinimal: boolean },
): StagePolicy | undefined {
  const choice = chooseProfile(scopes);
  if (choice === undefined || choice.word === "full") return undefined;
  const known = profileLists.get(choice.word);
  const members = known ?? (unknownIsMinimal ? profileLists.get("minimal") : undefined);
  if (members === undefined) return undefined;
  const profile = choice.word.trim();
  const params = { profile };
  const also = chooseAlsoAllow(scopes);
  const implicit = withImplicit ? implicitSources(scopes) : [];
  const extras = [...(also?.sources ?? []), ...implicit];
  const listed = builtInSources(members, "profile", { code: "profile-lists", params }).map((source) => ({
    ...source,
    path: choice.path,
  }));
  return {
    column,
    label: `${labelBase} (${profile})`,
    allow: compileList(column, "allows", [...listed, ...extras]),
    restricts: restrictRule(column, choice.path, "profile-lists", params),
    strips: true,
    quietWhenGated: extras.length === 0,
    profile,
    configPaths: [choice.path, ...(also === undefined ? [] : [also.path])],
    losers: losingRules(column, scopes, choice, also?.path),
  };
}

/** Profile words and alsoAllow lists of the other level that the agent's own replace. */
function losingRules(
  column: ColumnId,
  scopes: Scopes,
  choice: ProfileChoice,
  alsoPath: ConfigPath | undefined,
): PolicyRule[] {
  const losers: PolicyRule[] = [];
  for (const scope of scopes) {
    if (scope === undefined) continue;
    const word = scope.record?.profile;
    const winner = `${restrictRule(column, choice.path, "profile-lists").id}`;
    if (typeof word === "string" && scope.path.join() !== choice.path.slice(0, -1).join()) {
      const rule = restrictRule(column, [...scope.path, "profile"], "profile-lists", { profile: word });
      losers.push({ ...rule, lostTo: { ruleId: winner, why: { code: "replaced-by-agent" } } });
    }
    const list = getList(scope.record, "alsoAllow");
    const path = [...scope.path, "alsoAllow"];
    if (list !== undefined && alsoPath !== undefined && path.join() !== alsoPath.join()) {
      for (const entry of compileList(column, "allows", listSources(list, "alsoAllow", path)).entries) {
        losers.push({ ...entry.rule, lostTo: { ruleId: null, why: { code: "replaced-by-agent" } } });
      }
    }
  }
  return losers;
}
