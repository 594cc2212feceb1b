/** An approval request as text for a terminal: everything that its digest covers, with nothing hidden. */

import type { ApprovalRequest, Reason } from "../../shared/contract/index.ts";
import { englishText } from "../../shared/text/english.ts";
import { changeSummary, changeText, listedChange } from "./changeText.ts";
import { partsText } from "./commands/grants.ts";
import { reasonText, untilText, withProgram } from "./context.ts";
import { safeLine, safeText } from "./io.ts";
import { mcpCallSummary } from "./mcpCallText.ts";
import { unseenLines } from "./unseenText.ts";

/** Of a change in a list of requests. */
const maxListedLines = 24;

/** @returns one line: id, agent, time left, and the command or what is to change */
export function requestSummary(request: ApprovalRequest): string {
  const what = isChange(request)
    ? changeSummary(request.command)
    : request.kind === "mcpCall"
      ? mcpCallSummary(request.command)
      : safeLine(request.command);
  return `${request.id.slice(0, 8)}  ${safeLine(request.agentId)}  ${untilText(request.expiresAtMs)}  ${what}`;
}

/** @returns the summary, why it is asked, and of a change the first lines; `resolve` shows all of a request */
export function listedRequest(request: ApprovalRequest): string[] {
  const [first] = request.askedBecause;
  const lines = [requestSummary(request)];
  if (first !== undefined) lines.push(`          ${partReason(request, first)}`);
  if (isChange(request)) {
    lines.push(...listedChange(request.command, maxListedLines).map((line) => `          ${line}`));
    lines.push(...unseenLines(request.command).map((line) => `          ! ${line}`));
  }
  return lines;
}

/** @returns all of the request, one fact per line; text of the agent is made harmless */
export function requestLines(request: ApprovalRequest): string[] {
  const lines = [
    `Request ${request.id}`,
    `  from      ${safeLine(request.callerLabel)} (${safeLine(request.callerId)}), agent ${safeLine(request.agentId)}, session ${safeLine(request.sessionKey)}`,
    ...(request.editedFrom === undefined ? [] : blockLines("asked for", request.editedFrom)),
    ...(isChange(request)
      ? labelled("change", changeText(request.command))
      : blockLines("command", request.command)),
    ...unseenLines(request.command).map((line) => `  unseen    ${line}`),
    ...howLines(request),
    ...partLines(request),
  ];
  if (request.analysisProblem !== null) {
    lines.push(`  not understood: ${reasonText(request.analysisProblem.reason)}`);
  }
  for (const why of request.askedBecause) lines.push(`  asked     ${partReason(request, why)}`);
  const warnings = request.warnings.map(
    ({ level, reason }) => `  ${level.padEnd(9)} ${partReason(request, reason)}`,
  );
  lines.push(
    // One per place would say the same thing over and over.
    ...new Set(warnings),
    request.kind === "mcpCall"
      ? "  rule      mcp.callsAsk"
      : `  rule      security ${request.rule.security}, ask ${request.rule.ask}`,
    ...alwaysLines(request.always),
    `  unanswered in ${untilText(request.expiresAtMs)}: ${request.onExpiry === "run" ? "it runs" : "denied"}`,
    `  digest    ${request.digest}`,
  );
  return lines;
}

/** The text holds heads and differences of files (or of the config), not a command. */
function isChange({ kind }: ApprovalRequest): boolean {
  return kind === "fileWrite" || kind === "configWrite";
}

/** Where and how a command runs; of anything else only where. */
function howLines(request: ApprovalRequest): string[] {
  // A call of an MCP server has no folder.
  if (request.kind === "mcpCall") return [];
  if (request.kind !== "exec") return [`  in        ${safeLine(request.cwd)} on ${request.host}`];
  const lines = [
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
  return lines;
}

function partLines({ segments }: ApprovalRequest): string[] {
  return (segments ?? []).flatMap((segment) => {
    const program = segment.realPath ?? segment.resolvedPath;
    const verdict = segment.verdict === "asks" ? "asks" : "passes";
    const why = reasonText(withProgram(segment.reason, segment.argv[0]));
    return [
      `  part      ${segment.argv.map((word) => JSON.stringify(safeLine(word))).join(" ")}`,
      `            ${program === null ? "no such program" : safeLine(program)}: ${verdict}, ${why}`,
      ...(segment.sha256 === null ? [] : [`            sha256 ${segment.sha256}`]),
    ];
  });
}

/** A reason that is about one part of the command names its program. */
function partReason({ segments }: ApprovalRequest, reason: Reason): string {
  const part = typeof reason.params.part === "number" ? segments?.[reason.params.part - 1] : undefined;
  return reasonText(withProgram(reason, part?.argv[0]));
}

function alwaysLines(always: ApprovalRequest["always"]): string[] {
  if (always.kind === "withheld")
    return [`  always    not offered: ${reasonText(always.reason, "withheld")}`];
  const lines = always.stores.map(
    (entry) => `  always    would store ${safeLine(entry.pattern)} for agent ${safeLine(entry.agentId)}`,
  );
  if (always.storesWithheld !== undefined)
    lines.push(`  always    no entry: ${reasonText(always.storesWithheld, "withheld")}`);
  if (always.mcpTool !== undefined) {
    const { agentId, server, tool } = always.mcpTool;
    lines.push(
      `  always    would let agent ${safeLine(agentId)} call ${safeLine(tool)} of ${safeLine(server)} while its definition stays as it is`,
    );
  }
  for (const scope of always.scopes ?? []) {
    const place = scope.cwd === null ? "in any folder" : `in ${safeLine(scope.cwd)}`;
    const abilities = scope.abilities.map((ability) => safeLine(englishText(`ability.${ability}`)));
    const can = abilities.length === 0 ? "" : `, can ${abilities.join(", ")}`;
    lines.push(`  scope     ${scope.id}: ${scope.stores.map(partsText).join(" + ")} ${place}${can}`);
    for (const file of scope.pinnedFiles) lines.push(`            while ${safeLine(file)} stays as it is`);
  }
  if (always.scopesWithheld !== undefined)
    lines.push(`  scope     none: ${reasonText(always.scopesWithheld, "withheld")}`);
  return lines;
}

function blockLines(label: string, text: string): string[] {
  return labelled(label, safeText(text).split("\n"));
}

function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : "").padEnd(9)} ${line}`);
}
