/** Compares a run that claims an approval with what was approved; a once-approval is used up by its first run. */
import { envBindingHash, type HashText, type SystemRunPlan } from "./nodeBinding.ts";

export type NodeApprovalCode =
  | "MISSING_RUN_ID"
  | "UNKNOWN_APPROVAL_ID"
  | "APPROVAL_EXPIRED"
  | "APPROVAL_NODE_MISMATCH"
  | "APPROVAL_DEVICE_MISMATCH"
  | "APPROVAL_CLIENT_MISMATCH"
  | "APPROVAL_REQUEST_MISMATCH"
  | "APPROVAL_ENV_MISMATCH"
  | "APPROVAL_ENV_BINDING_MISSING"
  | "APPROVAL_REQUIRED";

export type NodeApprovalState =
  | { kind: "pending" }
  | { kind: "denied" }
  | { kind: "allowed"; isOnce: boolean }
  /** An allow-once whose run has started. */
  | { kind: "used" };

export interface NodeApproval {
  id: string;
  nodeId: string;
  /** Device that asked; null when it has none, then the connection counts. */
  deviceId: string | null;
  clientId: string | null;
  expiresAtMs: number;
  plan: SystemRunPlan;
  /** See `envBindingHash`; null = approved without overrides. */
  envHash: string | null;
  /** False for records made before overrides were bound: they cover none. */
  hasEnvBinding: boolean;
  state: NodeApprovalState;
}

export interface NodeRunClaim {
  /** Id of the approval. */
  runId: string | undefined;
  nodeId: string;
  deviceId: string | null;
  clientId: string | null;
  argv: readonly string[];
  cwd: string;
  agentId: string | null;
  sessionKey: string | null;
  env?: Readonly<Record<string, string>> | undefined;
}

export type NodeApprovalCheck =
  /** @property next what must be stored before the run starts */
  { ok: true; next: NodeApproval } | { ok: false; code: NodeApprovalCode; message: string };

const messages: Record<NodeApprovalCode, string> = {
  MISSING_RUN_ID: "The run names no approval. Send the approval's id as runId.",
  UNKNOWN_APPROVAL_ID: "There is no approval of this id. Ask for one.",
  APPROVAL_EXPIRED: "The approval has expired. Ask again.",
  APPROVAL_NODE_MISMATCH: "The approval is for another node. Ask for one for this node.",
  APPROVAL_DEVICE_MISMATCH: "The approval was asked for by another device. Ask from this one.",
  APPROVAL_CLIENT_MISMATCH: "The approval was asked for by another connection. Ask from this one.",
  APPROVAL_REQUEST_MISMATCH: "The command is not the one that was approved. Ask for this one.",
  APPROVAL_ENV_MISMATCH: "The environment overrides are not those that were approved. Ask for these.",
  APPROVAL_ENV_BINDING_MISSING: "The approval covers no environment overrides. Ask with them.",
  APPROVAL_REQUIRED: "This run needs an approval that is in force. Ask for one.",
};

/**
 * Pure: the caller stores `next` before it starts anything, so that two runs cannot share one approval.
 * @param find looks an approval up by its id
 */
export function checkNodeApproval(
  claim: NodeRunClaim,
  find: (id: string) => NodeApproval | undefined,
  context: { nowMs: number; hash: HashText },
): NodeApprovalCheck {
  const no = (code: NodeApprovalCode): NodeApprovalCheck => ({ ok: false, code, message: messages[code] });
  const id = claim.runId?.trim() ?? "";
  if (id === "") return no("MISSING_RUN_ID");
  const approval = find(id);
  if (approval === undefined) return no("UNKNOWN_APPROVAL_ID");
  if (context.nowMs >= approval.expiresAtMs) return no("APPROVAL_EXPIRED");
  if (claim.nodeId !== approval.nodeId) return no("APPROVAL_NODE_MISMATCH");
  if (approval.deviceId !== null) {
    if (claim.deviceId !== approval.deviceId) return no("APPROVAL_DEVICE_MISMATCH");
  } else if (approval.clientId === null || claim.clientId !== approval.clientId) {
    return no("APPROVAL_CLIENT_MISMATCH");
  }
  if (!isSameRun(claim, approval.plan)) return no("APPROVAL_REQUEST_MISMATCH");
  const envHash = envBindingHash(claim.env, context.hash);
  if (!approval.hasEnvBinding && envHash !== null) return no("APPROVAL_ENV_BINDING_MISSING");
  if (approval.hasEnvBinding && envHash !== approval.envHash) return no("APPROVAL_ENV_MISMATCH");
  const { state } = approval;
  if (state.kind !== "allowed") return no("APPROVAL_REQUIRED");
  return { ok: true, next: state.isOnce ? { ...approval, state: { kind: "used" } } : approval };
}

function isSameRun(claim: NodeRunClaim, plan: SystemRunPlan): boolean {
  return (
    claim.argv.length === plan.argv.length &&
    claim.argv.every((word, index) => word === plan.argv[index]) &&
    claim.cwd === plan.cwd &&
    claim.agentId === plan.agentId &&
    claim.sessionKey === plan.sessionKey
  );
}
