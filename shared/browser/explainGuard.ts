/** Answers "would the browser be let there, and why not?" for a config that need not be the saved one. */

import type { Hardening } from "../hardening/rules.ts";
import type { SsrfPolicyConfig } from "./configSchema.ts";
import {
  dnsRefusal,
  type EffectivePolicy,
  effectivePolicy,
  type GuardContext,
  type GuardRefusal,
  guardPolicy,
  holdsRequests,
  judgeArrival,
  judgeUrl,
  type UrlJudgement,
} from "./guard.ts";

/** The moment of the check. */
export type GuardCheck = "before-navigation" | "after-navigation" | "redirect-chain";

export interface GuardQuestion {
  check: GuardCheck;
  /** For the first two checks. */
  url?: string | undefined;
  /** For `redirect-chain`: the addresses in the order of the visits; empty is allowed. */
  chain?: readonly string[] | undefined;
  ssrfPolicy?: SsrfPolicyConfig | null | undefined;
  /** Counts instead of `ssrfPolicy`, without the defaults of the config; null is a guard without any policy: strict. */
  rawPolicy?: EffectivePolicy | null | undefined;
  /** Proxy variables that count; the rest of the environment does not matter. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface GuardAnswer {
  verdict: "allow" | "block";
  /** null when allowed. */
  kind: GuardRefusal["kind"] | null;
  message: string | null;
  /** The address that was refused. */
  url: string | null;
  effectivePolicy: EffectivePolicy;
  /** Whether a running profile's requests would be held to the policy one by one. */
  holdsEveryRequest: boolean;
}

/** @returns every address of a name; rejects when there is no such name */
export type ResolveName = (host: string) => Promise<readonly string[]>;

export async function explainGuard(
  question: GuardQuestion,
  hardening: Hardening,
  resolve: ResolveName,
): Promise<GuardAnswer> {
  const { rawPolicy } = question;
  const effective = rawPolicy === undefined ? effectivePolicy(question.ssrfPolicy) : (rawPolicy ?? {});
  const policy = guardPolicy(effective);
  const context: GuardContext = { policy, env: question.env ?? {}, hardening };
  const refusal = await firstRefusal(question, context, resolve);
  return {
    verdict: refusal === null ? "allow" : "block",
    kind: refusal?.kind ?? null,
    message: refusal?.message ?? null,
    url: refusal?.url ?? null,
    effectivePolicy: effective,
    holdsEveryRequest: hardening.has("browser.guardEveryRequest") && holdsRequests(policy),
  };
}

async function firstRefusal(
  { check, url, chain }: GuardQuestion,
  context: GuardContext,
  resolve: ResolveName,
): Promise<GuardRefusal | null> {
  if (check === "before-navigation") return settle(judgeUrl(url ?? "", context), url ?? "", resolve);
  const visited = check === "after-navigation" ? [url ?? ""] : (chain ?? []);
  for (const one of visited) {
    const judged = check === "after-navigation" ? judgeArrival(one, context) : judgeUrl(one, context);
    const refusal = await settle(judged, one, resolve);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Looks up the name when the verdict depends on it. @returns null when the address may be opened */
export async function settle(
  judged: UrlJudgement,
  url: string,
  resolve: ResolveName,
): Promise<GuardRefusal | null> {
  if (judged.kind === "allowed") return null;
  if (judged.kind === "refused") return judged.refusal;
  let addresses: readonly string[];
  try {
    addresses = await resolve(judged.host);
  } catch {
    // Whatever the resolver's reason: a name without address leads nowhere.
    return dnsRefusal(judged.host, url);
  }
  return judged.judge(addresses);
}
