/** What a grant would have changed: past commands it would have let through, and similar ones that still ask (A11). */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { GrantPreview, Reason } from "../../../shared/contract/index.ts";
import {
  type ExecDecision,
  type ExecutableLookup,
  type Grant,
  grantDifference,
} from "../../../shared/exec/index.ts";
import type { ExecJudge } from "./execJudge.ts";
import type { PastCommand } from "./pastCommands.ts";
import { toReason } from "./segmentReasons.ts";

export interface GrantPreviewInput {
  judge: ExecJudge;
  lookup: ExecutableLookup;
  past: readonly PastCommand[];
  /** Grants that count now. */
  present: readonly Grant[];
  candidate: readonly Grant[];
  /** The environment that a command of this agent starts with. */
  envFor(agentId: string): Promise<Record<string, string>>;
  /** The waiting request, judged with the candidate. */
  judgeWaiting(grants: readonly Grant[]): ExecDecision | null;
}

const maxCovered = 61;
const maxNearest = 8;
const judgedPerTurn = 20;

/** Nothing is stored. Yields to other work while it looks through the past. */
export async function previewGrant(input: GrantPreviewInput): Promise<GrantPreview> {
  const lookup = rememberAll(input.lookup);
  const together = [...input.present, ...input.candidate];
  const ids = new Set(input.candidate.map((grant) => grant.id));
  const covered: GrantPreview["covered"] = [];
  const near: { shown: GrantPreview["nearest"][number]; distance: number }[] = [];
  let lookedAt = 0;
  let coveredCount = 0;
  for (const [index, past] of input.past.entries()) {
    if (index % judgedPerTurn === judgedPerTurn - 1) await nextTurn();
    lookedAt += past.count;
    const env = await input.envFor(past.agentId);
    const ask = (grants: readonly Grant[], call: { env?: Record<string, string> }) => {
      const answer = input.judge.judge(
        { command: past.command, ...call },
        { agentId: past.agentId, sessionKey: past.sessionKey, cwd: past.cwd, env },
        { grants, lookup },
      );
      return answer.ok ? answer.decision : null;
    };
    // The values are not known any more, and not needed: any override keeps a grant from counting.
    const decision = ask(together, past.hasEnv ? { env: { _: "" } } : {});
    if (decision === null) continue;
    const shown = {
      command: past.command,
      atMs: past.atMs,
      agentId: past.agentId,
      sessionKey: past.sessionKey,
      cwd: past.cwd,
      count: past.count,
    };
    if (isLetThrough(decision, ids)) {
      coveredCount += past.count;
      if (covered.length < maxCovered) covered.push(shown);
      continue;
    }
    if (decision.outcome !== "ask") continue;
    const relaxed = input.candidate.map(withoutPlace);
    const inPlace = ask([...input.present, ...relaxed], {});
    const place =
      inPlace !== null && isLetThrough(inPlace, ids) ? placeDifference(input.candidate, past) : null;
    if (place !== null) {
      near.push({ shown: { ...shown, difference: place }, distance: 0.5 });
      continue;
    }
    const difference = grantDifference(
      input.candidate.map((grant) => grant.scope),
      decision.analysis,
      input.judge.options(past.cwd, env),
    );
    if (difference === null) continue;
    const { code, word, distance } = difference;
    near.push({ shown: { ...shown, difference: { code: `differs.${code}`, params: { word } } }, distance });
  }
  const waiting = input.judgeWaiting(together);
  return {
    lookedAt,
    coveredCount,
    covered,
    nearest: near
      .sort((a, b) => a.distance - b.distance || b.shown.atMs - a.shown.atMs)
      .slice(0, maxNearest)
      .map((one) => one.shown),
    isEnough: waiting?.outcome === "allow",
    notEnoughBecause: waiting === null || waiting.outcome === "allow" ? [] : waiting.reasons.map(toReason),
  };
}

/** Whether it runs unasked because of one of these grants. */
export function isLetThrough(decision: ExecDecision, ids: ReadonlySet<string>): boolean {
  return (
    decision.outcome === "allow" &&
    decision.segments.some(({ rule }) => rule?.kind === "grant" && ids.has(rule.grantId))
  );
}

/** The same words in any folder, for any agent and session. */
export function withoutPlace(grant: Grant): Grant {
  const { cwd: _cwd, sessionKey: _session, ...rest } = grant;
  return { ...rest, agentId: "*" };
}

/** Which part of "who and where" keeps a grant from a command whose words it covers. */
export function placeDifference(
  candidate: readonly Grant[],
  past: Pick<PastCommand, "agentId" | "sessionKey" | "cwd" | "hasEnv">,
): Reason | null {
  if (past.hasEnv) return { code: "differs.env", params: {} };
  for (const grant of candidate) {
    if (grant.agentId !== "*" && grant.agentId !== past.agentId)
      return { code: "differs.agent", params: { word: past.agentId } };
    if (grant.cwd !== undefined && grant.cwd !== past.cwd)
      return { code: "differs.folder", params: { word: past.cwd } };
    if (grant.sessionKey !== undefined && grant.sessionKey !== past.sessionKey)
      return { code: "differs.session", params: { word: past.sessionKey } };
  }
  return null;
}

/** Over one preview the file system is taken to stand still: each path is looked at once. */
function rememberAll(lookup: ExecutableLookup): ExecutableLookup {
  const paths = new Map<string, ReturnType<ExecutableLookup["inspect"]>>();
  const names = new Map<string, ReturnType<ExecutableLookup["findOnPath"]>>();
  return {
    inspect(path) {
      const facts = paths.get(path) ?? lookup.inspect(path);
      paths.set(path, facts);
      return facts;
    },
    findOnPath(name, env) {
      const key = `${env.PATH ?? ""}\0${name}`;
      const facts = names.has(key) ? (names.get(key) ?? null) : lookup.findOnPath(name, env);
      names.set(key, facts);
      return facts;
    },
    isDirectory: (path) => lookup.isDirectory(path),
  };
}
