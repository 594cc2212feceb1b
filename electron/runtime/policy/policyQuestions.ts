/** Questions about a policy, answered without doing anything: the same for the running app, the CLI and any file. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Hardening, HardeningPreset } from "../../../shared/hardening/rules.ts";
import {
  type AssertionOutcome,
  type AssertionResult,
  assertionSteps,
  type ClassAxes,
  type ClassLabel,
  classOf,
  collectFindings,
  combine,
  compareTraces,
  comparisonLines,
  countClasses,
  createContextSpace,
  describeAxes,
  describeSupply,
  everyFinding,
  outcomeOf,
  type Steps,
  type ToolSupply,
  whySteps,
} from "../../../shared/policy/debug/index.ts";
import { nearestName } from "../../../shared/policy/didYouMean.ts";
import { findInclude } from "../../../shared/policy/includes.ts";
import {
  type CompiledPolicy,
  compilePolicy,
  defaultAgentId,
  describeFinding,
  evaluatePolicy,
  normalizeAgentId,
  type PolicyContext,
  type RegisteredTool,
  resolveAgentId,
  tracePolicy,
  withSandbox,
} from "../../../shared/policy/index.ts";
import type { MethodOutput, ParsedInput } from "../../../shared/rpc/index.ts";
import { configSchema } from "../config/index.ts";
import type { SkillsFor } from "../skills/createSkills.ts";
import { inSlices } from "./inSlices.ts";
import { positionsOf, type QuestionConfig, readQuestionText } from "./questionConfig.ts";

export interface PolicyQuestionsDeps {
  /** The config that counts when a question brings none. */
  saved(): QuestionConfig;
  savedAssertions(): string;
  /** @param preset absent: as the settings say */
  hardeningFor(preset: HardeningPreset | undefined): Hardening;
  preset(): HardeningPreset;
  toolsFor(
    preset: HardeningPreset | undefined,
    config: unknown,
    context: PolicyContext,
  ): readonly RegisteredTool[];
  /** Which tools exist in which context, for proofs over all of them. */
  supplyFor(preset: HardeningPreset | undefined, config: unknown): ToolSupply;
  /** What the agent's skills need, for findings. */
  skillsFor: SkillsFor;
}

type Question<Method extends keyof SallyportContract["methods"]> = (
  input: ParsedInput<SallyportContract, Method>,
) => MethodOutput<SallyportContract, Method>;

/** A question over very many contexts: it leaves others their turn, and the signal withdraws it. */
type LongQuestion<Method extends keyof SallyportContract["methods"]> = (
  input: ParsedInput<SallyportContract, Method>,
  signal?: AbortSignal,
) => Promise<MethodOutput<SallyportContract, Method>>;

export interface PolicyQuestions {
  trace: Question<"policy.trace">;
  explain: Question<"policy.explain">;
  why: LongQuestion<"policy.why">;
  compare: Question<"policy.compare">;
  check: LongQuestion<"policy.check">;
  findings: LongQuestion<"policy.findings">;
}

interface Asked {
  config?: unknown;
  configText?: string | undefined;
  preset?: HardeningPreset | undefined;
}

export function createPolicyQuestions(deps: PolicyQuestionsDeps): PolicyQuestions {
  const chosenConfig = ({ config, configText }: Asked): QuestionConfig => {
    if (configText !== undefined) return readQuestionText(configText, "openclaw.json");
    if (config !== undefined) {
      const included = findInclude(config);
      if (included !== null)
        throw new AppError("INVALID_INPUT", `${included.join(".")}: parts in other files are not read here.`);
      return { value: config, positionOf: () => null, problems: [] };
    }
    return deps.saved();
  };
  const open = (input: Asked) => {
    const chosen = chosenConfig(input);
    const compiled = compilePolicy(chosen.value, { hardening: deps.hardeningFor(input.preset) });
    return { chosen, compiled, preset: input.preset ?? deps.preset() };
  };
  /** The same with the situation: what it leaves to the config is filled in, and said. */
  const situate = (input: Asked & { context: PolicyContext }) => {
    const opened = open(input);
    const context = withSandbox(opened.chosen.value, input.context);
    const tools = deps.toolsFor(input.preset, opened.chosen.value, context);
    const filled = input.context.sandboxed === undefined ? context.sandboxed : undefined;
    return {
      ...opened,
      context,
      tools,
      fromConfig: filled === undefined ? {} : { sandboxFromConfig: filled },
    };
  };
  const traceOf = (input: Asked & { context: PolicyContext }) => {
    const { compiled, context, tools, ...rest } = situate(input);
    return { ...rest, trace: tracePolicy(compiled, context, tools) };
  };

  return {
    trace(input) {
      const startedAtMs = performance.now();
      const { chosen, preset, trace, fromConfig } = traceOf(input);
      const evaluatedInMs = performance.now() - startedAtMs;
      const positions = positionsOf(
        chosen,
        trace.rules.map((rule) => rule.configPath),
      );
      return { trace, preset, positions, problems: chosen.problems, ...fromConfig, evaluatedInMs };
    },
    explain(input) {
      if (input.tools === undefined) {
        const { compiled, context, tools } = situate(input);
        return evaluatePolicy(compiled, context, tools);
      }
      // A recorded case brings everything along: what it does not say is not so.
      return evaluatePolicy(open(input).compiled, input.context, toRegistered(input.tools));
    },
    async why(input, signal) {
      const { chosen, compiled, preset, context, tools, fromConfig } = situate(input);
      const { layer, tool } = input;
      const options = {
        ...(layer === undefined ? {} : { layer }),
        // What an edit switches on has to be there by every rule of availability before it is offered.
        toolsOf: (config: unknown, where: PolicyContext) => deps.toolsFor(input.preset, config, where),
        problemsOf: (config: unknown) => configSchema.safeParse(config).error?.issues.length ?? 0,
      };
      const answer = await inSlices(whySteps(compiled, chosen.value, context, tools, tool, options), signal);
      const suggestion =
        answer.state === "unknown"
          ? nearestName(
              tool,
              tools.map((known) => known.name),
            )
          : undefined;
      return {
        answer: {
          ...answer,
          layer: answer.layer === undefined ? undefined : { ...answer.layer, path: [...answer.layer.path] },
        },
        preset,
        positions: positionsOf(chosen, [
          ...answer.removers.flatMap((remover) => remover.rules.map((rule) => rule.configPath)),
          ...answer.repairs.flatMap((repair) => repair.edits.map((edit) => edit.path)),
        ]),
        problems: chosen.problems,
        ...fromConfig,
        ...(suggestion === undefined ? {} : { suggestion }),
        ...unlisted(compiled, input.context.agentId),
      };
    },
    compare({ a, b, sides }) {
      const left = traceOf(a);
      const right = traceOf(b);
      const comparison = compareTraces(left.trace, right.trace);
      return {
        comparison,
        text: comparisonLines(left.trace, right.trace, comparison, sides),
        sandboxFromConfig: { a: left.fromConfig.sandboxFromConfig, b: right.fromConfig.sandboxFromConfig },
      };
    },
    async check(input, signal) {
      const { chosen, compiled, preset } = open(input);
      const text = input.assertions ?? deps.savedAssertions();
      const supply = deps.supplyFor(input.preset, chosen.value);
      const results = await inSlices(checkSteps(compiled, supply, text), signal);
      const axes = await inSlices(createContextSpace(compiled, supply).axes({}), signal);
      return {
        ...reportOf(results),
        preset,
        classes: [...describeAxes(axes), ...describeSupply(axes, supply)],
        contexts: countClasses(axes),
        ...(input.listClasses === undefined ? {} : { listed: firstLabels(axes, input.listClasses) }),
        problems: chosen.problems,
      };
    },
    async findings(input, signal) {
      const { chosen, compiled, preset, context, tools, fromConfig } = situate(input);
      const { agentId, sessionKey } = context;
      const agent = normalizeAgentId(resolveAgentId(agentId, sessionKey) ?? defaultAgentId(chosen.value));
      const asked = input.everyAgent === true ? [agent, ...compiled.agents.keys()] : [agent];
      const skills = new Map<string, Awaited<ReturnType<SkillsFor>>>();
      for (const id of new Set(asked)) skills.set(id, await deps.skillsFor(chosen.value, id));
      const every = everyFinding(compiled, {
        toolsOf: (where) => deps.toolsFor(input.preset, chosen.value, where),
        skillsOf: (id) => skills.get(id) ?? [],
      });
      const findings =
        input.everyAgent === true
          ? await inSlices(every, signal)
          : collectFindings(compiled, context, tools, { skills: skills.get(agent) ?? [] });
      return {
        findings: findings.map((finding) => ({ ...finding, text: describeFinding(finding) })),
        preset,
        positions: positionsOf(
          chosen,
          findings.map((finding) => finding.configPath),
        ),
        problems: chosen.problems,
        ...(input.everyAgent === true ? {} : fromConfig),
      };
    },
  };
}

/** Where no agent is listed any name may be meant. */
function unlisted({ agents }: CompiledPolicy, agentId: string | undefined): { unlistedAgent?: string } {
  if (agentId === undefined || agentId.trim() === "" || agents.size === 0) return {};
  return agents.has(normalizeAgentId(agentId)) ? {} : { unlistedAgent: agentId };
}

/** Checks assertions with every list of tools that contexts may meet. */
export function* checkSteps(
  compiled: CompiledPolicy,
  supply: ToolSupply,
  text: string,
): Steps<AssertionOutcome[]> {
  const results: AssertionResult[] = yield* assertionSteps(compiled, supply, text);
  return results.map(outcomeOf);
}

function firstLabels(axes: ClassAxes, count: number): ClassLabel[] {
  const labels: ClassLabel[] = [];
  for (const parts of combine(axes)) {
    if (labels.length >= count) break;
    labels.push(classOf(parts).label);
  }
  return labels;
}

/** Counts results for a summary. */
export function reportOf(results: AssertionOutcome[]) {
  const count = (kind: AssertionOutcome["kind"]) => results.filter((result) => result.kind === kind).length;
  return {
    results,
    counts: { proved: count("proved"), refuted: count("refuted"), invalid: count("invalid") },
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
