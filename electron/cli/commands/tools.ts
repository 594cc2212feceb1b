/** `sallyport tools`: gate one from a terminal. Which tools an agent or a client may know, and why not the others. */

import { Command } from "commander";
import { AppError } from "../../../shared/errors/index.ts";
import { describeReason, describeRule, explainAbsence } from "../../../shared/policy/index.ts";
import type { PolicyContext, PolicyTrace } from "../../../shared/policy/types.ts";
import { type Access, openAccess } from "../access.ts";
import { brokenConfigText } from "../brokenConfig.ts";
import { type CliContext, print } from "../context.ts";
import { safeLine } from "../io.ts";

interface ContextOptions {
  agent?: string;
  client?: string;
  channel?: string;
  provider?: string;
  model?: string;
  session?: string;
  owner?: boolean;
  json?: boolean;
}

export function toolsCommand(context: CliContext): Command {
  return new Command("tools")
    .description("Which tools may be known (gate one), and which rule decides")
    .addCommand(
      withContext(new Command("list").description("List the tools that pass every stage")).action(
        (options: ContextOptions) => list(context, options),
      ),
    )
    .addCommand(
      withContext(
        new Command("explain")
          .description("Say which gate, rule and line decide about a tool")
          .argument("<name>"),
      ).action((name: string, options: ContextOptions) => explain(context, name, options)),
    );
}

function withContext(command: Command): Command {
  return command
    .option("--agent <id>", "agent; absent: the default agent")
    .option("--client <name>", "an MCP client, by name or id, with its mapping")
    .option("--channel <name>", "message channel of the session")
    .option("--provider <name>", "model provider")
    .option("--model <name>", "model")
    .option("--session <key>", "session key")
    .option("--owner", "the sender is the owner")
    .option("--json", "print JSON");
}

async function list(context: CliContext, options: ContextOptions): Promise<void> {
  const access = await openAccess(context.io, context.version);
  try {
    const result = await access.rpc.call("policy.explain", { context: await contextOf(access, options) });
    print(context, options.json, result, result.tools.length === 0 ? ["No tool passes."] : result.tools);
  } finally {
    await access.close();
  }
}

async function explain(context: CliContext, name: string, options: ContextOptions): Promise<void> {
  const access = await openAccess(context.io, context.version);
  try {
    const { trace, positions, preset } = await access.rpc.call("policy.trace", {
      context: await contextOf(access, options),
    });
    const row = trace.rows.find((candidate) => candidate.name === name);
    if (row === undefined) {
      throw new AppError(
        "NOT_FOUND",
        `There is no tool ${name} in the catalog. \`sallyport tools list\` shows names.`,
      );
    }
    const rules = trace.rules.filter((rule) => row.cells.some((cell) => cell.ruleIds?.includes(rule.id)));
    const value = {
      tool: name,
      gate: 1,
      preset,
      agentId: trace.result.agentId,
      verdict: row.verdict,
      cells: row.cells,
      rules,
      positions,
    };
    const broken = brokenConfigText((await access.rpc.call("app.status", {})).config);
    const answer = broken === undefined ? value : { ...value, brokenConfig: broken };
    print(context, options.json, answer, [
      ...(broken === undefined ? [] : [`Answered ${broken}.`]),
      ...explainLines(name, trace, positions),
    ]);
  } finally {
    await access.close();
  }
}

type Positions = Record<string, { line: number; column: number }>;

function explainLines(name: string, trace: PolicyTrace, positions: Positions): string[] {
  const row = trace.rows.find((candidate) => candidate.name === name);
  if (row === undefined) return [];
  const { verdict } = row;
  const who = `agent ${trace.result.agentId ?? "(none)"}`;
  if (verdict.kind === "absent") {
    return [
      `${name} is not present here.`,
      `  why   ${safeLine(explainAbsence(verdict.reason, verdict.params))}`,
    ];
  }
  if (verdict.kind === "kept") {
    return [
      `${name} passes gate one (tool policy) for ${who}.`,
      ...(name === "exec" ? ['Gate two decides each command: `sallyport exec explain "COMMAND"`.'] : []),
    ];
  }
  const index = trace.columns.findIndex((column) => column.id === verdict.column);
  const cell = row.cells[index];
  const label = trace.columns[index]?.label ?? verdict.column;
  const lines = [`${name} is removed by gate one (tool policy) for ${who}, at stage ${label}.`];
  if (cell?.why !== undefined) lines.push(`  why   ${safeLine(describeReason(cell.why))}`);
  for (const id of cell?.ruleIds ?? []) {
    const rule = trace.rules.find((candidate) => candidate.id === id);
    if (rule === undefined) continue;
    const position = positions[rule.path];
    const place =
      position === undefined ? "" : ` (openclaw.json line ${position.line}, column ${position.column})`;
    lines.push(`  rule  ${safeLine(describeRule(rule))}${place}`);
  }
  lines.push("  For the client this tool does not exist; calling it answers as an unknown tool.");
  return lines;
}

async function contextOf(access: Access, options: ContextOptions): Promise<PolicyContext> {
  const client = options.client === undefined ? null : await clientContext(access, options.client);
  // A session key names its agent; without one a person means the default agent.
  const agentId =
    options.agent ??
    (client === null && options.session === undefined ? await defaultAgent(access) : undefined);
  return {
    surface: "model",
    ...client,
    ...(agentId === undefined ? {} : { agentId }),
    ...(options.channel === undefined ? {} : { channel: options.channel }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.session === undefined ? {} : { sessionKey: options.session }),
    ...(options.owner === undefined ? {} : { senderIsOwner: options.owner }),
  };
}

async function defaultAgent(access: Access): Promise<string | undefined> {
  const { agents } = await access.rpc.call("policy.contexts", {});
  return agents.find((agent) => agent.isDefault)?.id;
}

async function clientContext(access: Access, name: string): Promise<PolicyContext> {
  const { clients } = await access.rpc.call("clients.list", {});
  const client =
    clients.find((candidate) => candidate.id === name) ?? clients.find((each) => each.name === name);
  if (client === undefined) {
    throw new AppError("NOT_FOUND", `There is no MCP client ${name}.`);
  }
  if (client.mapping === "unmapped") {
    throw new AppError(
      "UNAVAILABLE",
      `${client.name} is not mapped to an agent yet: it knows only what profile minimal names (${client.effectiveTools.join(", ") || "nothing"}). Map it in the panel under Clients.`,
    );
  }
  return {
    surface: "mcp",
    agentId: client.agentId,
    sessionKey: client.sessionKey,
    senderIsOwner: client.isOwner,
    ...(client.provider === null ? {} : { provider: client.provider }),
    ...(client.model === null ? {} : { model: client.model }),
  };
}
