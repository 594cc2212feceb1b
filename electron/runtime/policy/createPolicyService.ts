/** Gate one in the running app: compiles the pipeline once per config revision and answers for callers and questions. */

import { allHardening } from "../../../shared/hardening/index.ts";
import type { Hardening, HardeningPreset } from "../../../shared/hardening/rules.ts";
import { snapshotConfig } from "../../../shared/policy/configRecord.ts";
import { type AssertionOutcome, createToolSupply } from "../../../shared/policy/debug/index.ts";
import {
  type CompiledPolicy,
  canBackground,
  compilePolicy,
  decideHttpInvoke,
  type EffectiveAnswer,
  effectiveAnswer,
  evaluatePolicy,
  type HttpInvokeDecision,
  type HttpInvokeRequest,
  isOnSkillSurface,
  isSandboxed,
  type LoopDetectionSettings,
  normalizeAgentId,
  type PolicyContext,
  promptOrder,
  type RegisteredTool,
  resolveLoopDetection,
  tracePolicy,
} from "../../../shared/policy/index.ts";
import type { ToolDecision } from "../calls/createCalls.ts";
import type { ConfigStore } from "../config/index.ts";
import type { MediaFacts } from "../media/createMediaTools.ts";
import type { Caller, ToolListing } from "../runtimeTypes.ts";
import type { SkillsFor } from "../skills/createSkills.ts";
import { inputJsonSchema, type ToolDefinition } from "../tools/defineTool.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { inSlices } from "./inSlices.ts";
import { openclawSupply, openclawTools } from "./openclawTools.ts";
import { tryoutConfig, unmappedConfig } from "./overlays.ts";
import { checkSteps, createPolicyQuestions, type PolicyQuestions } from "./policyQuestions.ts";
import { createPresentTools } from "./presentTools.ts";

export interface PolicyServiceDeps {
  config: ConfigStore;
  registry: ToolRegistry;
  hardening(): Hardening;
  preset(): HardeningPreset;
  savedAssertions(): string;
  /** Whether a web search provider has its key under this config. */
  hasSearchProvider(config: unknown): boolean;
  /** Which media tools have a model or a key under this config. */
  mediaFacts(config: unknown): MediaFacts;
  skillsFor: SkillsFor;
}

export interface PolicyService {
  decide(caller: Caller, tool: string): ToolDecision;
  /** Surviving tools in schema order. */
  list(caller: Caller): ToolListing[];
  names(caller: Caller): string[];
  /** The same tools in the order of a prompt. */
  inPromptOrder(listings: ToolListing[]): ToolListing[];
  isSandboxed(agentId: string, sessionKey: string): boolean;
  /** Every tool that is built, with the reason of those that lack what they need for this agent. */
  presentFor(agentId: string): readonly RegisteredTool[];
  contextOf(caller: Caller): PolicyContext;
  questions: PolicyQuestions;
  /** Whether a request to `POST /tools/invoke` reaches a tool (policy.md §15). */
  decideHttp(request: HttpInvokeRequest): HttpInvokeDecision;
  /** The loop guard of an agent, its keys over the global ones (policy.md §16). */
  loopDetection(agentId: string): LoopDetectionSettings;
  /** What `tools.effective` answers for a caller's session. */
  effective(caller: Caller): EffectiveAnswer;
  /** Assertions against a config that is not in force yet, with the hardening and the tools that are. */
  checkAssertions(candidate: unknown, text: string, signal?: AbortSignal): Promise<AssertionOutcome[]>;
  /** What an answer of `checkAssertions` depends on besides its arguments: tools, keys and hardening. */
  checkBasis(candidate: unknown): string;
}

/** @see architecture.md 5, 10 */
export function createPolicyService(deps: PolicyServiceDeps): PolicyService {
  const { config, registry } = deps;
  const cache = new Map<string, { revision: number; hardening: Hardening; compiled: CompiledPolicy }>();
  const listingCache = new Map<string, { input: unknown; listing: ToolListing }>();

  /** Compiled once per config revision and hardening. */
  const compiledWhen = (key: string, revision: number, compile: () => CompiledPolicy): CompiledPolicy => {
    const hardening = deps.hardening();
    const kept = cache.get(key);
    if (kept !== undefined && kept.revision === revision && kept.hardening === hardening)
      return kept.compiled;
    const compiled = compile();
    if (cache.size > 64) cache.clear();
    cache.set(key, { revision, hardening, compiled });
    return compiled;
  };

  const compiledFor = (caller: Caller): CompiledPolicy => {
    const { revision, config: saved } = config.effective();
    const hardening = deps.hardening();
    const key = caller.overlay === undefined ? "saved" : `${caller.overlay}:${caller.agentId}`;
    return compiledWhen(key, revision, () =>
      caller.overlay === "unmapped"
        ? compilePolicy(unmappedConfig(saved, caller.agentId), {
            hardening: new Set([...hardening, "policy.strictLists"]),
          })
        : caller.overlay === "tryout"
          ? compilePolicy(tryoutConfig(caller.agentId), { hardening })
          : compilePolicy(saved, { hardening }),
    );
  };

  const sandboxed = (agentId: string, sessionKey: string) =>
    isSandboxed(config.effective().config, agentId, sessionKey);

  const contextOf = (caller: Caller): PolicyContext => ({
    agentId: caller.agentId,
    sessionKey: caller.sessionKey,
    ...(caller.provider === null ? {} : { provider: caller.provider }),
    ...(caller.model === null ? {} : { model: caller.model }),
    senderIsOwner: caller.isOwner,
    sandboxed: caller.overlay === "tryout" ? false : sandboxed(caller.agentId, caller.sessionKey),
    ...(caller.channel === undefined ? {} : { channel: caller.channel }),
    ...(caller.accountId === undefined ? {} : { accountId: caller.accountId }),
    surface: caller.surface === "http" ? "http" : "mcp",
  });

  const present = createPresentTools(registry, deps.hasSearchProvider, deps.mediaFacts);
  const presentFor = (context: PolicyContext) => present(config.effective().config, context);
  // Keys and providers are known here: every context has exactly one list.
  const supplyOf = (value: unknown) => {
    const snapshot = snapshotConfig(value);
    return createToolSupply((context) => present(snapshot, context));
  };

  const survivors = (caller: Caller): Set<string> =>
    new Set(evaluatePolicy(compiledFor(caller), contextOf(caller), presentFor(contextOf(caller))).tools);

  const listingOf = (tool: ToolDefinition): ToolListing => {
    const kept = listingCache.get(tool.name);
    // A tool may follow the config with its schema; the same schema object means that nothing changed.
    if (kept !== undefined && kept.input === tool.input) return kept.listing;
    const { name, title, description, promptLine, risk, input } = tool;
    const listing = { name, title, description, promptLine, risk, inputSchema: inputJsonSchema(tool) };
    // Servers come and go with names of their own.
    if (listingCache.size > 4096) listingCache.clear();
    listingCache.set(name, { input, listing });
    return listing;
  };

  const list = (caller: Caller): ToolListing[] => {
    const names = survivors(caller);
    return registry.registered().flatMap(({ name }) => {
      const tool = names.has(name) ? registry.get(name) : undefined;
      return tool === undefined ? [] : [listingOf(tool)];
    });
  };

  const questions = createPolicyQuestions({
    saved: () => {
      const effective = config.effective();
      return { value: effective.config, positionOf: config.positionOf, problems: effective.problems };
    },
    savedAssertions: deps.savedAssertions,
    hardeningFor: (preset) =>
      preset === undefined ? deps.hardening() : preset === "reference" ? new Set() : allHardening,
    preset: deps.preset,
    // "As OpenClaw would" is a question about OpenClaw's tools.
    toolsFor: (preset, value, context) =>
      preset === "reference" ? openclawTools(value, context) : present(value, context),
    supplyFor: (preset, value) => (preset === "reference" ? openclawSupply(value) : supplyOf(value)),
    skillsFor: deps.skillsFor,
  });

  return {
    decide(caller, name) {
      const context = contextOf(caller);
      const compiled = compiledFor(caller);
      const candidates = presentFor(context);
      const { tools } = evaluatePolicy(compiled, context, candidates);
      const tool = registry.get(name);
      const known = candidates.find((candidate) => candidate.name === name);
      if (caller.surface === "skill" && known !== undefined && !isOnSkillSurface(known))
        return { kind: "hidden", reason: { code: "notOnSkillSurface", params: { tool: name } } };
      if (tool === undefined || !tools.includes(name)) {
        const reason = hiddenReason(compiled, context, candidates, name, known !== undefined);
        return { kind: "hidden", reason };
      }
      return {
        kind: "visible",
        tool,
        canBackground: canBackground(compiled, context),
      };
    },
    list,
    presentFor: (agentId) => presentFor({ agentId }),
    names: (caller) => list(caller).map((tool) => tool.name),
    inPromptOrder(listings) {
      const order = promptOrder(listings.map((listing) => listing.name));
      return [...listings].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    },
    isSandboxed: sandboxed,
    contextOf,
    questions,
    decideHttp(request) {
      const { revision, config: saved } = config.effective();
      const compiled = compiledWhen("saved", revision, () =>
        compilePolicy(saved, { hardening: deps.hardening() }),
      );
      return decideHttpInvoke(compiled, request, presentFor);
    },
    loopDetection(agentId) {
      const { revision, config: saved } = config.effective();
      const compiled = compiledWhen("saved", revision, () =>
        compilePolicy(saved, { hardening: deps.hardening() }),
      );
      const agent = compiled.agents.get(normalizeAgentId(agentId));
      return resolveLoopDetection(compiled.global.record?.loopDetection, agent?.tools.record?.loopDetection);
    },
    effective(caller) {
      const candidates = presentFor(contextOf(caller));
      const result = evaluatePolicy(compiledFor(caller), contextOf(caller), candidates);
      return effectiveAnswer(result, candidates, caller.agentId);
    },
    checkBasis: (candidate) =>
      JSON.stringify([
        registry.registered(),
        deps.hasSearchProvider(candidate),
        deps.mediaFacts(candidate),
        [...deps.hardening()],
      ]),
    checkAssertions(candidate, text, signal) {
      const compiled = compilePolicy(candidate, { hardening: deps.hardening() });
      return inSlices(checkSteps(compiled, supplyOf(candidate), text), signal);
    },
  };
}

/** For the ledger and the panel only: the caller learns nothing of it. */
function hiddenReason(
  compiled: CompiledPolicy,
  context: PolicyContext,
  tools: readonly RegisteredTool[],
  name: string,
  isKnown: boolean,
): { code: string; params: Record<string, string> } {
  if (!isKnown) return { code: "unknownTool", params: { tool: name } };
  const trace = tracePolicy(compiled, context, tools);
  const row = trace.rows.find((candidate) => candidate.name === name);
  if (row?.verdict.kind === "absent")
    return { code: "absent", params: { tool: name, why: row.verdict.reason } };
  if (row?.verdict.kind !== "removed") return { code: "hidden", params: { tool: name } };
  const columnId = row.verdict.column;
  const index = trace.columns.findIndex((column) => column.id === columnId);
  const ruleId = row.cells[index]?.ruleIds?.[0];
  const rule = trace.rules.find((candidate) => candidate.id === ruleId);
  return {
    code: "removedByPolicy",
    params: {
      tool: name,
      stage: trace.columns[index]?.label ?? columnId,
      rule: rule?.entry ?? "",
      path: rule?.path ?? "",
    },
  };
}
