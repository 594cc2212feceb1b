/** Both gates, asked without doing anything: the pipeline for a context, and the exec decision for a command. */

import { z } from "zod";
import { execExplanationSchema } from "../exec/schema.ts";
import {
  assertionOutcomeSchema,
  classDimensionSchema,
  classLabelSchema,
  traceComparisonSchema,
  whyAnswerSchema,
} from "../policy/debug/schema.ts";
import {
  configPathSchema,
  policyContextSchema,
  policyFindingSchema,
  policyResultSchema,
  policyTraceSchema,
} from "../policy/schema.ts";
import { defineContract } from "../rpc/contract.ts";
import { fileProblem } from "./app.ts";

const preset = z.enum(["reference", "sallyport"]);
/** A config instead of the saved one: a parsed document (vectors) or text (what-if, with positions). */
const otherConfig = { config: z.unknown().optional(), configText: z.string().max(4_194_304).optional() };

/** Line and column (from 1) of config paths, by dotted path; paths that the text does not hold are left out. */
const positions = z.record(z.string(), z.object({ line: z.number().int(), column: z.number().int() }));

/** What was answered for where the question left it open: whether the session runs sandboxed, by the config. */
const sandboxFromConfig = z.boolean().optional();

/** One side of a comparison. */
const comparedSide = z.object({ context: policyContextSchema, preset: preset.optional(), ...otherConfig });

/** Promises about the policy, one a line: `never support: exec`. */
const assertionText = z.string().max(262_144);

/** `block`: a change of the config that breaks an assertion is not written. `warn`: it is, with a report. */
export const assertionsOnFail = z.enum(["block", "warn"]);

export const assertionReport = z.object({
  results: z.array(assertionOutcomeSchema),
  counts: z.object({ proved: z.number().int(), refuted: z.number().int(), invalid: z.number().int() }),
});
export type AssertionReport = z.infer<typeof assertionReport>;

/** Tools as a test or a recorded case registers them; absent = those of the running app. */
const registeredTools = z.object({
  coreTools: z.array(z.string()),
  pluginTools: z.array(
    z.object({
      name: z.string(),
      pluginId: z.string(),
      optional: z.boolean().optional(),
      ownerOnly: z.boolean().optional(),
    }),
  ),
});

export const policyContract = defineContract({
  methods: {
    /** What the pickers of the context bar offer: values that the config or real sessions know. */
    "policy.contexts": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({
        agents: z.array(z.object({ id: z.string(), isDefault: z.boolean() })),
        models: z.array(z.object({ provider: z.string(), model: z.string().nullable() })),
        groups: z.array(z.object({ channel: z.string(), groupId: z.string() })),
        /** Contexts of MCP clients and of sessions that really called tools, newest first. */
        seen: z.array(z.object({ label: z.string(), context: policyContextSchema })),
      }),
    },
    /** The full trace: every tool at every stage, with rules and their lines. */
    "policy.trace": {
      scope: "operator.read",
      input: z.object({ context: policyContextSchema, preset: preset.optional(), ...otherConfig }),
      output: z.object({
        trace: policyTraceSchema,
        preset,
        /** Of the paths that the trace's rules name. */
        positions,
        problems: z.array(fileProblem),
        sandboxFromConfig,
        evaluatedInMs: z.number(),
      }),
    },
    /** The result without a trace; with `tools` and `config` it answers recorded cases. */
    "policy.explain": {
      scope: "operator.read",
      input: z.object({
        context: policyContextSchema,
        preset: preset.optional(),
        tools: registeredTools.optional(),
        ...otherConfig,
      }),
      output: policyResultSchema,
    },
    /** Why one tool is missing or there, and edits that change it; each was tried before it is offered. */
    "policy.why": {
      scope: "operator.read",
      input: z.object({
        tool: z.string().min(1).max(256),
        context: policyContextSchema,
        preset: preset.optional(),
        /** Only edits below this path are wanted, for example ["agents","list",1]. */
        layer: configPathSchema.optional(),
        ...otherConfig,
      }),
      output: z.object({
        answer: whyAnswerSchema,
        preset,
        /** Of the rules of the removers, and of the places that the repairs edit as far as they exist. */
        positions,
        problems: z.array(fileProblem),
        sandboxFromConfig,
        /** Nearest known name, when the tool is unknown. */
        suggestion: z.string().optional(),
        /** The asked agent, when agents.list does not hold it: then the rules for any other agent count. */
        unlistedAgent: z.string().optional(),
      }),
    },
    /** Only the differences, as a matrix and as English text. */
    "policy.compare": {
      scope: "operator.read",
      input: z.object({
        a: comparedSide,
        b: comparedSide,
        /** What the text calls them: A and B, or now and then, for a change that is tried; absent: A and B. */
        sides: z.enum(["ab", "change"]).optional(),
      }),
      output: z.object({
        comparison: traceComparisonSchema,
        text: z.array(z.string()),
        sandboxFromConfig: z.object({ a: sandboxFromConfig, b: sandboxFromConfig }),
      }),
    },
    /** Proves or refutes assertions over every context that the config can tell apart. */
    "policy.check": {
      scope: "operator.read",
      input: z.object({
        /** Absent: the saved ones. */
        assertions: assertionText.optional(),
        /** Up to so many of the classes are listed one by one. */
        listClasses: z.number().int().min(0).max(10_000).optional(),
        preset: preset.optional(),
        ...otherConfig,
      }),
      output: assertionReport.extend({
        preset,
        /** What was told apart, and how many contexts that makes. */
        classes: z.array(classDimensionSchema),
        contexts: z.number().int(),
        /** The first of them in the order in which they are walked through, when the question asked for a list. */
        listed: z.array(classLabelSchema).optional(),
        problems: z.array(fileProblem),
      }),
    },
    "policy.findings": {
      scope: "operator.read",
      input: z.object({
        context: policyContextSchema,
        /** Those of every agent, model, group and kind of session instead, each once. */
        everyAgent: z.boolean().optional(),
        preset: preset.optional(),
        ...otherConfig,
      }),
      output: z.object({
        /** `text`: one English sentence with the place. */
        findings: z.array(policyFindingSchema.extend({ text: z.string() })),
        preset,
        positions,
        problems: z.array(fileProblem),
        sandboxFromConfig,
      }),
    },
    /** The assertions of sallyport.json5. */
    "policy.assertions.get": {
      scope: "operator.read",
      input: z.object({}),
      output: z.object({ text: z.string(), onFail: assertionsOnFail }),
    },
    /**
     * Saves assertions. A line that cannot be read is refused; with `block` so is one that the saved config already
     * breaks (`data.reason: "assertionsRefuted"`, `data.results`).
     */
    "policy.assertions.set": {
      scope: "operator.admin",
      input: z.object({ text: assertionText, onFail: assertionsOnFail }),
      output: assertionReport,
    },
    /** OpenClaw's answer about the tools of a session (policy.md §1). Owner: the client holds operator.admin. */
    "tools.effective": {
      scope: "operator.read",
      input: z.object({ sessionKey: z.string().min(1), agentId: z.string().optional() }),
      output: z.object({
        agentId: z.string(),
        profile: z.string(),
        groups: z.array(
          z.object({
            id: z.enum(["core", "plugin", "channel"]),
            label: z.string(),
            tools: z.array(z.object({ id: z.string(), label: z.string() })),
          }),
        ),
      }),
    },
    "exec.explain": {
      scope: "operator.read",
      input: z.object({
        command: z.string().max(65_536),
        cwd: z.string().optional(),
        /** The whole environment to resolve names with; absent = the one that exec would use. */
        env: z.record(z.string(), z.string()).optional(),
        home: z.string().optional(),
        agentId: z.string().optional(),
        platform: z.enum(["linux", "darwin", "win32"]).optional(),
        preset: preset.optional(),
        /** `tools.exec` to use instead of the saved one. */
        execConfig: z.record(z.string(), z.unknown()).optional(),
        /** An approvals file to use instead of the saved one. */
        approvalsFile: z.unknown().optional(),
        trustedDirs: z.array(z.string()).optional(),
      }),
      output: execExplanationSchema,
    },
  },
  events: {
    /** The saved assertions were checked again because the config or the assertions changed. */
    "policy.assertionsChecked": {
      scope: "operator.read",
      payload: assertionReport.extend({ trigger: z.enum(["config", "settings"]) }),
    },
  },
});
