/** Skills and their commands for people: what an agent has, and `/<skill> args`. */

import type { SallyportContract } from "../../../shared/contract/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import { createSkillCommands, type SkillCommandsDeps } from "../skills/skillCommands.ts";
import { callerIn, type PlacesOfCallers } from "./callerIn.ts";

type SkillMethods = Extract<keyof SallyportContract["methods"], `skills.${string}`>;

export type SkillHandlersDeps = SkillCommandsDeps & PlacesOfCallers;

export function createSkillHandlers(
  deps: SkillHandlersDeps,
): Pick<Handlers<SallyportContract>, SkillMethods> {
  const commands = createSkillCommands(deps);
  return {
    "skills.list": async (place, { principal }) => {
      const caller = callerIn(deps, place, principal);
      return { agentId: caller.agentId, skills: await commands.list(caller) };
    },
    "skills.run": async ({ skill, args, tool, ...place }, { principal }) => {
      const { toolCallId } = await commands.run(callerIn(deps, place, principal), skill, args, tool);
      return { toolCallId };
    },
  };
}
