/** The part of a request that is the same whenever something else than a command waits for a person. */

import type { ApprovalDraft } from "./createApprovals.ts";

type NoCommand = Pick<
  ApprovalDraft,
  | "segments"
  | "analysisProblem"
  | "runsAs"
  | "host"
  | "cwd"
  | "env"
  | "pty"
  | "background"
  | "timeoutMs"
  | "onExpiry"
>;

/** @param cwd the folder that the request is about, empty when it is about none */
export function noCommand(cwd = ""): NoCommand {
  return {
    segments: null,
    analysisProblem: null,
    // The contract has no third kind.
    runsAs: { kind: "typed", shell: "" },
    host: "gateway",
    cwd,
    env: [],
    pty: false,
    background: false,
    timeoutMs: null,
    onExpiry: "deny",
  };
}
