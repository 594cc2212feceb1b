/** Questions about a policy, answered without doing anything: the same for the running app, the CLI and any file. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Hardening, HardeningPreset } from "../../../shared/hardening/rules.ts";
import {
  type AssertionOutcome,
  type AssertionResult,
  assertionSteps,
  collectFindings,
  compareTraces,
  comparisonLines,
  countClasses,
  createContextSpace,
  describeAxes,
  outcomeOf,
  type Steps,
  whySteps,
} from "../../../shared/policy/debug/index.ts";
import { nearestName } from "../../../shared/policy/didYouMean.ts";
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
} from "../../../shared/policy/index.ts";
import type { MethodOutput, ParsedInput } from "../../../shared/rpc/index.ts";
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
  /** The lists of tools that contexts may meet, for proofs over all contexts: a promise has to hold with each. */
  toolListsFor(preset: HardeningPreset | undefined, config: unknown): (readonly RegisteredTool[])[];
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
    if (config !== undefined) return { value: config, positionOf: () => null, problems: [] };
    return deps.saved();
  };
  const open = (input: Asked) => {
    const chosen = chosenConfig(input);
    const compiled = compilePolicy(chosen.value, { hardening: deps.hardeningFor(input.preset) });
    return { chosen, compiled, preset: input.preset ?? deps.preset() };
  };
  const traceOf = (input: Asked & { context: PolicyContext }) => {
    const { chosen, compiled, preset } = open(input);
    const tools = deps.toolsFor(input.preset, chosen.value, input.context);
    return { chosen, preset, trace: tracePolicy(compiled, input.context, tools) };
  };

  return {
    trace(input) {
      const startedAtMs = performance.now();
      const { chosen, preset, trace } = traceOf(input);
      const evaluatedInMs = performance.now() - startedAtMs;
      const positions = positionsOf(
        chosen,
        trace.rules.map((rule) => rule.configPath),
      );
      return { trace, preset, positions, problems: chosen.problems, evaluatedInMs };
    },
    explain(input) {
      const { chosen, compiled } = open(input);
      const { preset, context, tools } = input;
      return evaluatePolicy(
        compiled,
        context,
        tools === undefined ? deps.toolsFor(preset, chosen.value, context) : toRegistered(tools),
      );
    },
    async why(input, signal) {
      const { chosen, compiled, preset } = open(input);
      const { context, layer, tool } = input;
      const tools = deps.toolsFor(input.preset, chosen.value, context);
      const options = layer === undefined ? {} : { layer };
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
        ...(suggestion === undefined ? {} : { suggestion }),
      };
    },
    compare({ a, b }) {
      const left = traceOf(a).trace;
      const right = traceOf(b).trace;
      const comparison = compareTraces(left, right);
      return { comparison, text: comparisonLines(left, right, comparison) };
    },
    async check(input, signal) {
      const { chosen, compiled, preset } = open(input);
      const text = input.assertions ?? deps.savedAssertions();
      const toolLists = deps.toolListsFor(input.preset, chosen.value);
      const results = await inSlices(checkSteps(compiled, toolLists, text), signal);
      const axes = await inSlices(createContextSpace(compiled).axes({}), signal);
      return {
        ...reportOf(results),
        preset,
        classes: describeAxes(axes),
        contexts: countClasses(axes),
        problems: chosen.problems,
      };
    },
    async findings(input) {
      const { chosen, compiled, preset } = open(input);
      const tools = deps.toolsFor(input.preset, chosen.value, input.context);
      const { agentId, sessionKey } = input.context;
      const agent = normalizeAgentId(resolveAgentId(agentId, sessionKey) ?? defaultAgentId(chosen.value));
      const skills = await deps.skillsFor(chosen.value, agent);
      const findings = collectFindings(compiled, input.context, tools, { skills });
      return {
        findings: findings.map((finding) => ({ ...finding, text: describeFinding(finding) })),
        preset,
        positions: positionsOf(
          chosen,
          findings.map((finding) => finding.configPath),
        ),
        problems: chosen.problems,
      };
    },
  };
}

/** Checks assertions with each list of tools; the worst result of a line counts. */
export function* checkSteps(
  compiled: CompiledPolicy,
  toolLists: readonly (readonly RegisteredTool[])[],
  text: string,
): Steps<AssertionOutcome[]> {
  const space = createContextSpace(compiled);
  const perList: AssertionResult[][] = [];
  for (const tools of toolLists) perList.push(yield* assertionSteps(compiled, tools, text, space));
  const [first, ...others] = perList;
  return (first ?? []).map((result, index) => {
    const worse = others
      .map((list) => list[index])
      .find((other): other is AssertionResult => other?.kind === "refuted");
    return outcomeOf(result.kind === "proved" && worse !== undefined ? worse : result);
  });
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
