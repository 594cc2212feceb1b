/** English sentences for rules and reasons, for the command line; the panel has its own catalogues. */

import { englishReason, hasEnglish } from "../text/english.ts";
import type { ReasonForm } from "../text/reasonText.ts";
import { toolGroups } from "./catalog.ts";
import { type HttpThreat, type ReasonCode, reasonCodes } from "./codes.ts";
import type { PolicyCell, PolicyFinding, PolicyRule, PolicyTrace, Reason } from "./types.ts";

type Params = Readonly<Record<string, string>>;
type Sentence = string | ((params: Params) => string);

const threatTexts: Record<HttpThreat, string> = {
  "remote-code-execution": "one call would be one arbitrary command",
  "host-file-change": "files of the host could be changed without running anything",
  "persistence-and-reach": "the effect would outlive or leave the calling session",
  "interactive-only": "it needs a terminal, so the request would hang",
};

/**
 * @param reason of a tool's `unavailable` or of the verdict `absent`
 * @returns half a sentence in English; a reason that nobody has words for is given as it is
 */
export function describeAbsence(reason: string | undefined, params: Params = {}): string {
  const known = absenceText(reason, params, "short");
  if (known === null) return describeUnlisted(reason, params);
  return (known.charAt(0).toLowerCase() + known.slice(1)).replace(/\.$/, "");
}

/** @returns whole English sentences: what is missing, and where it is set */
export function explainAbsence(reason: string | undefined, params: Params = {}): string {
  const known = absenceText(reason, params, "sentence");
  if (known !== null) return known;
  const half = describeUnlisted(reason, params);
  return `${half.charAt(0).toUpperCase()}${half.slice(1)}.`;
}

/** @returns null for a reason that the catalogue does not have */
function absenceText(reason: string | undefined, params: Params, form: ReasonForm): string | null {
  if (reason === undefined || !hasEnglish(`absent.${reason}`)) return null;
  return englishReason({ code: `absent.${reason}`, params: { ...params } }, form);
}

/** A pipeline reason stands in for a registration's own; anything else is shown as it is. */
function describeUnlisted(reason: string | undefined, params: Params): string {
  if (reason === undefined) return "it is not there";
  const code = reasonCodes.find((candidate) => candidate === reason);
  if (code === undefined || code === "unavailable") return `it is not there (${reason})`;
  return describeReason({ code, params: { ...params } });
}

const sentences: Record<ReasonCode, Sentence> = {
  unavailable: (p) => describeAbsence(p.reason, p),
  "plugins-disabled": "plugins are switched off",
  "optional-not-enabled": (p) =>
    `it is optional, and no allow list names ${p.tool}, ${p.pluginId} or group:plugins`,
  "plugin-id-conflict": (p) => `the plugin id ${p.pluginId} is the name of a core tool`,
  "plugin-name-conflict": (p) => `the name ${p.tool} is taken by another tool`,
  "not-on-surface": (p) => `the ${p.surface} surface does not offer it`,
  "voice-removes-tts": "voice sessions have no tts",
  "node-keeps-few": "node sessions keep only canvas, image, pdf, tts, web_fetch and web_search",
  "native-web-search": "the model provider searches the web itself",
  "owner-only": "it is for the owner, and this sender is not known to be the owner",
  "allowed-by-name": (p) => `allowed by "${p.entry}"`,
  "allowed-by-group": (p) => `allowed by the group "${p.entry}"`,
  "allowed-by-pattern": (p) => `allowed by the pattern "${p.entry}"`,
  "allowed-by-plugin": (p) => `allowed by the plugin "${p.entry}"`,
  "allowed-by-star": 'allowed by "*"',
  "allowed-through-write": (p) => `allowed by "${p.entry}", because write carries apply_patch`,
  "in-profile": (p) => `the profile ${p.profile} lists it`,
  "no-allow-list": "this stage has no allow list",
  "list-dropped": "the allow list is ignored because it names no core tool of this run",
  "not-filtered": "it is added behind the pipeline, so no stage sees it",
  "denied-by-name": (p) => `denied by "${p.entry}"`,
  "denied-by-group": (p) => `denied by the group "${p.entry}"`,
  "denied-by-pattern": (p) => `denied by the pattern "${p.entry}"`,
  "denied-by-plugin": (p) => `denied by the plugin "${p.entry}"`,
  "denied-by-star": 'denied by "*"',
  "denied-through-write": (p) => `denied by "${p.entry}": denying write also denies apply_patch`,
  "not-listed": "the allow list does not name it",
  "not-in-profile": (p) => `the profile ${p.profile} does not list it`,
  "sandbox-default-deny": "sandboxed sessions do not get it by default",
  "not-in-sandbox-default": "it is not among the default tools of sandboxed sessions",
  "subagent-always-denied": "no sub-agent gets it",
  "subagent-leaf-denied": "sub-agents that may not spawn do not get it",
  "http-default-deny": (p) =>
    `denied over HTTP by default: ${threatTexts[p.threat as HttpThreat] ?? p.threat}`,
  "http-denied": (p) => `denied over HTTP by "${p.entry}"`,
  "http-stage": (p) => `the stage ${p.column} removes it there`,
  "names-tool": "names a tool",
  "names-group": "names a group",
  "names-plugin": "names a plugin",
  "is-pattern": "is a pattern",
  "is-star": "stands for every tool",
  "profile-lists": (p) => `the profile ${p.profile} lists it`,
  "implicit-exec": "an exec section next to a profile adds exec and process",
  "implicit-fs": "an fs section next to a profile adds read, write and edit",
  "also-allow-star": "alsoAllow without allow lets everything through this stage",
  "list-restricts": "only what the list names gets through",
  "default-list": "built-in list",
  "deny-beats-allow": "deny beats allow",
  "removed-earlier": "removed earlier; a later allow cannot bring it back",
  "replaced-by-agent": "the agent's own value replaces it",
  "replaced-by-model-entry": "the entry for the model replaces the one for the provider",
  "replaced-by-group-entry": "a more specific entry replaces it",
  "replaced-by-sender": "the entry for the sender replaces it",
  "replaced-by-configured": "the configured list replaces it",
  "lifted-by-allow": "lifted by an allow entry",
  "not-in-context": "it does not apply in this context",
};

/** @returns the reason as half a sentence in English */
export function describeReason(reason: Reason): string {
  const sentence = sentences[reason.code];
  return typeof sentence === "string" ? sentence : sentence(reason.params ?? {});
}

/** What a rule that stands for a whole list does to the tools that are not on it. */
function describeRestriction({ why }: PolicyRule): string {
  if (why.code === "profile-lists")
    return `only what the profile ${why.params?.profile ?? ""} lists gets through`;
  return why.code === "default-list" ? "only what the built-in list names gets through" : describeReason(why);
}

/** @returns a rule with its place and, if it lost, why: `tools.deny[0] "exec": names a tool` */
export function describeRule(rule: PolicyRule): string {
  const place = rule.configPath === null ? "built in" : rule.path;
  const entry = rule.entry === "" ? "" : ` ${JSON.stringify(rule.entry)}`;
  const lost = rule.lostTo === undefined ? "" : ` (without effect: ${describeReason(rule.lostTo.why)})`;
  const what = rule.effect === "restricts" ? describeRestriction(rule) : describeReason(rule.why);
  return `${place}${entry}: ${what}${lost}`;
}

export interface ToolStep {
  column: string;
  label: string;
  cell: PolicyCell;
  /** The deciding rule first. */
  rules: PolicyRule[];
}

/** What every column of a trace says about one tool; undefined when the trace has no such tool. */
export function toolSteps(trace: PolicyTrace, toolName: string): ToolStep[] | undefined {
  const row = trace.rows.find((candidate) => candidate.name === toolName);
  if (row === undefined) return undefined;
  const rules = new Map(trace.rules.map((rule) => [rule.id, rule]));
  return trace.columns.flatMap((column, index) => {
    const cell = row.cells[index];
    if (cell === undefined) return [];
    const found = (cell.ruleIds ?? []).map((id) => rules.get(id)).filter((rule) => rule !== undefined);
    return [{ column: column.id, label: column.label, cell, rules: found }];
  });
}

const findingTexts: Record<PolicyFinding["kind"], (finding: PolicyFinding, names: string) => string> = {
  "list-stripped": (_, names) =>
    `names no core tool of this run (${names}), so OpenClaw ignores the list and lets everything through`,
  "profile-without-core": (_, names) =>
    `none of the tools of profile ${names} is there, so OpenClaw lets everything through`,
  "pattern-not-core": (_, names) =>
    `${names} is a pattern, which OpenClaw does not count as naming core tools`,
  "unknown-entry": ({ entries: [entry = ""] }, names) => {
    if (toolGroups.has(entry)) return `${names} names no built-in tool that is there`;
    return `${names} names no tool, group or plugin that is loaded`;
  },
  "gated-entry": (_, names) => `${names} is a built-in tool that this context does not have`,
  "unknown-profile": (_, names) => `${names} is not a profile, so OpenClaw applies none`,
  "deny-names-nothing": (_, names) => `the deny entry ${names} names nothing that is there`,
  "allow-and-also-allow": () => "allow and alsoAllow both have entries; OpenClaw refuses such a config",
  "shadowed-entry": (_, names) => `${names} is allowed and denied in the same object; deny wins`,
  "unreachable-entry": (_, names) =>
    `${names} is allowed here but removed earlier; a later allow cannot bring it back`,
  "wider-than-profile": (_, names) => `grants ${names} beyond the profile`,
  "covered-entry": (_, names) => `${names} adds nothing: a wider entry of the same list covers it`,
  "duplicate-agent": (_, names) => `an earlier agent has the id ${names} too, so nothing of this one counts`,
  "http-entry-not-exact": (_, names) =>
    `${names} is no exact name of a tool; over HTTP OpenClaw compares letter by letter, so it denies nothing`,
  "http-allow-lifts-nothing": (_, names) =>
    `${names} lifts nothing: it is none of the names that HTTP withholds, written exactly`,
  "http-lifts-dangerous": (_, names) => `lets ${names} be called over HTTP, which is withheld by default`,
  "http-lifts-exposed": (_, names) =>
    `lets ${names} be called over HTTP, which is withheld by default, and other machines reach this gateway`,
  "provider-key-never-matches": (_, names) => `the key ${names} can match no model`,
  "skill-without-tools": ({ stage }, names) =>
    `the skill ${JSON.stringify(stage)} has none of its tools in this context: ${names}`,
  "skill-command-unreachable": ({ stage, entries: [tool = ""] }) =>
    `the command of the skill ${JSON.stringify(stage)} calls ${JSON.stringify(tool)}, which it does not reach in this context`,
};

/** @returns a finding as one English sentence with its place */
export function describeFinding(finding: PolicyFinding): string {
  const names = finding.entries.map((entry) => JSON.stringify(entry)).join(", ");
  const hint = finding.suggestion === undefined ? "" : ` Did you mean ${JSON.stringify(finding.suggestion)}?`;
  const enforced = finding.failsOpen && finding.enforced ? " Sallyport restricts as written." : "";
  return `${finding.path}: ${findingTexts[finding.kind](finding, names)}.${hint}${enforced}`;
}
