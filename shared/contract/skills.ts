/** Skills of an agent, and the commands among them that call a tool directly. */

import { z } from "zod";
import { defineContract } from "../rpc/contract.ts";
import { reason } from "./approvals.ts";

export const skillView = z.object({
  name: z.string(),
  /** What is typed after the slash. */
  commandName: z.string(),
  /** Of its front matter; untrusted text, cut. */
  description: z.string().nullable(),
  /** Its SKILL.md. */
  path: z.string(),
  /** Whether a model is told of it; false with `disable-model-invocation`. */
  isForModel: z.boolean(),
  /** Tools that it names, the one of its command first. */
  tools: z.array(z.string()),
  /**
   * `none`: it calls nothing by itself, with why: it is text for a model, it is switched off, its name is taken, …
   * `ready`: `/<commandName>` calls the tool.
   * `unreachable`: it would call a tool that policy, the owner filter or the surface keeps from this session.
   */
  command: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("none"), reason }),
    z.object({ kind: z.literal("ready"), tool: z.string() }),
    z.object({ kind: z.literal("unreachable"), tool: z.string(), reason }),
  ]),
});
export type SkillView = z.infer<typeof skillView>;

const place = { agentId: z.string().optional(), sessionKey: z.string().optional() };

export const skillsContract = defineContract({
  methods: {
    "skills.list": {
      scope: "operator.read",
      input: z.object(place),
      output: z.object({ agentId: z.string(), skills: z.array(skillView) }),
    },
    /**
     * `/<skill> <args>`: calls the skill's tool with the raw text, on the one path of every call: policy, loop guard,
     * approval, record. Follow it with `calls.wait`.
     */
    "skills.run": {
      scope: "operator.write",
      input: z.object({
        ...place,
        /** Its name or its command, with or without the slash. */
        skill: z.string().min(1).max(128),
        args: z.string().max(65_536),
        /** What the person was told that the command calls; refused when the skill calls another tool by now. */
        tool: z.string().max(128).optional(),
      }),
      output: z.object({ toolCallId: z.string() }),
    },
  },
  events: {},
});
