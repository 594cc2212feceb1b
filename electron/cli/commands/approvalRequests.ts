/** `sallyport approvals pending|watch|resolve|history`: decide from a terminal what the panel decides in its prompt. */

import { Command, InvalidArgumentError } from "commander";
import type { ApprovalDecision, ApprovalRequest, GrantLifetime } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import { openAccess, openRunning, type Running } from "../access.ts";
import { type CliContext, print, untilText } from "../context.ts";
import { decisionLines, outcomeText } from "../decisionText.ts";
import { safeJson, safeLine } from "../io.ts";
import { listedRequest, requestLines } from "../requestText.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

const decisions = ["allow-once", "allow-always", "deny"] as const;
type Decision = (typeof decisions)[number];

export function pendingCommand(context: CliContext): Command {
  return new Command("pending")
    .description("List the commands that wait for a decision")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { rpc, close } = await openRunning(context.io, context.version);
      try {
        const { pending } = await rpc.call("approvals.list", {});
        print(
          context,
          json,
          { pending },
          pending.length === 0 ? ["Nothing waits."] : pending.flatMap(listedRequest),
        );
      } finally {
        close();
      }
    });
}

export function historyCommand(context: CliContext): Command {
  return new Command("history")
    .description("Show what was decided, newest first: how it ended, by whom, and what it was about")
    .option("--limit <n>", "at most so many, 1 to 500", parseLimit, 20)
    .option("--json", "print JSON")
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const access = await openAccess(context.io, context.version);
      try {
        const history = await access.rpc.call("approvals.history", { limit });
        const lines = history.decisions.flatMap(decisionLines);
        print(context, json, history, lines.length === 0 ? ["Nothing was decided yet."] : lines);
      } finally {
        await access.close();
      }
    });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new InvalidArgumentError("A limit is a number from 1 to 500.");
  return limit;
}

export function watchCommand(context: CliContext): Command {
  return new Command("watch")
    .description("Show requests as they come and go, and count as a person who can be reached, until Ctrl+C")
    .option("--json", "print one JSON line per event")
    .action(async ({ json }: { json?: boolean }) => {
      refuseSelfApproval(context.io.env, "stand in for a person");
      const { rpc, close } = await openRunning(context.io, context.version);
      const ended = new Promise<"closed" | "stopped">((resolve) => {
        rpc.onClose(() => resolve("closed"));
        context.io.signal.addEventListener("abort", () => resolve("stopped"), { once: true });
      });
      try {
        const shown = new Map<string, ApprovalRequest>();
        const show = (pending: ApprovalRequest[], recent: ApprovalDecision[]) => {
          for (const request of pending) {
            if (shown.has(request.id)) continue;
            shown.set(request.id, request);
            if (json === true)
              context.io.stdout(`${safeJson(JSON.stringify({ event: "requested", request }))}\n`);
            else context.io.stdout(`${listedRequest(request).join("\n")}\n`);
          }
          for (const id of [...shown.keys()]) {
            if (pending.some((request) => request.id === id)) continue;
            shown.delete(id);
            const decision = recent.find((candidate) => candidate.id === id) ?? null;
            if (json === true)
              context.io.stdout(`${safeJson(JSON.stringify({ event: "resolved", id, decision }))}\n`);
            else
              context.io.stdout(`${id.slice(0, 8)}  ${decision === null ? "gone" : outcomeText(decision)}\n`);
          }
        };
        rpc.on("approvals.changed", ({ pending, recent }) => show(pending, recent));
        await rpc.call("approvals.attend", {});
        if (json !== true)
          context.io.stderr("Watching. Decide with `sallyport approvals resolve ID …`. Ctrl+C ends.\n");
        const now = await rpc.call("approvals.list", {});
        show(now.pending, now.recent);
        if ((await ended) === "closed") {
          throw new AppError("UNAVAILABLE", "Sallyport ended, and with it this watch.");
        }
      } finally {
        close();
      }
    });
}

interface ResolveOptions {
  note?: string;
  scope?: string;
  session?: boolean;
  minutes?: string;
  agent?: boolean;
  allAgents?: boolean;
  edit?: string;
  digest?: string;
  yes?: boolean;
  json?: boolean;
}

export function resolveCommand(context: CliContext): Command {
  return new Command("resolve")
    .description("Decide one request. An allow first shows everything that is bound by it, then asks")
    .argument("<id>", "id of the request, or an unambiguous beginning of it")
    .argument("<decision>", decisions.join(" | "))
    .option("--note <text>", "a note for the agent, and for the record")
    .option("--session", "with allow-always: save a grant that ends with the session")
    .option("--minutes <n>", "with allow-always: save a grant for so many minutes of this session")
    .option("--agent", "with allow-always: save a grant for this agent until it is revoked")
    .option("--all-agents", "with allow-always: save a grant for every agent until it is revoked")
    .option("--scope <id>", "scope of the grant, as `resolve` shows it; absent: the narrowest")
    .option("--edit <command>", "with allow-once: run this instead; both gates look at it first")
    .option("--digest <hex>", "allow exactly the request with this digest, without asking")
    .option("--yes", "allow what is shown, without asking")
    .option("--json", "print JSON")
    .action(async (id: string, word: string, options: ResolveOptions) => {
      const decision = decisions.find((known) => known === word);
      if (decision === undefined) {
        throw new AppError("INVALID_INPUT", `${word} is no decision. Use one of ${decisions.join(", ")}.`, {
          data: { usage: true },
        });
      }
      refuseSelfApproval(context.io.env, "decide an approval");
      const { rpc, close } = await openRunning(context.io, context.version);
      try {
        const { pending } = await rpc.call("approvals.list", {});
        const request = pick(pending, id);
        const lifetime = lifetimeOf(decision, options);
        const grant =
          lifetime === null ? undefined : { scopeId: scopeIdOf(request, options.scope), lifetime };
        const shown =
          options.edit === undefined ? request : await editPreview(rpc, request, decision, options.edit);
        const digest =
          decision === "deny"
            ? undefined
            : await confirmAllow(context, shown, decision, options, grant?.scopeId ?? null);
        const result = await rpc.call("approvals.resolve", {
          id: request.id,
          decision,
          ...(digest === undefined ? {} : { digest }),
          ...(options.note === undefined ? {} : { note: options.note }),
          ...(grant === undefined ? {} : { grant }),
          ...(options.edit === undefined ? {} : { editedCommand: options.edit }),
        });
        print(context, options.json, result, [
          `${result.id.slice(0, 8)}: ${outcomeText(result)}.`,
          ...result.stored.map((entry) => `Stored ${safeLine(entry.pattern)} for agent ${entry.agentId}.`),
          ...(result.grantId === undefined ? [] : [`Saved grant ${result.grantId.slice(0, 8)}.`]),
          ...(result.editedCommand === undefined ? [] : [`Ran ${safeLine(result.editedCommand)} instead.`]),
        ]);
      } finally {
        close();
      }
    });
}

/** @returns the digest of what was shown and confirmed */
async function confirmAllow(
  context: CliContext,
  request: ApprovalRequest,
  decision: Decision,
  options: ResolveOptions,
  scopeId: string | null,
): Promise<string> {
  if (options.digest !== undefined) return options.digest;
  context.io.stderr(`${requestLines(request).join("\n")}\n`);
  if (decision === "allow-always" && request.always.kind === "withheld") {
    throw new AppError(
      "INVALID_INPUT",
      "This request can only be allowed once: `always` is not offered for it.",
    );
  }
  if (options.yes === true) return request.digest;
  if (!context.io.isInteractive) {
    throw new AppError(
      "INVALID_INPUT",
      `There is no terminal to confirm on. Look at the request, then pass --digest ${request.digest}, or --yes.`,
    );
  }
  const always = scopeId === null ? "now and always" : `now, saving the grant ${scopeId}`;
  const question = `Allow this ${decision === "allow-always" ? always : "once"}, within ${untilText(request.expiresAtMs)}? Type yes: `;
  const answer = await context.io.ask(question);
  if (answer.trim().toLowerCase() !== "yes") {
    throw new AppError("CANCELLED", "Nothing was decided; the request still waits.");
  }
  return request.digest;
}

/** @returns null when no grant is wanted; @throws AppError for words that contradict each other */
function lifetimeOf(decision: Decision, options: ResolveOptions): GrantLifetime | null {
  const wanted: GrantLifetime[] = [
    ...(options.session === true ? [{ kind: "session" as const }] : []),
    ...(options.minutes === undefined
      ? []
      : [{ kind: "minutes" as const, minutes: Number(options.minutes) }]),
    ...(options.agent === true ? [{ kind: "agent" as const }] : []),
    ...(options.allAgents === true ? [{ kind: "allAgents" as const }] : []),
  ];
  const [lifetime] = wanted;
  const usage = (message: string) => new AppError("INVALID_INPUT", message, { data: { usage: true } });
  if (wanted.length > 1) throw usage("Give one of --session, --minutes, --agent and --all-agents.");
  if (lifetime === undefined) {
    if (options.scope !== undefined)
      throw usage("--scope needs one of --session, --minutes, --agent and --all-agents.");
    return null;
  }
  if (decision !== "allow-always") throw usage("A grant is saved with allow-always only.");
  if (
    lifetime.kind === "minutes" &&
    (!Number.isInteger(lifetime.minutes) || lifetime.minutes < 1 || lifetime.minutes > 1440)
  )
    throw usage("--minutes takes a number from 1 to 1440.");
  return lifetime;
}

function scopeIdOf(request: ApprovalRequest, wanted: string | undefined): string {
  const scopes = request.always.kind === "offered" ? (request.always.scopes ?? []) : [];
  const scope = wanted === undefined ? scopes[0] : scopes.find((one) => one.id === wanted);
  if (scope !== undefined) return scope.id;
  const known = scopes.map((one) => one.id).join(", ");
  throw new AppError(
    "INVALID_INPUT",
    known === "" ? "No grant is offered for this request." : `This request offers the scopes ${known}.`,
  );
}

/** @returns the request as it would run with the other command; its digest is the one to allow by */
async function editPreview(
  rpc: Running["rpc"],
  request: ApprovalRequest,
  decision: Decision,
  command: string,
): Promise<ApprovalRequest> {
  if (decision !== "allow-once")
    throw new AppError("INVALID_INPUT", "An edited command can only be allowed once.", {
      data: { usage: true },
    });
  const preview = await rpc.call("approvals.explainEdit", { id: request.id, command });
  if (preview.kind === "refused")
    throw new AppError("FORBIDDEN", `The edited command would be refused: ${safeLine(preview.message)}`);
  return preview.request;
}

function pick(pending: ApprovalRequest[], id: string): ApprovalRequest {
  const exact = pending.find((request) => request.id === id);
  if (exact !== undefined) return exact;
  const matches = pending.filter((request) => request.id.toLowerCase().startsWith(id.toLowerCase()));
  const [only] = matches;
  if (only !== undefined && matches.length === 1 && id.length >= 4) return only;
  if (matches.length > 1 || (only !== undefined && id.length < 4)) {
    throw new AppError("INVALID_INPUT", `${id} is not enough to name one request. Give more of its id.`);
  }
  throw new AppError("NOT_FOUND", `No request ${id} waits: it was decided, has expired, or never was.`);
}
