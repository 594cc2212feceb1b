/** Which waiting request is on screen: it stays until it leaves; then the oldest takes its place (A8). */

import { useEffect, useRef, useState } from "react";
import type { ApprovalDecision, ApprovalRequest } from "../../../shared/contract/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { type KeyGuard, useKeyGuard } from "./useKeyGuard.ts";

export interface Queue {
  /** null until the list was read. */
  pending: ApprovalRequest[] | null;
  current: ApprovalRequest | null;
  /** From 0. */
  index: number;
  show: (id: string) => void;
  /** The request that was on screen and left without a decision made here. */
  departed: ApprovalDecision | null;
  onDecided: (decision: ApprovalDecision) => void;
  isUnderFingers: KeyGuard["isUnderFingers"];
}

/**
 * @param askedId the request that the address names, if any; it is shown as soon as it waits
 * @param onLeaveAsked the person went to another request: the address must name it no more
 */
export function useQueue(askedId: string | null, onLeaveAsked: () => void): Queue {
  const pending = useLive((state) => state.pending);
  const recent = useLive((state) => state.recentDecisions);
  const [shownId, setShownId] = useState<string | null>(askedId);
  const [departedId, setDepartedId] = useState<string | null>(null);
  const decidedHere = useRef(new Set<string>());
  useEffect(() => {
    if (askedId !== null) setShownId(askedId);
  }, [askedId]);

  const current = pending?.find((request) => request.id === shownId) ?? pending?.[0] ?? null;
  const currentId = current?.id ?? null;
  const isRead = pending !== null;
  const keyGuard = useKeyGuard(currentId);
  useEffect(() => {
    if (!isRead || shownId === currentId) return;
    if (shownId !== null && !decidedHere.current.has(shownId)) setDepartedId(shownId);
    setShownId(currentId);
  }, [isRead, shownId, currentId]);

  return {
    pending,
    current,
    index: current === null ? -1 : (pending?.indexOf(current) ?? -1),
    show: (id) => {
      setDepartedId(null);
      keyGuard.choose(id);
      setShownId(id);
      // The address names what is on screen, or a second visit to the same link would not be noticed.
      if (askedId !== null) onLeaveAsked();
    },
    departed: recent.find((decision) => decision.id === departedId) ?? null,
    onDecided: (decision) => {
      decidedHere.current.add(decision.id);
      setDepartedId(null);
    },
    isUnderFingers: keyGuard.isUnderFingers,
  };
}
