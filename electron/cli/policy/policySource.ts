/** Where answers about a policy come from: the running app, or files that are only read. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { allHardening, type HardeningPreset, hardeningRules } from "../../../shared/hardening/index.ts";
import type { PolicyContext } from "../../../shared/policy/index.ts";
import { defaultAgentId } from "../../../shared/policy/index.ts";
import type { MethodOutput } from "../../../shared/rpc/index.ts";
import { connectGateway } from "../../gateway/gatewayClient.ts";
import {
  defaultSettings,
  parseSettings,
  resolveHardening,
  type Settings,
} from "../../runtime/config/index.ts";
import { workspaceFolder } from "../../runtime/exec/places.ts";
import { openclawSupply, openclawTools } from "../../runtime/policy/openclawTools.ts";
import { createPolicyQuestions, type PolicyQuestions } from "../../runtime/policy/policyQuestions.ts";
import { type QuestionConfig, readQuestionText } from "../../runtime/policy/questionConfig.ts";
import { createSkills, type SkillsFor } from "../../runtime/skills/createSkills.ts";
import { readTextFile } from "../../runtime/storage/index.ts";
import { findGateway, placeOf } from "../access.ts";
import { brokenConfigText } from "../brokenConfig.ts";
import { readInput } from "../commands/approvals.ts";
import type { CliContext } from "../context.ts";

type Asynchronous<T> = {
  [Name in keyof T]: T[Name] extends (input: infer Input, ...more: never[]) => infer Output
    ? (input: Input) => Promise<Awaited<Output>>
    : never;
};

export interface PolicySource extends Asynchronous<Omit<PolicyQuestions, "explain">> {
  /** Whose rules and tools: a sentence for a person. */
  about: string;
  defaultAgent(): Promise<string>;
  /** Contexts of sessions that really called tools, the newest first; only the running app knows any. */
  seen(): Promise<SeenContext[]>;
  close(): Promise<void>;
}

export type SeenContext = MethodOutput<SallyportContract, "policy.contexts">["seen"][number];

export interface SourceOptions {
  /** An OpenClaw config file. Absent: the running app, else the files of the state directory. */
  config?: string;
  preset?: HardeningPreset;
}

/**
 * Opens a source. Nothing is written and no folder is made.
 * @throws AppError with `data.usage` when a file cannot be read or is no JSON5
 */
export async function openPolicySource(context: CliContext, options: SourceOptions): Promise<PolicySource> {
  if (options.config !== undefined) {
    const text = await readInput(context, options.config).catch(asUsage);
    // What OpenClaw makes of its own file is the question; `--preset sallyport` asks the other one.
    const settings: Settings = {
      ...defaultSettings,
      hardening: { preset: options.preset ?? "reference", rules: {} },
    };
    const config = readConfigText(text, options.config);
    // Skills of this computer are no part of a set-up that the file may come from.
    return fileSource(config, settings, options.config, async () => []);
  }
  const place = placeOf(context.io);
  const info = await findGateway(place);
  if (info !== null) return runningSource(context, info, options.preset);
  const text = await readTextFile(place.paths.config);
  const settings = await readSettings(place.paths.settings);
  const config: QuestionConfig =
    text === null
      ? { value: {}, positionOf: () => null, problems: [] }
      : readConfigText(text, place.paths.config);
  const preset = options.preset ?? settings.hardening.preset;
  const rules = options.preset === undefined ? settings.hardening.rules : {};
  const skills = createSkills({
    ...place,
    config: () => config.value,
    workspaceOf: (agentId) => workspaceFolder(config.value, agentId, place),
  });
  const asked = { ...settings, hardening: { preset, rules } };
  return fileSource(config, asked, place.paths.config, skills.needs);
}

async function runningSource(
  context: CliContext,
  info: NonNullable<Awaited<ReturnType<typeof findGateway>>>,
  preset: HardeningPreset | undefined,
): Promise<PolicySource> {
  const rpc = await connectGateway({
    ...info,
    version: context.version,
    displayName: "sallyport command line",
  });
  const broken = brokenConfigText((await rpc.call("app.status", {})).config);
  const asked = <Input extends object>(input: Input) => (preset === undefined ? input : { ...input, preset });
  return {
    about: broken === undefined ? "the running app" : `the running app, ${broken}`,
    trace: (input) => rpc.call("policy.trace", asked(input)),
    why: (input) => rpc.call("policy.why", asked(input)),
    check: (input) => rpc.call("policy.check", asked(input)),
    findings: (input) => rpc.call("policy.findings", asked(input)),
    compare: ({ a, b, sides }) => rpc.call("policy.compare", { a: asked(a), b: asked(b), sides }),
    async defaultAgent() {
      const { agents } = await rpc.call("policy.contexts", {});
      return agents.find((agent) => agent.isDefault)?.id ?? "main";
    },
    seen: async () => (await rpc.call("policy.contexts", {})).seen,
    close: async () => rpc.close(),
  };
}

function fileSource(
  config: QuestionConfig,
  settings: Settings,
  name: string,
  skillsFor: SkillsFor,
): PolicySource {
  const { preset } = settings.hardening;
  const { hardening } = resolveHardening(settings, hardeningRules);
  const questions = createPolicyQuestions({
    saved: () => config,
    savedAssertions: () => settings.assertions.text,
    hardeningFor: (asked) =>
      asked === undefined ? hardening : asked === "reference" ? new Set() : allHardening,
    preset: () => preset,
    toolsFor: (_preset, value, where: PolicyContext) => openclawTools(value, where),
    supplyFor: (_preset, value) => openclawSupply(value),
    skillsFor,
  });
  return {
    about: `${name}, preset ${preset}, with the tools that OpenClaw would have`,
    trace: async (input) => questions.trace(input),
    why: async (input) => questions.why(input),
    check: async (input) => questions.check(input),
    findings: async (input) => questions.findings(input),
    compare: async (input) => questions.compare(input),
    defaultAgent: async () => defaultAgentId(config.value),
    seen: async () => [],
    close: async () => {},
  };
}

async function readSettings(path: string): Promise<Settings> {
  const text = await readTextFile(path);
  const parsed = text === null ? null : parseSettings(text, path);
  if (parsed?.kind === "broken") {
    const [problem] = parsed.problems;
    throw usage(`${path}:${problem?.line ?? 1}:${problem?.column ?? 1}: ${problem?.message ?? "broken"}`);
  }
  return parsed?.kind === "ok" ? parsed.settings : defaultSettings;
}

/** @throws AppError with `data.usage` that names file, line and column */
export function readConfigText(text: string, path: string): QuestionConfig {
  try {
    return readQuestionText(text, path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problem = (error.data?.problems as QuestionConfig["problems"] | undefined)?.[0];
    throw usage(`${path}:${problem?.line ?? 1}:${problem?.column ?? 1}: ${error.message}`);
  }
}

/** @returns an error that ends the command with exit code 2 */
export function usage(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { data: { usage: true } });
}

export function asUsage(error: unknown): never {
  throw error instanceof AppError ? usage(error.message) : error;
}
