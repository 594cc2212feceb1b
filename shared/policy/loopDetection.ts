/** Finds agents that repeat themselves (policy §16). Pure: works on a history, returns a new one. */

import { asRecord, type ConfigRecord } from "./configRecord.ts";

export interface LoopDetectors {
  genericRepeat: boolean;
  knownPollNoProgress: boolean;
  pingPong: boolean;
}

export interface LoopDetectionSettings {
  enabled: boolean;
  historySize: number;
  warningThreshold: number;
  criticalThreshold: number;
  globalCircuitBreakerThreshold: number;
  detectors: LoopDetectors;
}

export interface LoopCall {
  tool: string;
  args: unknown;
}

/** A finished call as the history keeps it: no arguments, only what makes two calls the same. */
export interface LoopRecord {
  tool: string;
  callKey: string;
  /** Absent while no result is known. */
  resultKey?: string;
}

export type LoopDetectorName =
  | "global_circuit_breaker"
  | "known_poll_no_progress"
  | "ping_pong"
  | "generic_repeat";

/** `critical` blocks the call, and it must not be recorded; `warning` is for the log. */
export type LoopVerdict =
  | { kind: "ok" }
  | { kind: "warning" | "critical"; detector: LoopDetectorName; count: number; callKey: string };

/**
 * Settings of an agent: its keys over the global ones, detectors merged likewise, thresholds put in order.
 * @param layers global first, then the agent's
 */
export function resolveLoopDetection(...layers: readonly unknown[]): LoopDetectionSettings {
  const merged: Record<string, unknown> = {};
  const detectors: Record<string, unknown> = {};
  for (const layer of layers) {
    const record = asRecord(layer);
    assignDefined(merged, record);
    assignDefined(detectors, asRecord(record?.detectors));
  }
  const warningThreshold = positiveInteger(merged.warningThreshold, 10);
  const criticalThreshold = Math.max(positiveInteger(merged.criticalThreshold, 20), warningThreshold + 1);
  const breaker = Math.max(positiveInteger(merged.globalCircuitBreakerThreshold, 30), criticalThreshold + 1);
  return {
    enabled: merged.enabled === true,
    historySize: positiveInteger(merged.historySize, 30),
    warningThreshold,
    criticalThreshold,
    globalCircuitBreakerThreshold: breaker,
    detectors: {
      genericRepeat: detectors.genericRepeat !== false,
      knownPollNoProgress: detectors.knownPollNoProgress !== false,
      pingPong: detectors.pingPong !== false,
    },
  };
}

function assignDefined(target: Record<string, unknown>, source: ConfigRecord | undefined): void {
  for (const [key, value] of Object.entries(source ?? {})) {
    if (value !== undefined && value !== null && key !== "__proto__") target[key] = value;
  }
}

function positiveInteger(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : fallback;
}

/** Text that is equal for equal JSON values; the order of keys does not matter. */
export function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(",")}]`;
  const record = asRecord(value);
  if (record === undefined) return JSON.stringify(value) ?? "undefined";
  const keys = Object.keys(record).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(record[key])}`).join(",")}}`;
}

/** What makes two calls the same: the tool and its arguments, whatever the order of their keys. */
export function loopCallKey(call: LoopCall): string {
  return `${call.tool}:${stableText(call.args)}`;
}

/** What makes two results the same. */
export function loopResultKey(result: unknown): string {
  return stableText(result);
}

function isPoll({ tool, args }: LoopCall): boolean {
  if (tool === "command_status") return true;
  const action = asRecord(args)?.action;
  return tool === "process" && (action === "poll" || action === "log");
}

/** Puts a finished call behind the history and drops what is older than the history size. */
export function recordLoopCall(
  history: readonly LoopRecord[],
  call: LoopCall,
  result: unknown,
  settings: LoopDetectionSettings,
): LoopRecord[] {
  const record: LoopRecord = {
    tool: call.tool,
    callKey: loopCallKey(call),
    resultKey: loopResultKey(result),
  };
  return [...history, record].slice(-settings.historySize);
}

/**
 * Judges a call before it runs; counts are of past calls, so a threshold of 10 fires at the 11th.
 * @param history oldest first, without blocked calls
 */
export function detectLoop(
  history: readonly LoopRecord[],
  call: LoopCall,
  settings: LoopDetectionSettings,
): LoopVerdict {
  if (!settings.enabled) return { kind: "ok" };
  const { warningThreshold, criticalThreshold, globalCircuitBreakerThreshold, detectors } = settings;
  const callKey = loopCallKey(call);
  const verdict = (kind: "warning" | "critical", detector: LoopDetectorName, count: number): LoopVerdict => ({
    kind,
    detector,
    count,
    callKey,
  });
  const streak = noProgressStreak(history, callKey);
  if (streak >= globalCircuitBreakerThreshold) return verdict("critical", "global_circuit_breaker", streak);
  const poll = isPoll(call);
  if (poll && detectors.knownPollNoProgress && streak >= warningThreshold) {
    return verdict(streak >= criticalThreshold ? "critical" : "warning", "known_poll_no_progress", streak);
  }
  if (detectors.pingPong) {
    const { count, withoutProgress } = alternation(history, callKey);
    if (count >= criticalThreshold && withoutProgress) return verdict("critical", "ping_pong", count);
    if (count >= warningThreshold) return verdict("warning", "ping_pong", count);
  }
  const repeats = history.filter((record) => record.callKey === callKey).length;
  if (!poll && detectors.genericRepeat && repeats >= warningThreshold) {
    return verdict("warning", "generic_repeat", repeats);
  }
  return { kind: "ok" };
}

/** How often in a row the same call gave the same result; other calls in between do not matter. */
function noProgressStreak(history: readonly LoopRecord[], callKey: string): number {
  let streak = 0;
  let latest: string | undefined;
  for (const record of history.toReversed()) {
    if (record.callKey !== callKey || record.resultKey === undefined) continue;
    latest ??= record.resultKey;
    if (record.resultKey !== latest) break;
    streak += 1;
  }
  return streak;
}

/** The length of the alternation of two calls that the current call would continue, itself included. */
function alternation(
  history: readonly LoopRecord[],
  callKey: string,
): { count: number; withoutProgress: boolean } {
  const none = { count: 0, withoutProgress: false };
  const last = history.at(-1);
  if (last === undefined || last.callKey === callKey) return none;
  const tail: LoopRecord[] = [];
  for (const record of history.toReversed()) {
    if (record.callKey !== (tail.length % 2 === 0 ? last.callKey : callKey)) break;
    tail.push(record);
  }
  if (tail.length < 2) return none;
  const resultsOf = (key: string) =>
    new Set(tail.filter((record) => record.callKey === key).map((record) => record.resultKey));
  const sides = [resultsOf(last.callKey), resultsOf(callKey)];
  const withoutProgress = sides.every((results) => results.size === 1 && !results.has(undefined));
  return { count: tail.length + 1, withoutProgress };
}

/** Buckets of ten in which warnings were logged, by detector and call. */
export type LoopWarningBuckets = ReadonlyMap<string, number>;

/** Decides whether a warning is logged: once per bucket of ten counts. */
export function admitLoopWarning(
  buckets: LoopWarningBuckets,
  verdict: Exclude<LoopVerdict, { kind: "ok" }>,
): { log: boolean; buckets: LoopWarningBuckets } {
  const key = `${verdict.detector}:${verdict.callKey}`;
  const bucket = Math.floor(verdict.count / 10);
  const lastBucket = buckets.get(key);
  if (lastBucket !== undefined && bucket <= lastBucket) return { log: false, buckets };
  return { log: true, buckets: new Map(buckets).set(key, bucket) };
}
