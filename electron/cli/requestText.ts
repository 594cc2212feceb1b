/** An approval request as text for a terminal: everything that its digest covers, with nothing hidden. */

import type { ApprovalRequest } from "../../shared/contract/index.ts";
import { partsText } from "./commands/grants.ts";
import { reasonText, untilText } from "./context.ts";
import { safeLine, safeText } from "./io.ts";

/** @returns one line: id, agent, time left, command */
export function requestSummary(request: ApprovalRequest): string {
  const command = safeLine(request.command);
  return `${request.id.slice(0, 8)}  ${safeLine(request.agentId)}  ${untilText(request.expiresAtMs)}  ${command}`;
}

/** @returns all of the request, one fact per line; text of the agent is made harmless */
export function requestLines(request: ApprovalRequest): string[] {
  const lines = [
    `Request ${request.id}`,
    `  from      ${safeLine(request.callerLabel)} (${safeLine(request.callerId)}), agent ${safeLine(request.agentId)}, session ${safeLine(request.sessionKey)}`,
    ...(request.editedFrom === undefined ? [] : blockLines("asked for", request.editedFrom)),
    ...blockLines("command", request.command),
    ...(request.runsAs.kind === "typed"
      ? [`  runs as   typed, through ${safeLine(request.runsAs.shell)}`]
      : blockLines("runs as", request.runsAs.text)),
    `  in        ${safeLine(request.cwd)} on ${request.host}`,
    `  how       ${[request.pty ? "terminal" : "pipes", request.background ? "in the background" : "in the foreground", request.timeoutMs === null ? "no time limit" : `at most ${request.timeoutMs / 1000} s`].join(", ")}`,
  ];
  for (const variable of request.env)
    lines.push(
      `  env       ${safeLine(variable.name)}=${safeLine(variable.shown)}${variable.length === undefined ? "" : ` (masked, ${variable.length} characters)`}`,
    );
  for (const segment of request.segments ?? []) {
    lines.push(`  part      ${segment.argv.map((word) => JSON.stringify(safeLine(word))).join(" ")}`);
    const program = segment.realPath ?? segment.resolvedPath;
    lines.push(
      `            ${program === null ? "no such program" : safeLine(program)}: ${reasonText(segment.reason)}`,
    );
    if (segment.sha256 !== null) lines.push(`            sha256 ${segment.sha256}`);
  }
  if (request.analysisProblem !== null) {
    lines.push(`  not understood: ${reasonText(request.analysisProblem.reason)}`);
  }
  for (const why of request.askedBecause) lines.push(`  asked     ${reasonText(why)}`);
  for (const warning of request.warnings)
    lines.push(`  ${warning.level.padEnd(9)} ${reasonText(warning.reason)}`);
  lines.push(`  rule      security ${request.rule.security}, ask ${request.rule.ask}`);
  if (request.always.kind === "offered") {
    for (const entry of request.always.stores) {
      lines.push(`  always    would store ${safeLine(entry.pattern)} for agent ${safeLine(entry.agentId)}`);
    }
    if (request.always.storesWithheld !== undefined)
      lines.push(`  always    no entry: ${reasonText(request.always.storesWithheld)}`);
    for (const scope of request.always.scopes ?? []) {
      const place = scope.cwd === null ? "in any folder" : `in ${safeLine(scope.cwd)}`;
      const can = scope.abilities.length === 0 ? "" : `, can ${scope.abilities.join(" ")}`;
      lines.push(`  scope     ${scope.id}: ${scope.stores.map(partsText).join(" + ")} ${place}${can}`);
      for (const file of scope.pinnedFiles) lines.push(`            while ${safeLine(file)} stays as it is`);
    }
    if (request.always.scopesWithheld !== undefined)
      lines.push(`  scope     none: ${reasonText(request.always.scopesWithheld)}`);
  } else {
    lines.push(`  always    not offered: ${reasonText(request.always.reason)}`);
  }
  lines.push(
    `  unanswered in ${untilText(request.expiresAtMs)}: ${request.onExpiry === "run" ? "it runs" : "denied"}`,
  );
  lines.push(`  digest    ${request.digest}`);
  return lines;
}

function blockLines(label: string, text: string): string[] {
  return safeText(text)
    .split("\n")
    .map((line, index) => `  ${(index === 0 ? label : "").padEnd(9)} ${line}`);
}
