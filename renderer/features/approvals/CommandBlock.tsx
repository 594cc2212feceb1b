/** The whole command of a request: one row per segment with why it asks beside it, or one block when it cannot be cut. */

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { ApprovalRequest, ApprovalSegment } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { Icon } from "../../ui/Icon.tsx";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { CallBlock } from "./CallBlock.tsx";
import { ChangeText } from "./ChangeText.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";
import { textOf } from "./callText.ts";
import { copyTrueText } from "./trueCopy.ts";
import { useSeen } from "./useUnlock.ts";

const lineHeightPx = 20;

export interface CommandBlockProps {
  request: ApprovalRequest;
  isEndSeen: boolean;
  onEndSeen: () => void;
}

export function CommandBlock({ request, isEndSeen, onEndSeen }: CommandBlockProps) {
  const t = useT("approvals");
  const scrollRef = useRef<HTMLDivElement>(null);
  const endRef = useRef<HTMLButtonElement>(null);
  useSeen(endRef, onEndSeen);
  const linesLeft = useLinesLeft(scrollRef, isEndSeen);
  const command = textOf(request);
  const rows = rowsOf(request);
  const isChange = request.kind === "fileWrite" || request.kind === "configWrite";
  const isCall = request.kind === "mcpCall";
  const end = (
    // Reaching it by keyboard or with a screen reader counts as having read to the end.
    <button type="button" ref={endRef} className="cmd-end" onFocus={onEndSeen} tabIndex={0}>
      <span className="sr-only">{t("command.end")}</span>
    </button>
  );
  const scrollBy = (event: KeyboardEvent) => {
    const scroller = scrollRef.current;
    if (scroller === null || event.target !== scroller) return;
    if (event.key === "End") scroller.scrollTop = scroller.scrollHeight;
    else if (event.key === "Home") scroller.scrollTop = 0;
    else return;
    event.preventDefault();
  };
  return (
    <div className={`cmd-block${isShort(request) ? " is-short" : ""}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend and resists scrolling */}
      <div
        ref={scrollRef}
        className="cmd-scroll"
        data-command-scroll
        role="group"
        aria-label={t(isCall ? "command.call" : isChange ? "command.change" : "command.label", {
          count: command.length,
        })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        onKeyDown={scrollBy}
        onCopy={(event) => copyTrueText(event, command)}
      >
        {isCall ? (
          <CallBlock text={command} end={end} />
        ) : request.kind !== "exec" && request.kind !== "broadMode" ? (
          <ChangeText text={command} end={end} />
        ) : rows === null ? (
          <UncutRow request={request} end={end} />
        ) : (
          rows.map((row, index) => (
            <div key={row.from} className={`cmd-row${row.segment.verdict === "asks" ? " asks" : ""}`}>
              <span className="cmd-number" aria-hidden="true">
                {index + 1}
              </span>
              <div className="cmd-line">
                <CommandText text={command} start={row.from} end={row.segment.end} />
                {row.to > row.segment.end ? (
                  <span className="cmd-operator">
                    <CommandText text={command} start={row.segment.end} end={row.to} />
                  </span>
                ) : null}
                {index === rows.length - 1 ? end : null}
              </div>
              <Why segment={row.segment} />
            </div>
          ))
        )}
      </div>
      {linesLeft > 0 ? (
        <button
          type="button"
          className="cmd-unread"
          tabIndex={-1}
          onClick={() => {
            const scroller = scrollRef.current;
            scroller?.scrollBy({ top: scroller.clientHeight - lineHeightPx });
            // This bar goes away at the end: the focus must stay inside the card, or Escape would reach nobody.
            scroller?.focus({ preventScroll: true });
          }}
        >
          <Icon name="arrowDown" size={12} />
          {t("command.unread", { count: linesLeft })}
        </button>
      ) : null}
    </div>
  );
}

/** A short command keeps its height; a long one gives way to the facts and scrolls. */
function isShort({ command, segments }: ApprovalRequest): boolean {
  return command.length < 400 && command.split("\n").length <= 4 && (segments?.length ?? 1) <= 4;
}

/** Reasons whose few words and program path say it all. */
const toldByPath = new Set(["allowlistMiss", "programMissing"]);

/** Reasons that are more than a question. */
const dangerous = new Set(["pipedIntoShell"]);

interface Row {
  segment: ApprovalSegment;
  from: number;
  to: number;
}

/** Rows that together show every character of the command; null when the segments do not allow that. */
function rowsOf(request: ApprovalRequest): Row[] | null {
  const { segments, command } = request;
  if (segments === null || segments.length === 0) return null;
  const rows = segments.map((segment, index) => ({
    segment,
    from: index === 0 ? 0 : segment.start,
    to: segments[index + 1]?.start ?? command.length,
  }));
  const isWhole = rows.every(
    ({ segment, from, to }) => from <= segment.start && segment.end <= to && from <= to,
  );
  return isWhole ? rows : null;
}

function UncutRow({ request, end }: { request: ApprovalRequest; end: React.ReactNode }) {
  const t = useT("approvals");
  const reason = useReason();
  const { command, analysisProblem: problem } = request;
  const isSpot = problem !== null && problem.start < problem.end && problem.end <= command.length;
  return (
    <div className="cmd-row asks">
      <span className="cmd-number" aria-hidden="true" />
      <div className="cmd-line">
        {isSpot ? (
          <>
            <CommandText text={command} end={problem.start} />
            <mark className="cmd-spot">
              <CommandText text={command} start={problem.start} end={problem.end} />
            </mark>
            <CommandText text={command} start={problem.end} />
          </>
        ) : (
          <CommandText text={command} />
        )}
        {end}
      </div>
      <div className="cmd-why">
        <VerdictChip kind="asks">{t("command.uncut")}</VerdictChip>
        {problem === null ? null : <PlainText text={reason(problem.reason)} />}
      </div>
    </div>
  );
}

function Why({ segment }: { segment: ApprovalSegment }) {
  const t = useT("approvals");
  const reason = useReason();
  const place = segment.resolvedPath ?? segment.argv[0] ?? "";
  if (segment.verdict !== "asks") {
    return (
      <div className="cmd-why">
        <VerdictChip kind="kept">{t(`verdict.${segment.verdict}`)}</VerdictChip>
        <CommandText text={place} />
      </div>
    );
  }
  const short = reason(segment.reason, "short");
  const long = reason(segment.reason, "row");
  return (
    <div className="cmd-why">
      <VerdictChip kind={dangerous.has(segment.reason.code) ? "danger" : "asks"}>{short}</VerdictChip>
      {toldByPath.has(segment.reason.code) || long === short ? (
        <CommandText text={place} />
      ) : (
        <PlainText text={long} />
      )}
    </div>
  );
}

/** Lines below the lower edge of the command, until its end was seen. */
function useLinesLeft(ref: RefObject<HTMLDivElement | null>, isEndSeen: boolean): number {
  const [lines, setLines] = useState(0);
  useEffect(() => {
    const scroller = ref.current;
    if (scroller === null || isEndSeen) {
      setLines(0);
      return;
    }
    const measure = () => {
      const hidden = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
      setLines(hidden <= 2 ? 0 : Math.ceil(hidden / lineHeightPx));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    scroller.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", measure);
    };
  }, [ref, isEndSeen]);
  return lines;
}
