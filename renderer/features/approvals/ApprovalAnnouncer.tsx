/** Speaks new requests once, and the last five, one and half a minute; the window's title carries the count. */

import { useEffect, useRef, useState } from "react";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { useNow } from "../../ui/useNow.ts";
import { useHeadline } from "./useHeadline.ts";
import { calledTool } from "./WantsToCall.tsx";

const marksMs = [300_000, 60_000, 30_000] as const;
const assertiveFromMs = 60_000;
/** What is asked for is no command. */
const ownSentences: ReadonlyMap<string, string> = new Map([
  ["configWrite", "announce.configWrite"],
  ["restart", "announce.restart"],
]);

export function ApprovalAnnouncer() {
  const t = useT("approvals");
  const pending = useLive((state) => state.pending);
  const nowMs = useNow();
  const headline = useHeadline();
  /** How many marks each known request has passed. */
  const known = useRef(new Map<string, number>());
  const [polite, setPolite] = useState("");
  const [assertive, setAssertive] = useState("");

  useEffect(() => {
    if (pending === null) return;
    const ids = new Set(pending.map((request) => request.id));
    for (const id of known.current.keys()) if (!ids.has(id)) known.current.delete(id);
    const arrived: string[] = [];
    for (const request of pending) {
      const passed = marksMs.filter((mark) => request.expiresAtMs - nowMs <= mark).length;
      const before = known.current.get(request.id);
      known.current.set(request.id, passed);
      if (before === undefined) {
        const values = { agent: request.agentId, count: request.command.length, reason: headline(request) };
        const called = calledTool(request);
        arrived.push(
          called === null
            ? t(ownSentences.get(request.kind) ?? "announce.request", values)
            : t("announce.call", { ...values, ...called }),
        );
      } else if (passed > before) {
        const mark = marksMs[passed - 1] ?? 0;
        const text = t(`announce.left.${mark / 1_000}`, { agent: request.agentId });
        if (mark <= assertiveFromMs) setAssertive(text);
        else setPolite(text);
      }
    }
    if (arrived.length > 3) setPolite(t("announce.many", { count: arrived.length }));
    else if (arrived.length > 0) setPolite(arrived.join(" "));
  }, [pending, nowMs, t, headline]);

  const count = pending?.length ?? 0;
  useEffect(() => {
    document.title = count > 0 ? t("pageTitleWaiting", { count }) : t("pageTitle");
  }, [count, t]);

  return (
    <>
      <div className="sr-only" role="status" aria-live="polite">
        {polite}
      </div>
      <div className="sr-only" role="alert" aria-live="assertive">
        {assertive}
      </div>
    </>
  );
}
