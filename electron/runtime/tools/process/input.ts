/** The actions of the process tool that send something to a command. */

import { encodeKeys, encodePaste } from "../../../../shared/exec/keys.ts";
import type { ExecSessions, SessionInfo, WriteAnswer } from "../../exec/sessions/index.ts";
import { type ToolResult, textResult } from "../defineTool.ts";
import { failed } from "./answers.ts";
import type { ProcessInput } from "./schema.ts";

/** What an action sends, or why it sends nothing. */
type Outgoing =
  | { kind: "send"; data: string | Uint8Array; eof: boolean; warnings: string[] }
  | { kind: "refused"; reason: string };

export function sendInput(sessions: ExecSessions, input: ProcessInput, session: SessionInfo): ToolResult {
  const { sessionId, scopeKey, name } = session;
  if (session.status !== "running") return failed(`Session ${sessionId} has ended.`, { sessionId });
  if (session.stdin === "closed")
    return failed(
      `The stdin of session ${sessionId} is not writable. Start the command with pty: true to talk to it.`,
      { sessionId },
    );
  const outgoing = outgoingOf(sessions, input, session);
  if (outgoing.kind === "refused") return failed(outgoing.reason, { sessionId });
  const answer: WriteAnswer = sessions.write(sessionId, scopeKey, outgoing.data, { eof: outgoing.eof });
  if (!answer.ok) return failed(`Nothing was sent to session ${sessionId}: ${answer.reason}.`, { sessionId });
  const lines = [
    `Sent ${answer.bytes} ${answer.bytes === 1 ? "byte" : "bytes"} to session ${sessionId}${outgoing.eof ? " and closed its input" : ""}.`,
    ...outgoing.warnings.map((warning) => `Warning: ${warning}`),
  ];
  return textResult(lines.join("\n"), { status: "running", sessionId, name });
}

function outgoingOf(sessions: ExecSessions, input: ProcessInput, session: SessionInfo): Outgoing {
  switch (input.action) {
    case "submit":
      return { kind: "send", data: "\r", eof: false, warnings: [] };
    case "paste": {
      const text = input.text ?? "";
      if (text === "") return { kind: "refused", reason: "There is nothing to paste: text is empty." };
      return {
        kind: "send",
        data: encodePaste(text, input.bracketed !== false),
        eof: false,
        warnings: [],
      };
    }
    case "send-keys":
      return encodedKeys(sessions, input, session);
    default: {
      const data = input.data ?? "";
      if (data === "" && input.eof !== true)
        return { kind: "refused", reason: "There is nothing to write: data is empty." };
      return { kind: "send", data, eof: input.eof === true, warnings: [] };
    }
  }
}

function encodedKeys(sessions: ExecSessions, input: ProcessInput, session: SessionInfo): Outgoing {
  // Plain pipes have no cursor-key mode; there the ordinary sequences are right.
  const cursorMode = session.pty
    ? (sessions.cursorKeyMode(session.sessionId, session.scopeKey) ?? "unknown")
    : "normal";
  // Each part on its own: bytes are given as they are, text and keys as UTF-8.
  const literal = encodeKeys({ literal: input.literal, cursorMode });
  const hex = encodeKeys({ hex: input.hex, cursorMode });
  const keys = encodeKeys({ keys: input.keys, cursorMode });
  const warnings = [...hex.warnings, ...keys.warnings];
  if (keys.refusedKeys.length > 0)
    return {
      kind: "refused",
      reason: `Nothing was sent: how ${keys.refusedKeys.join(", ")} must be sent depends on a mode that the program has not shown yet. Poll the session first, then send again.`,
    };
  const data = Buffer.concat([
    Buffer.from(literal.data),
    Buffer.from(hex.data, "latin1"),
    Buffer.from(keys.data),
  ]);
  if (data.length === 0)
    return { kind: "refused", reason: ["Nothing was sent: no key was given.", ...warnings].join(" ") };
  return { kind: "send", data, eof: false, warnings };
}
