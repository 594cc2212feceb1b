/** `/<skill> args`: which tool a skill's command calls for a session, and the call itself on the one path. */

import type { Reason, SkillView } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { Calls, StartedCall, ToolDecision } from "../calls/createCalls.ts";
import { takenIn } from "../calls/takenIn.ts";
import type { ConfigStore } from "../config/index.ts";
import type { PolicyService } from "../policy/createPolicyService.ts";
import type { Caller } from "../runtimeTypes.ts";
import { commandNameOf } from "./commandName.ts";
import { type Skill, type Skills, toolsOf } from "./createSkills.ts";

export interface SkillCommandsDeps {
  skills: Pick<Skills, "all">;
  config: Pick<ConfigStore, "effective">;
  policy: Pick<PolicyService, "decide">;
  calls: Pick<Calls, "start" | "get">;
}

export interface SkillCommands {
  /** What the agent of the caller has, by name, with what becomes of each command in the caller's session. */
  list(caller: Caller): Promise<SkillView[]>;
  /**
   * Calls the skill's tool. Policy, loop guard and approval decide about the call like about any other; this only
   * finds the tool.
   * @param asked name or command, with or without the slash
   * @param args as typed; nothing in it is taken apart
   * @param seenTool what the person was told that it calls: an agent may have written the file anew meanwhile
   * @throws AppError NOT_FOUND, UNAVAILABLE with the reason when the skill has no command that can be called, or when
   *   the session has too much open
   */
  run(caller: Caller, asked: string, args: string, seenTool?: string): Promise<StartedCall>;
}

/** @see gateway-sessions-nodes.md §22, policy.md §15 */
export function createSkillCommands(deps: SkillCommandsDeps): SkillCommands {
  const read = async (caller: Caller) => {
    const skills = await deps.skills.all(deps.config.effective().config, caller.agentId);
    return { skills, byCommand: nearestByCommand(skills) };
  };

  /** Policy looks at the tool alone, whichever skill names it: a folder full of skills asks once for each tool. */
  const decider = (caller: Caller) => {
    const known = new Map<string, ToolDecision>();
    return (skill: Skill, tool: string): ToolDecision => {
      const decision = known.get(tool) ?? deps.policy.decide(asSkill(caller, skill), tool);
      known.set(tool, decision);
      return decision;
    };
  };

  const viewOf = (
    skill: Skill,
    nearest: Skill | undefined,
    decide: ReturnType<typeof decider>,
  ): SkillView => {
    const { name, commandName, description, path, file } = skill;
    const common = {
      name,
      commandName,
      description,
      path,
      isForModel: file.isForModel,
      tools: toolsOf(skill),
    };
    const target = targetOf(skill, nearest);
    if (target.kind === "none") return { ...common, command: { kind: "none", reason: target.reason } };
    const { tool } = target;
    const decision = decide(skill, tool);
    if (decision.kind === "visible") return { ...common, command: { kind: "ready", tool } };
    return { ...common, command: { kind: "unreachable", tool, reason: decision.reason } };
  };

  return {
    async list(caller) {
      const { skills, byCommand } = await read(caller);
      const decide = decider(caller);
      return [...skills]
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
        .map((skill) => viewOf(skill, byCommand.get(skill.commandName), decide));
    },
    async run(caller, asked, args, seenTool) {
      const typed = asked.trim().replace(/^\//, "");
      const { skills, byCommand } = await read(caller);
      const command = commandNameOf(typed);
      const skill =
        byCommand.get(command) ?? skills.findLast((candidate) => candidate.commandName === command);
      if (skill === undefined) {
        throw new AppError(
          "NOT_FOUND",
          `Agent ${caller.agentId} has no skill ${typed}. \`sallyport skills list\` shows those it has.`,
        );
      }
      const target = targetOf(skill, byCommand.get(command));
      if (target.kind === "none") {
        throw new AppError("UNAVAILABLE", sentences[target.why](skill.name, caller.agentId), {
          data: { reason: target.reason },
        });
      }
      if (seenTool !== undefined && seenTool !== target.tool) {
        throw new AppError(
          "UNAVAILABLE",
          `The skill ${skill.name} was changed: its command calls ${target.tool} now, not ${seenTool}. Look at it again, then run it.`,
        );
      }
      const input = { command: args, commandName: skill.commandName, skillName: skill.name };
      return takenIn(deps.calls, deps.calls.start(asSkill(caller, skill), target.tool, input));
    },
  };
}

/** Of those that a person may call, the nearest with each command. */
function nearestByCommand(skills: readonly Skill[]): Map<string, Skill> {
  return new Map(
    skills
      .filter(({ off, file }) => off === null && file.isUserInvocable)
      .map((skill) => [skill.commandName, skill]),
  );
}

type Why =
  | "skillSwitchedOff"
  | "skillWithoutKeys"
  | "skillNotForAgent"
  | "skillNotInvocable"
  | "skillNameTaken"
  | "skillIsText"
  | "skillWithoutTool";

type Target = { kind: "tool"; tool: string } | { kind: "none"; why: Why; reason: Reason };

/** @param nearest the skill that has the command; undefined: none has it */
function targetOf(skill: Skill, nearest: Skill | undefined): Target {
  const { name, off, file } = skill;
  if (off !== null) return { kind: "none", why: off.code, reason: off };
  const none = (why: Why, params: Record<string, string> = {}): Target => ({
    kind: "none",
    why,
    reason: { code: why, params: { skill: name, ...params } },
  });
  if (!file.isUserInvocable) return none("skillNotInvocable");
  if (nearest !== undefined && nearest !== skill) return none("skillNameTaken", { other: nearest.path });
  if (file.dispatch.kind === "text") return none("skillIsText");
  return file.dispatch.tool === null ? none("skillWithoutTool") : { kind: "tool", tool: file.dispatch.tool };
}

const sentences: Record<Why, (skill: string, agentId: string) => string> = {
  skillSwitchedOff: (skill) =>
    `The skill ${skill} is switched off: skills.entries in openclaw.json has enabled: false for it.`,
  skillWithoutKeys: (skill) =>
    `The folder ${skill} is no skill yet: its SKILL.md has no keys between two lines of --- at its beginning.`,
  skillNotForAgent: (skill, agentId) =>
    `The agent ${agentId} does not have the skill ${skill}: the list skills of the agent does not name it.`,
  skillNotInvocable: (skill) =>
    `The skill ${skill} cannot be called by a person: its SKILL.md says user-invocable: false.`,
  skillNameTaken: (skill) =>
    `The command of the skill ${skill} is taken by a nearer skill. Give one of them another name.`,
  skillIsText: (skill) =>
    `The skill ${skill} is text for a model and calls no tool. A command needs command-dispatch: tool and command-tool in its SKILL.md.`,
  skillWithoutTool: (skill) =>
    `The skill ${skill} says command-dispatch: tool, but not which: its SKILL.md needs command-tool with the name of a tool.`,
};

/** The operator, by way of the skill: what may be reached is less, and prompts and records name the skill. */
function asSkill(caller: Caller, { name, commandName, path }: Skill): Caller {
  return {
    ...caller,
    label: `${caller.label}: /${commandName}`,
    surface: "skill",
    skill: { name, commandName, path },
  };
}
