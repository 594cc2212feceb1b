/** `sallyport approvals grants`: what may run without asking beyond the approvals file, and how to end it. */

import { Command } from "commander";
import type { GrantPart, GrantView } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { openAccess } from "../access.ts";
import { type CliContext, print, reasonText, untilText } from "../context.ts";
import { safeLine } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

export function grantsCommand(context: CliContext): Command {
  return new Command("grants")
    .description("Grants that were saved with a decision")
    .addCommand(listCommand(context))
    .addCommand(revokeCommand(context));
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("Show every grant that counts now")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const result = await access.rpc.call("grants.list", {});
        print(
          context,
          json,
          result,
          result.grants.length === 0 ? ["No grants."] : result.grants.flatMap(grantLines),
        );
      } finally {
        await access.close();
      }
    });
}

function revokeCommand(context: CliContext): Command {
  return new Command("revoke")
    .description("End a grant at once")
    .argument("<id>", "id of the grant, or an unambiguous beginning of it")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "change what may run");
      const access = await openAccess(context.io, context.version);
      try {
        const { grants } = await access.rpc.call("grants.list", {});
        const grant = pick(grants, id);
        const result = await access.rpc.call("grants.revoke", { id: grant.id });
        print(context, json, result, [
          result.revoked ? `Revoked ${grant.id.slice(0, 8)}.` : "It had ended already.",
        ]);
      } finally {
        await access.close();
      }
    });
}

function pick(grants: GrantView[], id: string): GrantView {
  const matches = grants.filter((grant) => grant.id === id || (id.length >= 4 && grant.id.startsWith(id)));
  const [only] = matches;
  if (only === undefined)
    throw new AppError("NOT_FOUND", `There is no grant ${id}: it was revoked, has ended, or never was.`);
  if (matches.length > 1)
    throw new AppError("INVALID_INPUT", `${id} is not enough to name one grant. Give more of its id.`);
  return only;
}

function grantLines(grant: GrantView): string[] {
  const until = grant.expiresAtMs === null ? "until revoked" : untilText(grant.expiresAtMs);
  const lines = [
    `${grant.id.slice(0, 8)}  ${grant.agentId === "*" ? "all agents" : `agent ${grant.agentId}`}  ${grant.keptIn === "memory" ? "ends with the session" : until}`,
    ...grant.stores.map((parts) => `          ${partsText(parts)}`),
  ];
  if (grant.cwd !== null) lines.push(`          in ${safeLine(grant.cwd)}`);
  if (grant.sessionKey !== null) lines.push(`          session ${safeLine(grant.sessionKey)}`);
  lines.push(
    grant.lastUsedAtMs === null
      ? "          never used"
      : `          used ${grant.useCount} times since start, last ${new Date(grant.lastUsedAtMs).toISOString()}`,
  );
  for (const finding of grant.findings) lines.push(`          ! ${reasonText(finding)}`);
  return lines;
}

/** @returns what one grant holds on one line; `‹word›` may vary, `…` stands for any arguments */
export function partsText(parts: readonly GrantPart[]): string {
  return parts
    .map((part) => {
      if (part.kind === "hole") return "‹word›";
      if (part.kind === "any") return "…";
      if (part.kind === "program") return `[${safeLine(part.text)}]`;
      return part.kind === "operator" ? part.text : JSON.stringify(safeLine(part.text));
    })
    .join(" ");
}
