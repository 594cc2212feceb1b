/** One look at each path per decision. */
import type { EvaluateExecInput, ExecutableLookup, PathFacts } from "./types.ts";

/** Within one decision every path has one answer, and costs one look. */
function rememberLookups(lookup: ExecutableLookup): ExecutableLookup {
  const paths = new Map<string, PathFacts>();
  const names = new Map<string, PathFacts | null>();
  return {
    inspect(path) {
      const facts = paths.get(path) ?? lookup.inspect(path);
      paths.set(path, facts);
      return facts;
    },
    findOnPath(name, env) {
      const known = names.get(name);
      const facts = known === undefined ? lookup.findOnPath(name, env) : known;
      names.set(name, facts);
      return facts;
    },
    isDirectory: (path) => lookup.isDirectory(path),
  };
}

/** Every field by name: copying by spread costs as much as judging a short command. The type keeps it complete. */
export function withRememberedLookups(call: EvaluateExecInput): EvaluateExecInput {
  const input: { [Key in keyof Required<EvaluateExecInput>]: EvaluateExecInput[Key] } = {
    command: call.command,
    platform: call.platform,
    cwd: call.cwd,
    env: call.env,
    home: call.home,
    lookup: rememberLookups(call.lookup),
    hardening: call.hardening,
    agentId: call.agentId,
    sessionKey: call.sessionKey,
    policy: call.policy,
    allowlist: call.allowlist,
    grants: call.grants,
    safeBins: call.safeBins,
    envOverrides: call.envOverrides,
    nowMs: call.nowMs,
  };
  return input;
}
