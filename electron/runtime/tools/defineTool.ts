/** The shape of every tool: one folder, one schema, one execute. Adding a tool changes no policy code. */

import { z } from "zod";
import type { Provenance, Reason } from "../../../shared/contract/index.ts";
import type { ToolOwner } from "../../../shared/policy/index.ts";

export type ToolContent = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** What a tool gives back: `content` for the model, `details` for the panel and for structured clients. */
export interface ToolResult {
  content: ToolContent[];
  details?: unknown;
  /** The call ran and its outcome is a failure that the model should see as one. */
  isError?: boolean;
  /** Nothing was done, by decision: `content` then says so for the model and carries no output. */
  refusal?: ToolRefusal;
}

/** Why a call that passed gate one was not carried out. */
export type ToolRefusal =
  | { kind: "denied"; by: Provenance; reason: Reason; note: string | null; approvalId: string | null }
  | { kind: "expired"; approvalId: string }
  | { kind: "cancelled" };

/** Who asked, on behalf of which agent. Fixed when the call starts. */
export interface ToolCallContext {
  toolCallId: string;
  agentId: string;
  sessionKey: string;
  /** `mcp:<clientId>`, `panel:main`, `cli`: for prompts and the ledger. */
  callerId: string;
  /** A name for a person to read. */
  callerLabel: string;
  senderIsOwner: boolean;
  /** Whether `process` passes the policy of this session, so that exec may leave commands running. */
  canBackground: boolean;
  /** Aborts on cancel, disconnect and shutdown. */
  signal: AbortSignal;
  /** Short progress text; bounded and rate limited by the receiver. */
  reportProgress(text: string): void;
  /** Marks the call as waiting for a person (and back), so that its state and the ledger say so. */
  reportWaiting(waiting: { approvalId: string } | null): void;
  /** Whether policy would let this call through now; absent: it is not asked again. */
  isStillVisible?(): boolean;
}

export interface ToolDefinition<Input extends z.ZodType = z.ZodType> {
  /** Name in the catalog, lower case. */
  name: string;
  title: string;
  /** Own words, for the model: what it does, when to use it, its limits. */
  description: string;
  /** One line for a prompt's tool list. */
  promptLine: string;
  /** `read` changes nothing; `write` changes files or state; `execute` runs programs. */
  risk: "read" | "write" | "execute";
  input: Input;
  /** Parameters as JSON Schema when somebody else defined them; absent: made from `input`. */
  inputSchemaJson?: Record<string, unknown>;
  /** Who brings the tool, for policy lists; absent: the core. */
  owner?: ToolOwner;
  ownerOnly?: boolean;
  execute(input: z.output<Input>, context: ToolCallContext): Promise<ToolResult>;
}

/** Ties `execute` to the schema's type. */
export function defineTool<Input extends z.ZodType>(tool: ToolDefinition<Input>): ToolDefinition<Input> {
  return tool;
}

/** @returns the tool's parameters as a JSON Schema object without the `$schema` key */
export function inputJsonSchema(tool: ToolDefinition): Record<string, unknown> {
  if (tool.inputSchemaJson !== undefined) return tool.inputSchemaJson;
  const { $schema: _ignored, ...schema } = z.toJSONSchema(tool.input, { io: "input" }) as Record<
    string,
    unknown
  >;
  return schema;
}

export function textResult(text: string, details?: unknown): ToolResult {
  return { content: [{ type: "text", text }], ...(details === undefined ? {} : { details }) };
}

/** The usual answer of a tool that gives data: the same payload as text for the model and as details. */
export function jsonResult(payload: unknown): ToolResult {
  return textResult(JSON.stringify(payload, null, 2), payload);
}
