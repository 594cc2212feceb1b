/** Reads the recorded policy cases and turns their inputs into what the engine takes. */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { PolicyContext, RegisteredTool } from "../../../shared/policy/types.ts";

export type Json = Record<string, unknown>;

export interface PolicyCase {
  id: string;
  kind: string;
  why: string;
  input: Json;
  expect: Json;
}

export function readPolicyCases(): PolicyCase[] {
  const dir = process.env.VECTORS_DIR ?? path.join(import.meta.dirname, "..", "..", "vectors");
  return JSON.parse(readFileSync(path.join(dir, "policy.json"), "utf8")).cases;
}

const contextKeys = [
  "agentId",
  "sessionKey",
  "provider",
  "model",
  "modelApi",
  "channel",
  "groupId",
  "groupChannel",
  "groupSpace",
  "accountId",
  "senderId",
  "senderName",
  "senderUsername",
  "senderE164",
  "spawnedBy",
  "sandboxed",
  "senderIsOwner",
] as const;

/** The context of a pipeline case; a depth stands for a session key of that depth without a stored role. */
export function contextOf(input: Json): PolicyContext {
  const context: Json = {};
  for (const key of contextKeys)
    if (input[key] !== undefined && input[key] !== null) context[key] = input[key];
  const depth = input.subagentDepth;
  if (typeof depth === "number" && depth > 0) {
    const tail = Array.from({ length: depth }, (_, index) => `:subagent:t${index + 1}`).join("");
    context.sessionKey = `agent:${context.agentId ?? "main"}${tail}`;
  }
  return { ...context, surface: "model" } as PolicyContext;
}

interface RecordedPluginTool {
  name: string;
  pluginId: string;
  optional?: boolean;
  ownerOnly?: boolean;
}

/** Core tools, then plugin tools, in the order of the case. */
export function toolsOf(input: Json): RegisteredTool[] {
  const core = (input.coreTools as string[] | undefined) ?? [];
  const plugins = (input.pluginTools as RecordedPluginTool[] | undefined) ?? [];
  return [
    ...core.map((name): RegisteredTool => ({ name, owner: { kind: "core" } })),
    ...plugins.map(
      ({ name, pluginId, optional, ownerOnly }): RegisteredTool => ({
        name,
        owner: { kind: "plugin", pluginId },
        ...(optional === undefined ? {} : { optional }),
        ...(ownerOnly === undefined ? {} : { ownerOnly }),
      }),
    ),
  ];
}
