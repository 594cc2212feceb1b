/** Where a judged command runs: this machine, a sandbox on it, or a paired node. One host never stands in for another. */

import type { ExecutionPlan, ExecHost as HostKind } from "../../../../shared/exec/index.ts";
import type { RunPlan } from "../sessions/index.ts";

export interface HostSession {
  agentId: string;
  sessionKey: string;
}

/** `code` for the ledger, `message` for the agent and the person: what is missing and what to install or set. */
export type HostAvailability = { ok: true } | { ok: false; code: string; message: string };

export interface HostPlaceRequest extends HostSession {
  /** The call's `workdir`. */
  workdir: string | undefined;
  /** The call's `env`. */
  envOverrides: Record<string, string>;
}

/** Folder and environment of one call: what is judged, shown, bound and run. */
export interface HostPlace {
  /** Real path on this machine; what is bound to a decision. */
  cwd: string;
  /** The same folder as the command sees it. */
  innerCwd: string;
  /** Environment that program names are looked up in; for the gateway it is the child's whole environment. */
  env: Record<string, string>;
  /** Names a fallback, else null. */
  warning: string | null;
}

export interface HostRunRequest extends HostPlaceRequest {
  plan: ExecutionPlan;
  place: HostPlace;
  pty: boolean;
}

/** Ready for `ExecSessions.start`. */
export interface PreparedRun {
  plan: RunPlan;
  cwd: string;
  env: Record<string, string>;
  pty: boolean;
  warnings: string[];
  /** Called once after the command ended for whatever reason: removes what outlives the started process. */
  afterEnd?(outcome: { wasStopped: boolean }): Promise<void>;
}

export interface ExecHost {
  kind: HostKind;
  isAvailable(session: HostSession): Promise<HostAvailability>;
  /** @throws AppError INVALID_INPUT when the environment of the call is refused */
  place(request: HostPlaceRequest): Promise<HostPlace>;
  /** Shell and options in front of a text that runs as typed, for the prompt; without the option before the text. */
  shellLabel(place: HostPlace): string;
  prepare(request: HostRunRequest): Promise<PreparedRun>;
}
