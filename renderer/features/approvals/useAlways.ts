/** What a person is about to make lasting: the narrowest choice first, and its own moment to be read. */

import { useEffect, useMemo, useState } from "react";
import type { ApprovalRequest, GrantLifetime, GrantOffer } from "../../../shared/contract/index.ts";
import { lockMs } from "./useUnlock.ts";

/** An entry of the approvals file, or a grant of our own. */
export type AlwaysChoice = { kind: "entry" } | { kind: "grant"; scope: GrantOffer; lifetime: GrantLifetime };

export interface Always {
  /** `reading`: what it stores has just appeared or changed and must be read first. */
  state: "none" | "closed" | "reading" | "read";
  choice: AlwaysChoice | null;
  choose: (choice: AlwaysChoice) => void;
  open: () => void;
}

/** Offered scopes of a request; none when Always is withheld. */
export function scopesOf({ always }: ApprovalRequest): GrantOffer[] {
  return always.kind === "offered" ? (always.scopes ?? []) : [];
}

export function useAlways(request: ApprovalRequest): Always {
  const narrowest = useMemo<AlwaysChoice | null>(() => {
    const [scope] = scopesOf(request);
    if (scope !== undefined) return { kind: "grant", scope, lifetime: { kind: "session" } };
    return request.always.kind === "offered" ? { kind: "entry" } : null;
  }, [request]);
  const [chosen, setChosen] = useState<AlwaysChoice | null>(null);
  const [phase, setPhase] = useState<"closed" | "reading" | "read">("closed");
  const choice = chosen ?? narrowest;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice stores something else, so it starts anew
  useEffect(() => {
    if (phase !== "reading") return;
    // "Save" appears where "Always" was: what will be stored needs its own moment to be read.
    const timer = setTimeout(() => setPhase("read"), lockMs);
    return () => clearTimeout(timer);
  }, [phase, choice]);
  return {
    state: narrowest === null ? "none" : phase,
    choice,
    choose: (next) => {
      setChosen(next);
      setPhase("reading");
    },
    open: () => setPhase("reading"),
  };
}
