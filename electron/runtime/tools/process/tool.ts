/** The process tool: looks after commands that exec left running. */

import { defaultLogLimit, sliceLog } from "../../../../shared/exec/logSlice.ts";
import {
  compactDuration,
  type ExecSessions,
  type PollAnswer,
  type SessionInfo,
  scopeKeyFor,
} from "../../exec/sessions/index.ts";
import { whileNotAborted } from "../../net/abort.ts";
import { withProgress } from "../../net/slowProgress.ts";
import { defineTool, type ToolCallContext, type ToolResult, textResult } from "../defineTool.ts";
import { failed } from "./answers.ts";
import { maxListed, shownCommand, withinLogBudget } from "./budget.ts";
import { sendInput } from "./input.ts";
import { type ProcessInput, processInput } from "./schema.ts";

export interface ProcessToolDeps {
  sessions: ExecSessions;
  /** A scope that an agent's configuration names; absent = the session key, else the agent. */
  explicitScope?: (agentId: string) => string | undefined;
}

export function createProcessTool(deps: ProcessToolDeps) {
  return defineTool({
    name: "process",
    title: "Process",
    description:
      "Manages commands that exec left running in the background: list them, poll for new output, page through " +
      "their log, send input or keys to those with a terminal, end them. Sessions of other conversations are not visible. " +
      "Poll again only after the retryInMs of the last answer.",
    promptLine: "Manage background commands: list, poll, log, input, kill",
    risk: "execute",
    input: processInput,
    async execute(input, context) {
      const { agentId, sessionKey } = context;
      const explicit = deps.explicitScope?.(agentId);
      const scopeKey = scopeKeyFor({ agentId, sessionKey, ...(explicit === undefined ? {} : { explicit }) });
      if (input.action === "list") return listSessions(deps.sessions, scopeKey);
      const sessionId = input.sessionId?.trim() ?? "";
      if (sessionId === "") return failed(`The action ${input.action} needs a sessionId; list shows them.`);
      // One look: a session of another scope and one that does not exist answer alike.
      const session = deps.sessions.get(sessionId, scopeKey);
      if (session === undefined) return failed(`No session named ${sessionId}.`);
      return act(deps, input, session, context);
    },
  });
}

async function act(
  deps: ProcessToolDeps,
  input: ProcessInput,
  session: SessionInfo,
  context: ToolCallContext,
): Promise<ToolResult> {
  const { sessions } = deps;
  const { sessionId, scopeKey, name } = session;
  const slowly = <T>(doing: string, work: () => Promise<T>) =>
    withProgress(
      context.reportProgress,
      () => `${doing} ${name}`,
      () => whileNotAborted(work(), context.signal),
    );
  switch (input.action) {
    case "list":
      return listSessions(sessions, scopeKey);
    case "poll": {
      const timeoutMs = waitOf(input.timeout);
      const answer = await slowly("Waiting for", () =>
        sessions.poll(sessionId, scopeKey, { timeoutMs, signal: context.signal }),
      );
      return answer === undefined ? failed(`No session named ${sessionId}.`) : pollResult(answer);
    }
    case "log":
      return logResult(deps, input, session);
    case "write":
    case "send-keys":
    case "submit":
    case "paste":
      return sendInput(sessions, input, session);
    case "kill": {
      if (session.status !== "running") return failed(`Session ${sessionId} has already ended.`);
      const end = await slowly("Ending", () => sessions.kill(sessionId, scopeKey));
      const count = end?.endedPids.length ?? 0;
      const text =
        end === undefined || end.treeGone
          ? `Session ${sessionId} was ended; ${count} ${count === 1 ? "process is" : "processes are"} gone.`
          : `Session ${sessionId} was killed, but these processes are still there: ${end.remainingPids.join(", ")}.`;
      // "failed" is the verdict on the command, as a later poll gives it too.
      return failed(text, { sessionId, name });
    }
    case "clear":
      return sessions.clear(sessionId, scopeKey)
        ? textResult(`Session ${sessionId} was cleared.`, { status: "completed", sessionId })
        : failed(`Session ${sessionId} is still running; kill or remove it.`, { sessionId });
    case "remove":
      return (await slowly("Removing", () => sessions.remove(sessionId, scopeKey)))
        ? textResult(`Session ${sessionId} was removed.`, { status: "completed", sessionId })
        : failed(`No session named ${sessionId}.`);
  }
}

function listSessions(sessions: ExecSessions, scopeKey: string): ToolResult {
  const all = sessions.list(scopeKey);
  const list = all.slice(0, maxListed);
  const lines = list.map((session) =>
    [
      session.sessionId,
      session.status.padEnd(9),
      compactDuration(session.runtimeMs),
      "::",
      session.name,
      ...(session.state.kind === "outputHeld" ? ["(ended; its children hold the output)"] : []),
    ].join(" "),
  );
  if (all.length > list.length) {
    lines.push(`[${all.length - list.length} more are left out. Remove or clear some, then list again.]`);
  }
  return textResult(lines.length === 0 ? "No running or recent sessions." : lines.join("\n"), {
    status: "completed",
    sessions: list.map(detailsOf),
  });
}

function detailsOf(session: SessionInfo) {
  return {
    sessionId: session.sessionId,
    status: session.status,
    pid: session.pid,
    startedAt: session.startedAtMs,
    endedAt: session.endedAtMs,
    runtimeMs: session.runtimeMs,
    cwd: session.cwd,
    command: shownCommand(session.command),
    name: session.name,
    tail: session.tail,
    truncated: session.truncated,
    exitCode: session.exitCode,
    exitSignal: session.exitSignal,
  };
}

/** A number or a numeric text; anything else waits not at all. */
function waitOf(timeout: number | string | undefined): number {
  const value = typeof timeout === "string" ? Number(timeout.trim() || "0") : (timeout ?? 0);
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), 120_000) : 0;
}

function pollResult(answer: PollAnswer): ToolResult {
  const { session } = answer;
  const parts =
    answer.kind === "endedBefore"
      ? [session.tail.trimEnd()]
      : [answer.stdout.trimEnd(), answer.stderr.trimEnd()];
  const output = parts.filter((part) => part !== "").join("\n");
  const notes: string[] = [];
  if (answer.kind === "running") {
    notes.push("Process still running.");
    if (session.state.kind === "outputHeld")
      notes.push("The command itself has ended; processes it started still hold its output.");
  } else {
    notes.push(`Process exited with ${answer.endedBy}.`);
    if (answer.kind === "endedBefore" && answer.hasUnread)
      notes.push("This is only the end of its output; action log has the rest.");
  }
  if (session.truncated)
    notes.push("More was printed than is kept between polls; action log has the last part.");
  return textResult(`${output === "" ? "(no new output)" : output}\n\n${notes.join(" ")}`, {
    status: session.status,
    sessionId: session.sessionId,
    exitCode: session.exitCode,
    aggregated: answer.aggregated,
    name: session.name,
    ...(answer.kind === "running" ? { retryInMs: answer.retryInMs } : {}),
  });
}

function logResult(deps: ProcessToolDeps, input: ProcessInput, session: SessionInfo): ToolResult {
  const output = deps.sessions.output(session.sessionId, session.scopeKey);
  const isDefaultPage = input.offset === undefined && input.limit === undefined;
  const { slice, totalLines, totalChars } = sliceLog(output?.aggregated ?? "", {
    offset: input.offset,
    limit: isDefaultPage ? defaultLogLimit : input.limit,
  });
  const lines = slice === "" ? 0 : slice.split("\n").length;
  const isFromEnd = input.offset === undefined || input.offset === null;
  const first = isFromEnd ? totalLines - lines : Math.max(0, Math.floor(input.offset ?? 0));
  const { shown, note: cut } = withinLogBudget(slice, first);
  const notes = [
    ...(isDefaultPage && totalLines > defaultLogLimit
      ? [`[The last ${defaultLogLimit} of ${totalLines} lines. Earlier ones: offset (from 0) and limit.]`]
      : []),
    ...(cut === null ? [] : [cut]),
    ...(output?.truncated === true
      ? [`[The log keeps the last ${totalChars} characters; older output is gone.]`]
      : []),
  ];
  const note = notes.length === 0 ? "" : `\n\n${notes.join("\n")}`;
  return textResult(`${shown === "" ? "(no output)" : shown}${note}`, {
    status: session.status,
    sessionId: session.sessionId,
    total: totalLines,
    totalLines,
    totalChars,
    truncated: output?.truncated ?? false,
    exitCode: session.exitCode,
    exitSignal: session.exitSignal,
    name: session.name,
  });
}
