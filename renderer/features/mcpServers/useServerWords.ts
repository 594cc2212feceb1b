/** The state of a server as shape and words. */

import type { McpServer } from "../../../shared/contract/index.ts";
import { useLanguage, useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { clockText, useNow } from "../../ui/useNow.ts";
import type { VerdictKind } from "../../ui/Verdict.tsx";

/** Switched off in the config on purpose: nothing to mend. */
export function isSwitchedOff({ state }: McpServer): boolean {
  return state.kind === "invalid" && state.reason.code === "mcp.disabled";
}

export function stateShape(server: McpServer): VerdictKind {
  const { state } = server;
  switch (state.kind) {
    case "unconfirmed":
      return "asks";
    case "starting":
    case "ready":
      return "running";
    case "failed":
      return "denied";
    case "invalid":
      return isSwitchedOff(server) ? "skipped" : "denied";
    case "stopped":
      return "skipped";
  }
}

export interface ServerWords {
  /** A few words for a chip. */
  state: string;
  /** Why it failed or cannot be read; null when there is nothing to say. */
  why: string | null;
  /** When it is tried again; null unless it failed. */
  next: string | null;
}

/** @returns words of a server, renewed every second while one is tried again by itself */
export function useServerWords(server: McpServer): ServerWords {
  const t = useT("mcpServers");
  const reason = useReason();
  const language = useLanguage();
  const { state } = server;
  const retryAtMs = state.kind === "failed" ? state.retryAtMs : null;
  const nowMs = useNow(retryAtMs === null ? 60_000 : 1_000);
  switch (state.kind) {
    case "unconfirmed":
      return { state: t(state.isChanged ? "state.changed" : "state.unconfirmed"), why: null, next: null };
    case "ready": {
      const time = sinceText(language, state.sinceMs, nowMs);
      const key = server.transport === "stdio" ? "state.runs" : "state.connected";
      return { state: t(key, { time }), why: null, next: null };
    }
    case "failed":
      return {
        state: t("state.failed"),
        why: reason(state.reason),
        next: retryAtMs === null ? t("noRetry") : t("retryIn", { time: clockText(retryAtMs - nowMs) }),
      };
    case "invalid":
      if (isSwitchedOff(server)) return { state: t("state.off"), why: null, next: null };
      return { state: t("state.invalid"), why: reason(state.reason), next: null };
    case "starting":
    case "stopped":
      return { state: t(`state.${state.kind}`), why: null, next: null };
  }
}

/** The minute; with the day when that is another one. */
function sinceText(language: string, atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  const minute = { hour: "2-digit", minute: "2-digit", hour12: false } as const;
  const day = isToday ? {} : ({ month: "short", day: "numeric" } as const);
  return new Intl.DateTimeFormat(language, { ...day, ...minute }).format(atMs);
}
