/** Gate one in the running app: compiles the pipeline once per config revision and answers for callers and questions. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { allHardening } from "../../../shared/hardening/index.ts";
import type { Hardening, HardeningPreset } from "../../../shared/hardening/rules.ts";
import {
  type CompiledPolicy,
  canBackground,
  compilePolicy,
  evaluatePolicy,
  isSandboxed,
  listKnownTools,
  type PolicyContext,
  pathText,
  promptOrder,
  type RegisteredTool,
  tracePolicy,
} from "../../../shared/policy/index.ts";
import type { MethodOutput, ParsedInput } from "../../../shared/rpc/index.ts";
import type { ToolDecision } from "../calls/createCalls.ts";
import { type ConfigStore, validateConfigText } from "../config/index.ts";
import type { Caller, ToolListing } from "../runtimeTypes.ts";
import { inputJsonSchema, type ToolDefinition } from "../tools/defineTool.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { tryoutConfig, unmappedConfig } from "./overlays.ts";

export interface PolicyServiceDeps {
  config: ConfigStore;
  registry: ToolRegistry;
  hardening(): Hardening;
  preset(): HardeningPreset;
}

export interface PolicyService {
  decide(caller: Caller, tool: string): ToolDecision;
  /** Surviving tools in schema order. */
  list(caller: Caller): ToolListing[];
  names(caller: Caller): string[];
  /** The same tools in the order of a prompt. */
  inPromptOrder(listings: ToolListing[]): ToolListing[];
  isSandboxed(agentId: string, sessionKey: string): boolean;
  contextOf(caller: Caller): PolicyContext;
  trace(
    input: ParsedInput<SallyportContract, "policy.trace">,
  ): MethodOutput<SallyportContract, "policy.trace">;
  explain(
    input: ParsedInput<SallyportContract, "policy.explain">,
  ): MethodOutput<SallyportContract, "policy.explain">;
}

/** @see architecture.md 5, 10 */
export function createPolicyService(deps: PolicyServiceDeps): PolicyService {
  const { config, registry } = deps;
  const cache = new Map<string, { revision: number; hardening: Hardening; compiled: CompiledPolicy }>();
  const listingCache = new Map<string, ToolListing>();

  const compiledFor = (caller: Caller): CompiledPolicy => {
    const { revision, config: saved } = config.effective();
    const hardening = deps.hardening();
    const key = caller.overlay === undefined ? "saved" : `${caller.overlay}:${caller.agentId}`;
    const kept = cache.get(key);
    if (kept !== undefined && kept.revision === revision && kept.hardening === hardening)
      return kept.compiled;
    const compiled =
      caller.overlay === "unmapped"
        ? compilePolicy(unmappedConfig(saved, caller.agentId), {
            hardening: new Set([...hardening, "policy.strictLists"]),
          })
        : caller.overlay === "tryout"
          ? compilePolicy(tryoutConfig(caller.agentId), { hardening })
          : compilePolicy(saved, { hardening });
    if (cache.size > 64) cache.clear();
    cache.set(key, { revision, hardening, compiled });
    return compiled;
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
    surface: caller.surface === "http" ? "http" : "mcp",
  });

  const survivors = (caller: Caller): Set<string> =>
    new Set(evaluatePolicy(compiledFor(caller), contextOf(caller), registry.registered()).tools);

  const listingOf = (tool: ToolDefinition): ToolListing => {
    const kept = listingCache.get(tool.name);
    if (kept !== undefined) return kept;
    const { name, title, description, promptLine, risk } = tool;
    const listing = { name, title, description, promptLine, risk, inputSchema: inputJsonSchema(tool) };
    listingCache.set(name, listing);
    return listing;
  };

  const list = (caller: Caller): ToolListing[] => {
    const names = survivors(caller);
    return registry.registered().flatMap(({ name }) => {
      const tool = names.has(name) ? registry.get(name) : undefined;
      return tool === undefined ? [] : [listingOf(tool)];
    });
  };

  /** The config that a question is about: the given one, or the one that counts now. */
  const questionConfig = (input: { config?: unknown; configText?: string | undefined }) => {
    if (input.configText !== undefined) {
      const checked = validateConfigText(input.configText, "openclaw.json");
      if (checked.ok)
        return { value: checked.config as unknown, positionOf: checked.document.positionOf, problems: [] };
      // A text that parses but does not validate is still traced, as the lenient engine would; the problems are shown.
      if (checked.document === null) {
        const problem = checked.problems[0];
        throw new AppError("INVALID_INPUT", problem?.message ?? "The text is not JSON5.", {
          data: { problems: checked.problems },
        });
      }
      return {
        value: checked.document.value,
        positionOf: checked.document.positionOf,
        problems: checked.problems,
      };
    }
    if (input.config !== undefined) return { value: input.config, positionOf: () => null, problems: [] };
    const effective = config.effective();
    return {
      value: effective.config as unknown,
      positionOf: config.positionOf,
      problems: effective.problems,
    };
  };
  const hardeningFor = (preset: HardeningPreset | undefined): Hardening =>
    preset === undefined ? deps.hardening() : preset === "reference" ? new Set() : allHardening;

  /**
   * "As OpenClaw would" is a question about OpenClaw's tools: those that its availability rules leave for this config,
   * whether or not they are built here.
   */
  const toolsFor = (
    preset: HardeningPreset | undefined,
    value: unknown,
    context: PolicyContext,
  ): readonly RegisteredTool[] => {
    if (preset !== "reference") return registry.registered();
    const { agentId, provider, model, sandboxed } = context;
    return listKnownTools(value, {
      hasAgentDir: true,
      hasWebSearchProvider: true,
      ...(agentId === undefined ? {} : { agentId }),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(sandboxed === undefined ? {} : { sandboxed }),
    });
  };

  return {
    decide(caller, name) {
      const context = contextOf(caller);
      const compiled = compiledFor(caller);
      const { tools } = evaluatePolicy(compiled, context, registry.registered());
      const tool = registry.get(name);
      if (tool === undefined || !tools.includes(name)) {
        const known = registry.registered().some((candidate) => candidate.name === name);
        return {
          kind: "hidden",
          reason: hiddenReason(compiled, context, registry.registered(), name, known),
        };
      }
      return {
        kind: "visible",
        tool,
        canBackground: canBackground(compiled, context),
      };
    },
    list,
    names: (caller) => list(caller).map((tool) => tool.name),
    inPromptOrder(listings) {
      const order = promptOrder(listings.map((listing) => listing.name));
      return [...listings].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    },
    isSandboxed: sandboxed,
    contextOf,
    trace(input) {
      const chosen = questionConfig(input);
      const startedAt = performance.now();
      const compiled = compilePolicy(chosen.value, { hardening: hardeningFor(input.preset) });
      const trace = tracePolicy(compiled, input.context, toolsFor(input.preset, chosen.value, input.context));
      const evaluatedInMs = performance.now() - startedAt;
      const positions: Record<string, { line: number; column: number }> = {};
      for (const rule of trace.rules) {
        const position = rule.configPath === null ? null : chosen.positionOf([...rule.configPath]);
        if (position !== null && rule.configPath !== null) positions[pathText(rule.configPath)] = position;
      }
      return {
        trace,
        preset: input.preset ?? deps.preset(),
        positions,
        problems: chosen.problems,
        evaluatedInMs,
      };
    },
    explain(input) {
      const chosen = questionConfig(input);
      const compiled = compilePolicy(chosen.value, { hardening: hardeningFor(input.preset) });
      const { preset, context, tools } = input;
      return evaluatePolicy(
        compiled,
        context,
        tools === undefined ? toolsFor(preset, chosen.value, context) : toRegistered(tools),
      );
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

function toRegistered(
  tools: NonNullable<ParsedInput<SallyportContract, "policy.explain">["tools"]>,
): RegisteredTool[] {
  return [
    ...tools.coreTools.map((name): RegisteredTool => ({ name, owner: { kind: "core" } })),
    ...tools.pluginTools.map(
      ({ name, pluginId, optional, ownerOnly }): RegisteredTool => ({
        name,
        owner: { kind: "plugin", pluginId },
        ...(optional === undefined ? {} : { optional }),
        ...(ownerOnly === undefined ? {} : { ownerOnly }),
      }),
    ),
  ];
}
