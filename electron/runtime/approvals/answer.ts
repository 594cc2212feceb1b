/** Checks an allow against what was shown, and carries out what comes with it (A6, A11, A14). */

import type { ApprovalOutcome, ApprovalRequest, Provenance } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { ApprovalDesk, EditedRun, ShownDraft } from "./approvalDesk.ts";
import type { ApprovalDraft, ResolveInput } from "./createApprovals.ts";
import { digestOf } from "./digest.ts";

/** A waiting request with what it can do. */
export interface Answerable {
  request: ApprovalRequest;
  storeAlways: ApprovalDraft["storeAlways"];
  desk: ApprovalDesk | undefined;
}

/** What is on record with a decision. */
export interface SettleExtra {
  note?: string;
  stored?: { pattern: string; agentId: string }[];
  edited?: EditedRun;
  grantId?: string;
}

/** Checks an allow against what was shown, and does what comes with it. @throws AppError and leaves the request waiting */
export async function allow(
  entry: Answerable,
  input: ResolveInput,
  by: Extract<Provenance, { kind: "person" }>,
): Promise<{ outcome: ApprovalOutcome; by: Provenance; extra: SettleExtra }> {
  const { request } = entry;
  const isEdited = input.editedCommand !== undefined && input.editedCommand !== request.command;
  if (input.decision === "allow-once") {
    if (input.grant !== undefined) throw misuse("A grant is saved with allow-always only.");
    if (!isEdited) {
      checkDigest(request, input.digest);
      return { outcome: "allowed-once", by, extra: {} };
    }
    const edit = await editDeskOf(entry).edit(input.editedCommand ?? "");
    if (edit.kind === "refused")
      throw new AppError("FORBIDDEN", edit.message, { data: { reason: edit.reason.code } });
    checkDigest(editedRequest(entry, edit.shown), input.digest);
    return { outcome: "allowed-once", by, extra: { edited: edit.run } };
  }
  if (isEdited) throw misuse("An edited command can only be allowed once.");
  checkDigest(request, input.digest);
  const { always } = request;
  if (always.kind === "withheld")
    throw new AppError(
      "INVALID_INPUT",
      "Always is not offered for this request, because nothing that could match later may be stored.",
      { data: { reason: always.reason.code } },
    );
  if (input.grant !== undefined) {
    const { scopeId, lifetime } = input.grant;
    const grantId = await deskOf(entry).saveGrant(scopeId, lifetime, by.principalId);
    return { outcome: "allowed-always", by, extra: { grantId } };
  }
  if (always.stores.length === 0 && always.mcpTool === undefined)
    throw misuse("No entry of the approvals file can hold this. Choose a scope for a grant.");
  return { outcome: "allowed-always", by, extra: { stored: await entry.storeAlways(by.principalId) } };
}

/** The request as it would be shown with the edited command; its digest covers the original as well. */
export function editedRequest(entry: Answerable, edited: ShownDraft): ApprovalRequest {
  const { id, createdAtMs, expiresAtMs, command, joinedCount } = entry.request;
  if (edited.command === command) return entry.request;
  const shown = { ...edited, id, createdAtMs, expiresAtMs, editedFrom: command };
  return { ...shown, digest: digestOf(shown), joinedCount };
}

export function deskOf(entry: Answerable): ApprovalDesk {
  if (entry.desk !== undefined) return entry.desk;
  throw misuse("This request knows neither grants nor editing. Allow it once or deny it.");
}

/** Only a command may be changed before it runs: a change of files or rules is decided as it was asked for (A14). */
export function editDeskOf(entry: Answerable): ApprovalDesk {
  const { kind, canEdit } = entry.request;
  if (kind === "exec" && canEdit === true) return deskOf(entry);
  throw misuse("This request cannot be edited. Allow it once as it is, or deny it with a note.");
}

function misuse(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { data: { reason: "APPROVAL_MISUSE" } });
}

export function noLongerWaits(id: string): AppError {
  return new AppError(
    "NOT_FOUND",
    "This request no longer waits: it was decided, expired or cancelled. Nothing was changed.",
    { data: { reason: "APPROVAL_NOT_FOUND", id } },
  );
}

function checkDigest(request: ApprovalRequest, digest: string | undefined): void {
  if (digest === undefined) {
    throw new AppError(
      "FORBIDDEN",
      "An allow must carry the digest of what was shown. Decide in Sallyport's panel or with its CLI.",
      {
        data: { reason: "DIGEST_REQUIRED" },
      },
    );
  }
  if (digest !== request.digest) {
    throw new AppError(
      "INVALID_INPUT",
      "The request changed after it was shown. Nothing was run; look at it again.",
      {
        data: { reason: "APPROVAL_STALE", id: request.id },
      },
    );
  }
}
