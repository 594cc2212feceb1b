/** Both gates, asked without doing anything: the pipeline for a context, and the exec decision for a command. */

import { z } from "zod";
import { execExplanationSchema } from "../exec/schema.ts";
import { policyContextSchema, policyResultSchema, policyTraceSchema } from "../policy/schema.ts";
import { defineContract } from "../rpc/contract.ts";
import { fileProblem } from "./app.ts";

const preset = z.enum(["reference", "sallyport"]);
/** A config instead of the saved one: a parsed document (vectors) or text (what-if, with positions). */
const otherConfig = { config: z.unknown().optional(), configText: z.string().max(4_194_304).optional() };

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
        /** Line and column (from 1) of config paths that the trace's rules name, by dotted path. */
        positions: z.record(z.string(), z.object({ line: z.number().int(), column: z.number().int() })),
        problems: z.array(fileProblem),
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
  events: {},
});
