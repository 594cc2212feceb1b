/** Promises about a config, proved over every context that it can tell apart or refuted with one. */

import { catalogTools, toolGroups } from "../catalog.ts";
import type { CompiledPolicy } from "../compile.ts";
import { nearestName } from "../didYouMean.ts";
import { compileList, findHit, listSources, pluginsGroup } from "../lists.ts";
import { normalizeAgentId, normalizeKey, normalizeToolName } from "../names.ts";
import { indexTools } from "../toolIndex.ts";
import { tracePolicy } from "../trace.ts";
import type { PolicyContext, PolicyTrace, RegisteredTool } from "../types.ts";
import {
  type Choice,
  type ClassAxes,
  type ClassLabel,
  type ContextFocus,
  type ContextSpace,
  classOf,
  combine,
  countClasses,
  createContextSpace,
} from "./contextClasses.ts";
import { type ClassJudge, createClassJudge, type WantedTool } from "./proof.ts";
import { finish, type Steps } from "./steps.ts";
import { fixedSupply, type ToolSupply } from "./toolSupply.ts";

const whenFields = [
  "owner",
  "sandboxed",
  "role",
  "surface",
  "provider",
  "model",
  "channel",
  "group",
  "sender",
] as const;
type WhenField = (typeof whenFields)[number];

export interface Assertion {
  line: number;
  text: string;
  verb: "never" | "always";
  /** undefined: every agent. */
  agentId: string | undefined;
  when: ReadonlyMap<WhenField, string>;
  /** Tool names, groups, plugin ids or patterns. */
  tools: readonly string[];
}

export type ParsedAssertion = { kind: "assertion"; assertion: Assertion } | InvalidAssertion;

export interface InvalidAssertion {
  kind: "invalid";
  line: number;
  text: string;
  message: string;
}

export type AssertionResult =
  | InvalidAssertion
  | { kind: "proved"; line: number; text: string; contexts: number }
  | {
      kind: "refuted";
      line: number;
      text: string;
      /** How many contexts were looked at up to the counterexample. */
      contexts: number;
      context: PolicyContext;
      label: ClassLabel;
      tool: string;
      trace: PolicyTrace;
    };

/**
 * Reads lines such as `never support: exec`, `always coder: read, edit` or
 * `never * when owner=false channel=telegram: group:runtime`. Blank lines and what follows `#` are left out.
 */
export function parseAssertions(text: string): ParsedAssertion[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.replace(/(^|\s)#.*$/, "").trim();
    return line === "" ? [] : [parseLine(line, index + 1)];
  });
}

function parseLine(text: string, line: number): ParsedAssertion {
  const invalid = (message: string): InvalidAssertion => ({ kind: "invalid", line, text, message });
  const match = /^(never|always)\s+(\S+?)(?:\s+when\s+(.*?))?\s*:\s+(.+)$/i.exec(text);
  const [, verb, who, conditions, list] = match ?? [];
  if (verb === undefined || who === undefined || list === undefined) {
    return invalid("Write: never AGENT: TOOL, TOOL or always AGENT when FIELD=VALUE: TOOL. AGENT may be *.");
  }
  const when = new Map<WhenField, string>();
  for (const condition of (conditions ?? "").split(/[\s,]+/).filter((part) => part !== "")) {
    const [name, value] = splitOnce(condition, "=");
    const field = whenFields.find((known) => known === name.toLowerCase());
    if (field === undefined || value === undefined || value === "") {
      return invalid(`Cannot read the condition "${condition}"; the fields are ${whenFields.join(", ")}.`);
    }
    when.set(field, value);
  }
  const tools = list
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "");
  if (tools.length === 0) return invalid("Name at least one tool, group or pattern.");
  return {
    kind: "assertion",
    assertion: {
      line,
      text,
      verb: verb.toLowerCase() === "never" ? "never" : "always",
      agentId: who === "*" ? undefined : normalizeAgentId(who),
      when,
      tools,
    },
  };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const cutChannels: ReadonlySet<string> = new Set(["voice", "node"]);

/**
 * Checks every line. `never` speaks of all surfaces, `always` of the model's unless the line names one; and
 * `always` speaks of the channels voice and node only where it names them.
 * @param tools the list of every context, or which list which context meets; `always` is refuted by a tool that is
 *   not there
 */
export function checkAssertions(
  compiled: CompiledPolicy,
  tools: readonly RegisteredTool[] | ToolSupply,
  text: string,
): AssertionResult[] {
  return finish(assertionSteps(compiled, tools, text));
}

/** The same as `checkAssertions`, in steps. */
export function* assertionSteps(
  compiled: CompiledPolicy,
  tools: readonly RegisteredTool[] | ToolSupply,
  text: string,
  space?: ContextSpace,
): Steps<AssertionResult[]> {
  const supply = "listFor" in tools ? tools : fixedSupply(tools);
  const proof: Proof = {
    compiled,
    supply,
    space: space ?? createContextSpace(compiled, supply),
    judge: createClassJudge(compiled, supply),
  };
  const results: AssertionResult[] = [];
  for (const parsed of parseAssertions(text)) {
    yield;
    results.push(parsed.kind === "invalid" ? parsed : yield* proofSteps(proof, parsed.assertion));
  }
  return results;
}

/** What the lines of a text share. */
interface Proof {
  compiled: CompiledPolicy;
  supply: ToolSupply;
  space: ContextSpace;
  judge: ClassJudge;
}

/** How many classes are looked at between two pauses. */
const classesPerStep = 32;

function* proofSteps(
  { compiled, supply, space, judge }: Proof,
  assertion: Assertion,
): Steps<AssertionResult> {
  const { line, text, verb } = assertion;
  const unlisted = unlistedAgent(compiled, assertion.agentId);
  if (unlisted !== undefined) return { kind: "invalid", line, text, message: unlisted };
  const axes = meantBy(yield* space.axes(focusOf(assertion)), assertion);
  if (countClasses(axes) === 0) {
    return {
      kind: "invalid",
      line,
      text,
      message: "No context that this config can tell apart fits the conditions.",
    };
  }
  const misspelt = misspeltWord(assertion.tools, supply.all);
  if (misspelt !== undefined) return { kind: "invalid", line, text, message: misspelt };
  const question = judge.ask(verb, wantedTools(assertion.tools, supply.all));
  let looked = 0;
  for (const parts of combine(axes)) {
    if (looked % classesPerStep === 0) yield;
    looked += 1;
    const broken = question(parts);
    if (broken === undefined) continue;
    const { context, label } = classOf(parts);
    return {
      kind: "refuted",
      line,
      text,
      contexts: looked,
      context,
      label:
        broken.missing.length === 0 ? label : { ...label, tools: `without ${broken.missing.join(", ")}` },
      tool: broken.tool,
      trace: tracePolicy(compiled, context, broken.tools),
    };
  }
  return { kind: "proved", line, text, contexts: looked };
}

/**
 * A promise about an agent that nobody set up would be one about every agent that is not listed.
 * @returns what is wrong, or undefined; where no agent is listed any name may be meant
 */
function unlistedAgent({ agents }: CompiledPolicy, agentId: string | undefined): string | undefined {
  if (agentId === undefined || agents.size === 0 || agents.has(agentId)) return undefined;
  const near = nearestName(agentId, agents.keys());
  const known = near === undefined ? `It lists ${[...agents.keys()].join(", ")}.` : `Did you mean ${near}?`;
  return `There is no agent "${agentId}" in agents.list. ${known}`;
}

function focusOf({ agentId, when }: Assertion): ContextFocus {
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...optional("provider", when.get("provider")),
    ...optional("model", when.get("model")),
    ...optional("channel", when.get("channel")),
    ...optional("groupId", when.get("group")),
    ...optional("senderId", when.get("sender")),
  };
}

function optional<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

/** The values that an assertion speaks of. */
function meantBy(axes: ClassAxes, { verb, agentId, when }: Assertion): ClassAxes {
  const fits = (field: WhenField, actual: string | undefined) => {
    const wanted = when.get(field);
    return wanted === undefined || normalizeKey(actual) === normalizeKey(wanted);
  };
  const isModelMeant = ({ context }: Choice) =>
    fits("provider", context.provider) && fits("model", context.model);
  const isGroupMeant = ({ context }: Choice) => {
    // These channels cut the list whatever the config says; a promise that no config can keep is of no use.
    const isCut = cutChannels.has(normalizeKey(context.channel) ?? "");
    if (verb === "always" && !when.has("channel") && isCut) return false;
    return (
      fits("channel", context.channel ?? "none") &&
      fits("group", context.groupId ?? "none") &&
      fits("sender", context.senderId)
    );
  };
  const surfaces = axes.surfaces.filter((surface) => {
    if (verb === "always" && !when.has("surface") && surface !== "model") return false;
    // HTTP knows no model and no sandbox.
    if (surface === "http" && !(isModelMeant({ label: "", context: {} }) && fits("sandboxed", "false")))
      return false;
    return fits("surface", surface);
  });
  return {
    agents: axes.agents
      .filter(({ choice }) => agentId === undefined || choice.context.agentId === agentId)
      .map(({ choice, models, sandboxed }) => ({
        choice,
        models: models.filter(isModelMeant),
        sandboxed: sandboxed.filter((isSandboxed) => fits("sandboxed", String(isSandboxed))),
      })),
    groups: axes.groups.filter(isGroupMeant),
    roles: axes.roles.filter(({ role }) => fits("role", role)),
    owners: axes.owners.filter((owner) => fits("owner", String(owner))),
    surfaces,
  };
}

/**
 * A misspelt name would make `never` true by itself. Words that resemble nothing stand for tools that are not loaded.
 * @returns what is wrong, or undefined
 */
function misspeltWord(words: readonly string[], tools: readonly RegisteredTool[]): string | undefined {
  const { slots } = indexTools(tools);
  const known = new Set([
    ...slots.flatMap((slot) => [slot.normalized, ...(slot.pluginId === undefined ? [] : [slot.pluginId])]),
    ...catalogTools.map((tool) => tool.id),
    ...toolGroups.keys(),
    pluginsGroup,
  ]);
  for (const word of words) {
    const name = normalizeToolName(word);
    if (known.has(name) || name.includes("*")) continue;
    const near = nearestName(name, known);
    if (near !== undefined) return `There is no tool "${word}". Did you mean ${near}?`;
    if (name.startsWith("group:")) return `There is no group "${word}".`;
  }
  return undefined;
}

/** The tools that the words of an assertion stand for; a word that hits none stands for itself. */
function wantedTools(words: readonly string[], tools: readonly RegisteredTool[]): WantedTool[] {
  const { slots } = indexTools(tools);
  const wanted = new Set<string>();
  for (const word of words) {
    const list = compileList("global", "denies", listSources([word], "deny", []));
    const hits = slots.filter((slot) => findHit(list, slot.normalized, slot.pluginId, noShadow) !== -1);
    for (const slot of hits) wanted.add(slot.name);
    if (hits.length === 0) wanted.add(normalizeToolName(word));
  }
  const slotsByName = new Map<string, number[]>();
  slots.forEach((slot, position) => {
    slotsByName.set(slot.name, [...(slotsByName.get(slot.name) ?? []), position]);
  });
  return [...wanted].map((name) => ({ name, slots: slotsByName.get(name) ?? [] }));
}

const noShadow: ReadonlySet<string> = new Set();
