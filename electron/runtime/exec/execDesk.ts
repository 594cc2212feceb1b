/** What an exec request offers beside yes and no: entries, grants with a preview, and editing (A11, A12, A14). */

import type { GrantLifetime } from "../../../shared/contract/index.ts";
import { AppError } from "../../../shared/errors/index.ts";
import type { ExecutableLookup, Grant, GrantProposal } from "../../../shared/exec/index.ts";
import type { Hardening } from "../../../shared/hardening/rules.ts";
import type { ApprovalDesk, EditOutcome } from "../approvals/approvalDesk.ts";
import type { ApprovalDraft } from "../approvals/createApprovals.ts";
import type { Grants } from "../approvals/grants.ts";
import type { Clock } from "../clock.ts";
import type { ApprovalsStore, Ledger } from "../storage/index.ts";
import type { ToolCallContext } from "../tools/defineTool.ts";
import type { ExecJudge } from "./execJudge.ts";
import type { ExecCall } from "./execService.ts";
import { type GrantOffers, grantsOf, offerGrants } from "./grantOffers.ts";
import { pinsOf } from "./grantPins.ts";
import { previewGrant } from "./grantPreview.ts";
import type { ExecHost, HostPlace } from "./hosts/index.ts";
import { pastCommands } from "./pastCommands.ts";
import type { Places } from "./places.ts";
import type { ExecPreparer, ExecReady } from "./prepareExec.ts";
import { whyNotCovered } from "./ruleCoverage.ts";

export interface ExecDeskDeps {
  judge: ExecJudge;
  prepare: ExecPreparer;
  approvalsFile: ApprovalsStore;
  grants: Grants;
  ledger: Ledger;
  lookup: ExecutableLookup;
  places: Places;
  hardening(): Hardening;
  clock: Clock;
}

export interface ExecDeskInput {
  ready: ExecReady;
  call: ExecCall;
  context: ToolCallContext;
  host: ExecHost;
  place: HostPlace;
  /** What the prompt of an edited command would show. */
  draftOfEdited(edited: ExecReady, call: ExecCall): ApprovalDraft;
}

export interface ExecDesk {
  desk: ApprovalDesk;
  offers: GrantOffers;
  storeAlways: ApprovalDraft["storeAlways"];
}

const previewedCommands = 500;

export function createExecDesk(deps: ExecDeskDeps): (input: ExecDeskInput) => ExecDesk {
  const { judge, grants, clock } = deps;
  return (input) => {
    const { call, context, host, place, ready } = input;
    const { decision } = ready;
    const { agentId, sessionKey, callerId } = context;
    const { cwd, env } = place;
    const pins = pinsOf(ready.binding);
    const owner = { command: call.command, agentId, sessionKey, cwd };
    const judgeWith = (present: readonly Grant[]) => {
      const answer = judge.judge(call, { agentId, sessionKey, callerId, cwd, env }, { grants: present });
      return answer.ok ? answer.decision : null;
    };
    const offers = offerGrants({
      decision,
      owner,
      hasEnvOverrides: Object.keys(call.env ?? {}).length > 0,
      pins,
      hardening: deps.hardening(),
      nowMs: clock.nowMs(),
      isEnough: (candidate) => judgeWith([...grants.inForce(), ...candidate])?.outcome === "allow",
    });
    const proposalOf = (scopeId: string): GrantProposal => {
      const proposal = offers.proposals.get(scopeId);
      if (proposal === undefined)
        throw new AppError(
          "NOT_FOUND",
          `This request offers no scope ${scopeId}. Choose one that it shows.`,
          {
            data: { reason: "SCOPE_NOT_OFFERED" },
          },
        );
      return proposal;
    };
    const wouldAsk = () => judgeWith(grants.inForce())?.outcome !== "allow";

    /** Stores what "always" offers and proves that it helps; takes it back when it does not. */
    const storeAlways = async () => {
      const stores = decision.allowAlways.persists;
      const added: typeof stores = [];
      for (const entry of stores) {
        const answer = await deps.approvalsFile.addAllowlist(entry.agentId, entry.pattern);
        if (answer.added) added.push(entry);
      }
      // ask=always asks on purpose; anything else means that the rule does not do what was promised.
      if (wouldAsk() && decision.effective.ask.value !== "always") {
        for (const entry of added) await deps.approvalsFile.removeAllowlist(entry.agentId, entry.pattern);
        throw ruleDoesNotHelp();
      }
      return stores;
    };

    const saveGrant = async (scopeId: string, lifetime: GrantLifetime, createdBy: string) => {
      const made = grantsOf(proposalOf(scopeId), lifetime, owner, createdBy, clock.nowMs(), pins);
      const groupId = made[0]?.groupId ?? "";
      await grants.create(made, lifetime.kind === "session" ? "memory" : "file");
      if (wouldAsk()) {
        await grants.revoke(groupId, "system");
        throw ruleDoesNotHelp();
      }
      return groupId;
    };

    const edit = async (command: string): Promise<EditOutcome> => {
      const refusedEdit = (code: string, message: string): EditOutcome => ({
        kind: "refused",
        reason: { code, params: {} },
        message,
      });
      if (command.trim() === "") return refusedEdit("editEmpty", "The command is empty. Nothing would run.");
      if (context.isStillVisible?.() === false)
        return refusedEdit("toolHidden", "Policy no longer lets this agent use exec. Nothing would run.");
      const editedCall = { ...call, command };
      const prepared = await deps.prepare(editedCall, context, host, place);
      if (prepared.kind === "refused") {
        const { refusal, content } = prepared.result;
        const [first] = content;
        return {
          kind: "refused",
          reason: refusal?.kind === "denied" ? refusal.reason : { code: "denied", params: {} },
          message: first?.type === "text" ? first.text : "",
        };
      }
      const {
        lifetimeMs: _life,
        storeAlways: _store,
        desk: _desk,
        ...shown
      } = input.draftOfEdited(prepared, editedCall);
      return {
        kind: "ready",
        outcome: prepared.decision.outcome === "allow" ? "allow" : "ask",
        // Something lasting is granted for what the agent asked for, never for what a person typed once.
        shown: { ...shown, always: { kind: "withheld", reason: { code: "always.edited", params: {} } } },
        run: { command, decision: prepared.decision, binding: prepared.binding },
      };
    };

    return {
      offers,
      storeAlways,
      desk: {
        async previewGrant(scopeId, lifetime) {
          const candidate = grantsOf(proposalOf(scopeId), lifetime, owner, "preview", clock.nowMs(), pins);
          const envs = new Map<string, Promise<Record<string, string>>>();
          return previewGrant({
            judge,
            lookup: deps.lookup,
            past: await pastCommands(deps.ledger, (id) => deps.places.workspaceOf(id), previewedCommands),
            present: grants.inForce(),
            candidate,
            envFor(id) {
              const found = envs.get(id) ?? deps.places.hostEnvFor(id, {});
              envs.set(id, found);
              return found;
            },
            judgeWaiting: judgeWith,
          });
        },
        candidate: (scopeId, lifetime) =>
          grantsOf(proposalOf(scopeId), lifetime, owner, "preview", clock.nowMs(), pins),
        whyNotCovered: (candidate) =>
          whyNotCovered({
            candidate,
            present: grants.inForce(),
            waiting: {
              agentId,
              sessionKey,
              cwd,
              hasEnv: Object.keys(call.env ?? {}).length > 0,
              binding: ready.binding,
            },
            judgeWith,
            options: judge.options(cwd, env),
          }),
        saveGrant,
        edit,
      },
    };
  };
}

function ruleDoesNotHelp(): AppError {
  return new AppError(
    "UNAVAILABLE",
    "The rule would not have covered this command, so it was not kept. Allow it once instead.",
  );
}
