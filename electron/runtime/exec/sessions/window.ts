/** How long an exec call waits, and when its command is ended: limits, defaults and their exact rules. */

export interface SessionLimits {
  /** Wait before a command is left running in the background. Clamped 10…120000. */
  backgroundMs: number;
  /** Timeout of calls that name none. */
  defaultTimeoutMs: number;
  /** How long ended sessions are kept. Clamped 60000…10800000. */
  cleanupMs: number;
  /** Kept text per session. Clamped 1000…200000. */
  maxOutputChars: number;
  /** Kept unread text per stream. Clamped 1000…200000. */
  pendingMaxOutputChars: number;
}

export const defaultExecLimits: Readonly<SessionLimits> = {
  backgroundMs: 10_000,
  defaultTimeoutMs: 1_800_000,
  cleanupMs: 1_800_000,
  maxOutputChars: 200_000,
  pendingMaxOutputChars: 30_000,
};

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Fills gaps with defaults and clamps; a value that is no number counts as absent. */
export function completeLimits(partial: Partial<SessionLimits> = {}): SessionLimits {
  const take = (key: keyof SessionLimits): number => {
    const value = partial[key];
    return value !== undefined && Number.isFinite(value) ? value : defaultExecLimits[key];
  };
  return {
    backgroundMs: clampYieldMs(take("backgroundMs")),
    defaultTimeoutMs: take("defaultTimeoutMs"),
    cleanupMs: clamp(take("cleanupMs"), 60_000, 10_800_000),
    maxOutputChars: clamp(Math.floor(take("maxOutputChars")), 1000, 200_000),
    pendingMaxOutputChars: clamp(Math.floor(take("pendingMaxOutputChars")), 1000, 200_000),
  };
}

/**
 * The environment's overrides; what is absent or no number is left out.
 * @see exec spec §2
 */
export function limitsFromEnv(env: Readonly<Record<string, string | undefined>>): Partial<SessionLimits> {
  const limits: Partial<SessionLimits> = {};
  const read = (name: string, key: keyof SessionLimits): void => {
    const value = Number.parseInt(env[name] ?? "", 10);
    if (Number.isFinite(value)) limits[key] = value;
  };
  read("PI_BASH_YIELD_MS", "backgroundMs");
  read("PI_BASH_MAX_OUTPUT_CHARS", "maxOutputChars");
  read("OPENCLAW_BASH_PENDING_MAX_OUTPUT_CHARS", "pendingMaxOutputChars");
  read("PI_BASH_JOB_TTL_MS", "cleanupMs");
  return limits;
}

export function clampYieldMs(yieldMs: number): number {
  return clamp(Math.floor(yieldMs), 10, 120_000);
}

export interface WindowRequest {
  /** Explicit; null or ≤ 0 = none. Absent = the rule below. */
  timeoutMs?: number | null | undefined;
  yieldMs?: number | undefined;
  background?: boolean | undefined;
  allowBackground: boolean;
  backgroundMs: number;
  defaultTimeoutMs: number;
}

export type WaitMode =
  | { kind: "untilEnd" }
  /** Answer after this time and leave it running; 0 = at once. */
  | { kind: "yieldAfter"; delayMs: number };

export interface ExecWindow {
  wait: WaitMode;
  /** null = no timeout. */
  timeoutMs: number | null;
  warnings: string[];
}

/**
 * An explicit timeout wins. Without one, asking for the background or for any yield time means none at all;
 * otherwise the default counts, also after the command was left running. Where nothing may be left running,
 * the default always counts.
 * @see exec spec §3.4
 */
export function resolveWindow(request: WindowRequest): ExecWindow {
  const asksBackground = request.background === true;
  const asksYield = request.yieldMs !== undefined && Number.isFinite(request.yieldMs);
  const warnings: string[] = [];
  let timeoutMs: number | null;
  if (request.timeoutMs !== undefined)
    timeoutMs = request.timeoutMs !== null && request.timeoutMs > 0 ? request.timeoutMs : null;
  else if (request.allowBackground && (asksBackground || asksYield)) timeoutMs = null;
  else timeoutMs = request.defaultTimeoutMs > 0 ? request.defaultTimeoutMs : null;

  if (!request.allowBackground) {
    if (asksBackground || asksYield)
      warnings.push(
        "Warning: background runs are not available here (the process tool is not allowed); the command was run to its end.",
      );
    return { wait: { kind: "untilEnd" }, timeoutMs, warnings };
  }
  const delayMs = asksBackground
    ? 0
    : clampYieldMs(asksYield ? (request.yieldMs ?? 0) : request.backgroundMs);
  return { wait: { kind: "yieldAfter", delayMs }, timeoutMs, warnings };
}
