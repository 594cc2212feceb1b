/** A restart as a person sees it before deciding: what would end, and why the agent asks. */

import { clip } from "../../../../shared/files/index.ts";
import type { ApprovalDraft } from "../../approvals/createApprovals.ts";
import type { ToolCallContext } from "../defineTool.ts";
import { onceOnly } from "./draftParts.ts";

export interface RestartFacts {
  /** Commands that run, in the foreground or in the background. */
  processes: number;
  browsers: number;
  /** Calls that are not finished, without the one that asks. */
  openCalls: number;
}

export function draftOfRestart(
  request: { delayMs: number; reason: string | undefined; note: string | undefined },
  facts: RestartFacts,
  stateDir: string,
  context: ToolCallContext,
): ApprovalDraft {
  const { processes, browsers, openCalls } = facts;
  return {
    ...onceOnly(context, { code: "always.restart", params: {} }),
    kind: "restart",
    command: [
      "gateway: restart Sallyport",
      `running commands that end: ${processes}`,
      `browsers that close: ${browsers}`,
      `open calls that it waits for: ${openCalls}`,
      `after: ${request.delayMs} ms`,
      ...(request.reason === undefined ? [] : [`reason: ${oneLine(request.reason)}`]),
      ...(request.note === undefined ? [] : [`note: ${oneLine(request.note)}`]),
    ].join("\n"),
    cwd: stateDir,
    askedBecause: [{ code: "restart", params: { count: processes } }],
    rule: {
      security: "allowlist",
      ask: "always",
      sources: [
        { file: "sallyport.json5", configPath: 'hardening.rules["gateway.restartAsks"]', line: null },
      ],
    },
  };
}

/** A line break in a text of the agent must not look like a line of the prompt. */
function oneLine(text: string): string {
  const short = clip(text, 500);
  return /[\u0000-\u001F\u007F\u2028\u2029]/.test(short) ? JSON.stringify(short) : short;
}
