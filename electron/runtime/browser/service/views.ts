/** Tabs and endpoints as people and agents see them. */

import type { BrowserTab } from "../../../../shared/contract/index.ts";
import { clip } from "../../../../shared/files/index.ts";
import { type Tab, tabInfo } from "../tabs/tab.ts";
import type { BrowserSession } from "./sessions.ts";

export async function tabView(session: BrowserSession, tab: Tab): Promise<BrowserTab> {
  const { title, url } = await tabInfo(tab);
  return {
    profile: tab.profile,
    targetId: tab.targetId,
    title: clip(title, 500),
    url: clip(url, 2000),
    state: tab.state.kind === "crashed" ? "crashed" : "open",
    sessionKey: tab.sessionKey,
    openerTargetId: tab.openerTargetId,
    lastUsedAtMs: tab.lastUsedAtMs,
    isLastUsed: session.book.lastUsed() === tab,
    counts: tab.records.counts(),
  };
}

/** Passwords and tokens of a debugging endpoint are nobody's business here. */
export function withoutSecrets(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.username = "";
    parsed.password = "";
    if (parsed.search !== "") parsed.search = "?…";
    return parsed.href;
  } catch {
    // What cannot be taken apart could hold a secret anywhere.
    return "(not a valid address)";
  }
}
