/** `sallyport skills list|run`: what skills an agent has, and `/<skill> args` from a terminal. */

import { Command } from "commander";
import type { SkillView } from "../../../shared/contract/index.ts";
import { englishReason } from "../../../shared/text/english.ts";
import { englishReplyWords, skillReply } from "../../../shared/text/skillReply.ts";
import { type Access, openAccess } from "../access.ts";
import { type CliContext, print } from "../context.ts";
import { safeLine, safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

interface SkillOptions {
  agent?: string;
  session?: string;
  json?: boolean;
}

interface Asked {
  skill: string;
  args: string;
  agentId?: string;
  sessionKey?: string;
}

export function skillsCommand(context: CliContext): Command {
  return new Command("skills")
    .description("Skills of an agent, and their commands")
    .addCommand(
      withPlace(
        new Command("list").description("Show each skill, what its command calls, or why it calls nothing"),
      ).action((options: SkillOptions) => list(context, options)),
    )
    .addCommand(
      withPlace(
        new Command("run")
          .description(
            "Call the tool of a skill's command with a text; policy and approval count as for any call",
          )
          .argument("<name>", "name of the skill, or its command")
          .argument("[args...]", "the text, handed on as typed; behind -- it may begin with a dash")
          .configureOutput({ outputError: (text, write) => write(withDashHint(text)) }),
      ).action((name: string, words: string[], options: SkillOptions) => run(context, name, words, options)),
    );
}

/** A text that begins with a dash looks like an option. */
function withDashHint(error: string): string {
  return error.startsWith("error: unknown option")
    ? `${error}Put -- before a text that begins with a dash.\n`
    : error;
}

function withPlace(command: Command): Command {
  return command
    .option("--agent <id>", "agent; absent: the session's, or the default agent")
    .option("--session <key>", "session key; absent: a session of your own with the agent")
    .option("--json", "print JSON");
}

const placeOf = ({ agent, session }: SkillOptions) => ({
  ...(agent === undefined ? {} : { agentId: agent }),
  ...(session === undefined ? {} : { sessionKey: session }),
});

async function list(context: CliContext, options: SkillOptions): Promise<void> {
  const access = await openAccess(context.io, context.version);
  try {
    const answer = await access.rpc.call("skills.list", placeOf(options));
    const { agentId, skills } = answer;
    print(
      context,
      options.json,
      answer,
      skills.length === 0
        ? [
            `Agent ${agentId} has no skill. A skill is a folder with a SKILL.md below skills/ in its workspace.`,
          ]
        : skills.flatMap(linesOf),
    );
  } finally {
    await access.close();
  }
}

function linesOf({ name, commandName, description, command }: SkillView): string[] {
  const what =
    command.kind === "ready"
      ? `/${commandName} calls ${command.tool}`
      : command.kind === "unreachable"
        ? `/${commandName} would call ${command.tool}: ${englishReason(command.reason)}`
        : `no command: ${englishReason(command.reason)}`;
  return [
    `${safeLine(name)}  ${safeLine(what)}`,
    ...(description === null ? [] : [`  ${safeLine(description)}`]),
  ];
}

async function run(context: CliContext, name: string, words: string[], options: SkillOptions): Promise<void> {
  const { io } = context;
  // The call is the owner's: an agent must not make it through a command line.
  refuseSelfApproval(io.env, "call the command of a skill as the operator");
  const access = await openAccess(io, context.version);
  try {
    const asked = { ...placeOf(options), skill: name, args: words.join(" ") };
    const answer = await runToTheEnd(context, access, asked);
    const reply = skillReply(answer, englishReplyWords);
    if (reply.isError) context.exitCode = 1;
    const { state } = answer.call;
    // Whoever calls only learns that it is not there; the operator, who is here, also why.
    const why = state.kind === "hidden" ? ` (${safeLine(englishReason(state.reason))})` : "";
    print(context, options.json, { ...answer, reply }, [`${safeText(reply.text)}${why}`]);
  } finally {
    await access.close();
  }
}

/** Waits for the end, says when a person is waited for, and cancels the call when this command is ended. */
async function runToTheEnd({ io }: CliContext, { rpc }: Access, asked: Asked) {
  // Heard from before the call begins: it may wait before its id is known here.
  const waiting = new Set<string>();
  let ownId: string | null = null;
  let isTold = false;
  const tell = () => {
    if (isTold || ownId === null || !waiting.has(ownId)) return;
    isTold = true;
    io.stderr("Waits for approval: decide in the panel, or with `sallyport approvals`.\n");
  };
  const off = rpc.on("calls.changed", (call) => {
    if (call.state.kind === "awaitingApproval") waiting.add(call.toolCallId);
    tell();
  });
  try {
    const { toolCallId } = await rpc.call("skills.run", asked);
    ownId = toolCallId;
    tell();
    return await rpc.call("calls.wait", { toolCallId }, { signal: io.signal });
  } catch (error) {
    if (ownId !== null && io.signal.aborted) await rpc.call("calls.cancel", { toolCallId: ownId });
    throw error;
  } finally {
    off();
  }
}
