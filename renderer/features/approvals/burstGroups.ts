/** Groups waiting requests by shape, so that a burst can be judged without a blind "allow all" (A9). */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";

export interface BurstRow {
  request: ApprovalRequest;
  /** Why it is left out of group decisions; null when it fits the group. */
  oddity: "shape" | "danger" | "unseen" | null;
}

export interface BurstGroup {
  /** Stable while members come and go. */
  key: string;
  rows: BurstRow[];
  /** Words of the usual member; null is a hole whose value differs between members. Null when not analysed. */
  shape: (string | null)[] | null;
  /** Every member has the very same command. */
  isIdentical: boolean;
  first: ApprovalRequest;
}

export const burstAbove = 8;
export const burstWindowMs = 10_000;
export const burstInWindow = 5;

/** @returns whether the queue is a burst: more than 8 waiting, or more than 5 that came within 10 s */
export function isBurst(pending: readonly ApprovalRequest[]): boolean {
  if (pending.length > burstAbove) return true;
  if (pending.length <= burstInWindow) return false;
  const times = pending.map((request) => request.createdAtMs).sort((a, b) => a - b);
  return times.some((start, index) => {
    const last = times[index + burstInWindow];
    return last !== undefined && last - start <= burstWindowMs;
  });
}

/** @returns groups in order of their oldest member; rows oldest first */
export function groupBurst(pending: readonly ApprovalRequest[]): BurstGroup[] {
  const byKey = new Map<string, ApprovalRequest[]>();
  for (const request of pending) {
    const key = groupKey(request);
    byKey.set(key, [...(byKey.get(key) ?? []), request]);
  }
  return [...byKey].flatMap(([key, requests]) => {
    const [first] = requests;
    return first === undefined ? [] : [toGroup(key, requests, first)];
  });
}

/**
 * Everything but free arguments must agree: who asks, where and how it runs, which programs in which order with
 * which first word, and why it asks. What could not be analysed groups with identical text only.
 */
function groupKey(request: ApprovalRequest): string {
  const how = [
    request.kind,
    request.agentId,
    request.sessionKey,
    request.callerId,
    request.host,
    request.cwd,
    request.pty,
    request.background,
    request.onExpiry,
    request.runsAs.kind,
    request.env.map((entry) => [entry.name, entry.shown]),
    request.warnings.map((warning) => [warning.level, warning.reason.code]),
    request.askedBecause.map((reason) => reason.code),
  ];
  const what =
    request.segments?.map((segment) => [
      segment.argv[0],
      segment.argv[1] === undefined || segment.argv[1].startsWith("-") ? null : subcommand(segment.argv[1]),
      segment.realPath,
      segment.sha256,
      segment.operator,
      segment.verdict,
      segment.reason.code,
    ]) ?? request.command;
  return JSON.stringify([how, what]);
}

/** A plain word behind the program is a verb (`git show`); a path or a value is an argument. */
function subcommand(word: string): string | null {
  return /^[a-z][a-z-]*$/.test(word) ? word : null;
}

/** Number of words and the options among them, per segment: what free values may not change. */
function argumentShape(request: ApprovalRequest): string {
  return JSON.stringify(
    request.segments?.map((segment) => [
      segment.argv.length,
      segment.argv.map((word) => (word.startsWith("-") ? word : null)),
    ]) ?? request.command,
  );
}

function toGroup(key: string, requests: ApprovalRequest[], first: ApprovalRequest): BurstGroup {
  const counts = new Map<string, number>();
  for (const request of requests) {
    const shape = argumentShape(request);
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const usual = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
  const rows = requests.map(
    (request): BurstRow => ({
      request,
      oddity: argumentShape(request) !== usual ? "shape" : oddityOf(request),
    }),
  );
  const fitting = rows.filter((row) => argumentShape(row.request) === usual).map((row) => row.request);
  return {
    key,
    rows,
    first,
    shape: shapeOf(fitting),
    isIdentical: requests.every((request) => request.command === first.command),
  };
}

function oddityOf(request: ApprovalRequest): BurstRow["oddity"] {
  if (request.warnings.some((warning) => warning.level === "danger")) return "danger";
  return request.warnings.length > 0 ? "unseen" : null;
}

function shapeOf(requests: ApprovalRequest[]): BurstGroup["shape"] {
  const [first, ...others] = requests;
  if (first?.segments === undefined || first.segments === null) return null;
  return first.segments.flatMap((segment, segmentIndex) => {
    const words = segment.argv.map((word, wordIndex): string | null =>
      others.every((other) => other.segments?.[segmentIndex]?.argv[wordIndex] === word) ? word : null,
    );
    return segment.operator === null ? words : [...words, segment.operator];
  });
}
