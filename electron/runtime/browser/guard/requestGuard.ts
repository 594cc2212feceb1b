/** Judges requests of one profile against the config of now, resolves names once, and keeps what was refused. */

import {
  dnsRefusal,
  effectivePolicy,
  type GuardContext,
  guardPolicy,
  judgeArrival,
  judgeUrl,
  type UrlJudgement,
} from "../../../../shared/browser/index.ts";
import type { HostResolver, ResolvedAddress } from "../../net/hostResolver.ts";
import type { GuardVerdict } from "../browserTypes.ts";
import type { BlockedFeed } from "./blockedFeed.ts";

/** Allowed comes with the addresses that were judged: only those may be connected to. */
export type PinnedVerdict =
  | { verdict: "allowed"; addresses: ResolvedAddress[] }
  | { verdict: "blocked"; kind: string; message: string; url: string };

export interface RequestGuard {
  /** Before a page is opened at an address. Not recorded: the caller tells. */
  judgeNavigation(url: string): Promise<GuardVerdict>;
  /** Where a frame has arrived. */
  judgeArrival(url: string): Promise<GuardVerdict>;
  /** One request on its way out; a refusal is recorded. @param url http, https, ws or wss */
  judgeRequest(url: string, what: string): Promise<PinnedVerdict>;
}

export interface RequestGuardDeps {
  profile: string;
  /** Read at every request, so that an edit of the config counts at once. */
  context(): GuardContext;
  resolve: HostResolver;
  feed: BlockedFeed;
}

export function createRequestGuard(deps: RequestGuardDeps): RequestGuard {
  const { resolve } = deps;

  async function settle(judged: UrlJudgement, url: string): Promise<PinnedVerdict> {
    if (judged.kind === "allowed") return { verdict: "allowed", addresses: [] };
    if (judged.kind === "refused") return judged.refusal;
    const literal = literalOf(judged.host);
    let addresses: ResolvedAddress[];
    try {
      addresses = literal === null ? await resolve(judged.host) : [literal];
    } catch {
      // Whatever the resolver's reason: a name without address leads nowhere.
      return dnsRefusal(judged.host, url);
    }
    const refusal = judged.judge(addresses.map(({ address }) => address));
    if (refusal !== null) return refusal;
    return { verdict: "allowed", addresses: [...addresses].sort((a, b) => a.family - b.family) };
  }

  return {
    judgeNavigation: async (url) => withoutAddresses(await settle(judgeUrl(url, deps.context()), url)),
    judgeArrival: async (url) => withoutAddresses(await settle(judgeArrival(url, deps.context()), url)),
    async judgeRequest(url, what) {
      const context = deps.context();
      // Sockets are judged like the pages they belong to; the checks know only web addresses.
      const webUrl = url.replace(/^ws(s?):/i, "http$1:");
      const verdict = await settle(judgeUrl(webUrl, context), url);
      if (verdict.verdict === "blocked") deps.feed.add(deps.profile, what, { ...verdict, url });
      return verdict;
    },
  };
}

function withoutAddresses(verdict: PinnedVerdict): GuardVerdict {
  return verdict.verdict === "allowed" ? { verdict: "allowed" } : verdict;
}

function literalOf(host: string): ResolvedAddress | null {
  if (host.includes(":")) return { address: host, family: 6 };
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ? { address: host, family: 4 } : null;
}

export function contextOf(
  ssrfPolicy: Parameters<typeof effectivePolicy>[0],
  env: GuardContext["env"],
  hardening: GuardContext["hardening"],
): GuardContext {
  return { policy: guardPolicy(effectivePolicy(ssrfPolicy)), env, hardening };
}
