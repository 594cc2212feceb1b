/** Runs on this machine as this user. */

import type { ExecutableLookup } from "../../../../shared/exec/index.ts";
import type { Places } from "../places.ts";
import { runPlanFrom } from "../sessions/index.ts";
import { shellFor } from "../shell.ts";
import type { ExecHost } from "./execHost.ts";

/** @see exec.md §3.7, §3.8 */
export function createGatewayHost(deps: {
  places: Places;
  lookup: ExecutableLookup;
  baseEnv: Record<string, string>;
}): ExecHost {
  const { places, lookup } = deps;
  const shellIn = (env: Record<string, string>) =>
    shellFor(deps.baseEnv, (name) => lookup.findOnPath(name, env)?.lexicalPath ?? null);
  return {
    kind: "gateway",
    isAvailable: async () => ({ ok: true }),
    async place({ agentId, workdir, envOverrides }) {
      const { cwd, warning } = await places.chooseFolder(workdir, agentId);
      return { cwd, innerCwd: cwd, env: await places.hostEnvFor(agentId, envOverrides), warning };
    },
    shellLabel: ({ env }) => shellIn(env),
    async prepare({ plan, place, pty }) {
      return {
        plan: runPlanFrom(plan, { file: shellIn(place.env), args: ["-c"] }),
        cwd: place.cwd,
        env: place.env,
        pty,
        warnings: [],
      };
    },
  };
}
