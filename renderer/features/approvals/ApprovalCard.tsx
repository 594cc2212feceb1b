/** One request, everything a person needs to judge it, and the bar that decides it. */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { ApprovalDecision, ApprovalRequest } from "../../../shared/contract/index.ts";
import { changedFiles } from "../../../shared/files/changeLines.ts";
import { isTyping, useKeyHelp } from "../../app/viewKeys.ts";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { useToast } from "../../ui/Toast.tsx";
import { VerdictChip } from "../../ui/Verdict.tsx";
import { AllowBar, DenyBar } from "./ActionBar.tsx";
import { AlwaysPanel } from "./AlwaysPanel.tsx";
import { CommandBlock } from "./CommandBlock.tsx";
import { CommandText, PlainText } from "./CommandText.tsx";
import { textOf } from "./callText.ts";
import { EditField } from "./EditField.tsx";
import { ExplainList } from "./ExplainList.tsx";
import { Facts } from "./Facts.tsx";
import { NoteField } from "./NoteField.tsx";
import { Refusal } from "./Refusal.tsx";
import { TimeLeft } from "./TimeLeft.tsx";
import { useActivationGuard } from "./useActivationGuard.ts";
import { useAlways } from "./useAlways.ts";
import { useCopyCommand } from "./useCopyCommand.ts";
import { useDecide } from "./useDecide.ts";
import { useHeadline } from "./useHeadline.ts";
import { isDenyingKey } from "./useKeyGuard.ts";
import { useUnlock } from "./useUnlock.ts";
import { WantsToCall } from "./WantsToCall.tsx";
import { Warnings } from "./Warnings.tsx";
import "./approvals.css";

export interface ApprovalCardProps {
  request: ApprovalRequest;
  onDecided: (decision: ApprovalDecision) => void;
  /** In its own window Escape and the chord work wherever the focus is. */
  isWindow?: boolean;
  /** The person has just come to this view: then the focus goes to Deny from wherever it was. */
  takesFocus?: boolean;
  /** Asked once, when it appears: then no key denies it before the time that locks Allow is over. */
  isUnderFingers?: (id: string) => boolean;
}

/**
 * Mount with `key` made of id and digest: another request starts with a fresh lock and an empty note. An edited
 * command is another request to a reader, so it gets a fresh card too (A14).
 */
export function ApprovalCard(props: ApprovalCardProps) {
  const [edited, setEdited] = useState<ApprovalRequest | null>(null);
  const shown = edited ?? props.request;
  return <Card key={shown.digest} {...props} request={shown} original={props.request} onEdited={setEdited} />;
}

interface CardProps extends ApprovalCardProps {
  /** As the agent made it; differs from `request` when a person has edited the command. */
  original: ApprovalRequest;
  /** Shows the edited command for review; null goes back to the original. */
  onEdited: (edited: ApprovalRequest | null) => void;
}

function Card(props: CardProps) {
  const { request, original, onEdited, onDecided, isWindow = false, takesFocus = false } = props;
  const t = useT("approvals");
  const cardRef = useRef<HTMLElement>(null);
  const denyRef = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const unlock = useUnlock();
  const [isGuarded] = useState(() => props.isUnderFingers?.(request.id) ?? false);
  const [hasHeldKey, setHasHeldKey] = useState(false);
  const { phase, decide } = useDecide(request, onDecided);
  const [isNoteOpen, setIsNoteOpen] = useState(false);
  const [note, setNote] = useState("");
  const [isEditing, setIsEditing] = useState(false);
  const [isExplained, setIsExplained] = useState(false);
  const always = useAlways(request);
  const isLost = useLive((state) => state.connection.kind === "lost");
  const singleKeys = useLive((state) => state.settings.singleKeys);
  const headline = useHeadline();
  const why = t("asks.chip", { reason: headline(request) });
  const toast = useToast();
  const copy = useCopyCommand(textOf(request), (text) => toast({ text }));
  useActivationGuard(cardRef);
  useKeyHelp({
    Escape: t("keys.esc"),
    "Ctrl+Shift+Enter": t("keys.allow"),
    n: t("keys.note"),
    PageDown: t("keys.page"),
  });
  const takesFocusAtFirst = useRef(takesFocus || isWindow);
  useEffect(() => {
    const active = document.activeElement;
    if (isTyping(active) || document.querySelector("dialog[open]") !== null) return;
    // The focus never leaves something the person is at: it comes here only when it has no place any more.
    const isFree = active === null || active === document.body || active.closest("main") !== null;
    if (isFree || takesFocusAtFirst.current) denyRef.current?.focus({ preventScroll: true });
  }, []);

  const isBusy = phase.kind === "deciding" || phase.kind === "decided";
  // What stands in an open field was not reviewed: nothing may run while somebody types.
  const mayAllow = unlock.isUnlocked && !isBusy && !isLost && !isEditing;
  const deny = () => decide("deny");
  const denyWithNote = () => decide("deny", { note: note.trim() });
  const allowOnce = () => {
    if (mayAllow) decide("allow-once");
  };
  const allowAlways = () => {
    const { state, choice } = always;
    if (!mayAllow || state !== "read" || choice === null) return;
    if (choice.kind === "entry") return decide("allow-always");
    decide("allow-always", { grant: { scopeId: choice.scope.id, lifetime: choice.lifetime } });
  };
  const openNote = () => {
    setIsNoteOpen(true);
    requestAnimationFrame(() => cardRef.current?.querySelector("textarea")?.focus());
  };

  const openAlways = () => {
    always.open();
    requestAnimationFrame(() => cardRef.current?.querySelector<HTMLElement>(".always-panel")?.focus());
  };

  const onKey = (
    event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey"> & {
      target: EventTarget | null;
      preventDefault: () => void;
    },
  ) => {
    const isField = isTyping(event.target);
    if (!isField && isGuarded && unlock.remainingMs > 0 && isDenyingKey(event, denyRef.current)) {
      setHasHeldKey(true);
    } else if (event.key === "Escape") {
      // A field is the innermost thing: the first Escape only leaves it.
      if (isField) denyRef.current?.focus();
      else deny();
    } else if (isField) {
      return;
    } else if (event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      allowOnce();
    } else if (event.key === "n" && singleKeys && !event.ctrlKey && !event.metaKey && !event.altKey) {
      openNote();
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      scrollCard(cardRef.current, event.key === "PageDown" ? 1 : -1);
    } else {
      return;
    }
    event.preventDefault();
  };
  const latestKey = useRef(onKey);
  latestKey.current = onKey;
  useEffect(() => {
    const element: HTMLElement | Document | null = isWindow ? document : cardRef.current;
    const listener = (event: Event) => {
      const key = event as globalThis.KeyboardEvent;
      if (key.defaultPrevented || key.isComposing) return;
      // A held key repeats: it must not answer the request that follows, nor press its button.
      if (!key.repeat) latestKey.current(key);
      else if (!isTyping(key.target) && isDenyingKey(key, denyRef.current)) key.preventDefault();
    };
    element?.addEventListener("keydown", listener);
    return () => element?.removeEventListener("keydown", listener);
  }, [isWindow]);

  return (
    <article
      className="approval"
      ref={cardRef}
      tabIndex={-1}
      aria-labelledby={titleId}
      data-approval-id={request.id}
    >
      <DenyBar
        denyRef={denyRef}
        isBusy={isBusy}
        isNoteOpen={isNoteOpen}
        hasNote={note.trim() !== ""}
        onDeny={deny}
        onDenyWithNote={denyWithNote}
        onOpenNote={openNote}
      />
      <header className="approval-head">
        <h2 id={titleId} className="view-title">
          {request.kind === "exec"
            ? t(`title.${request.host}`)
            : t(`title.${request.kind}`, { count: changedFiles(request.command).length })}
        </h2>
        {/* Where it is cut, the same reason stands in full beside the command or in the warnings. */}
        <span className="approval-why grow" title={why}>
          <VerdictChip kind="asks" filled>
            <PlainText text={why} />
          </VerdictChip>
        </span>
        <TimeLeft request={request} />
      </header>
      <div className="approval-body">
        <div className="approval-who">
          <p className="grow">
            <Who request={request} />
          </p>
          {request.kind === "exec" ? (
            <Button look="plain" aria-pressed={isExplained} onClick={() => setIsExplained(!isExplained)}>
              {t("explain.open")}
            </Button>
          ) : null}
          {original.kind === "exec" && original.canEdit === true && !isEditing ? (
            <Button look="plain" icon="edit" onClick={() => setIsEditing(true)}>
              {t("edit.open")}
            </Button>
          ) : null}
          <Button look="plain" icon="copy" onClick={copy}>
            {t("copy")}
          </Button>
        </div>
        {request.editedFrom === undefined ? null : (
          <div className="edited-line">
            <p className="grow">
              <strong>{t("edit.marked")}</strong> {t("edit.askedFor")}{" "}
              <code>
                <CommandText text={request.editedFrom} />
              </code>
            </p>
            <Button look="plain" onClick={() => onEdited(null)}>
              {t("edit.back")}
            </Button>
          </div>
        )}
        {isEditing ? (
          <EditField
            request={original}
            initial={request.command}
            onReview={onEdited}
            onCancel={() => setIsEditing(false)}
          />
        ) : (
          <CommandBlock request={request} isEndSeen={unlock.isEndSeen} onEndSeen={unlock.markEndSeen} />
        )}
        <div className="approval-rest">
          {isExplained ? <ExplainList command={request.command} /> : null}
          <Warnings request={request} />
          <Facts request={request} />
          {isEditing ? null : <AlwaysPanel request={request} always={always} />}
          {isNoteOpen ? <NoteField value={note} onChange={setNote} /> : null}
          <Refusal phase={phase} />
        </div>
      </div>
      <AllowBar
        unlock={unlock}
        phase={phase}
        isLost={isLost}
        hasHeldKey={hasHeldKey}
        mayAllow={mayAllow}
        isEditing={isEditing}
        isChange={request.kind === "fileWrite" || request.kind === "configWrite"}
        isCall={request.kind === "mcpCall"}
        always={always.state}
        savesGrant={always.choice?.kind === "grant"}
        onAllowOnce={allowOnce}
        onOpenAlways={openAlways}
        onAllowAlways={allowAlways}
      />
    </article>
  );
}

/** Scrolls the command, then, where it ends, the card around it: one key reaches everything. */
function scrollCard(card: HTMLElement | null, sign: 1 | -1): void {
  const command = card?.querySelector("[data-command-scroll]");
  const body = card?.querySelector(".approval-body");
  if (command === null || command === undefined || body === null || body === undefined) return;
  const left = sign > 0 ? command.scrollHeight - command.clientHeight - command.scrollTop : command.scrollTop;
  const target = left > 2 ? command : body;
  target.scrollBy({ top: sign * Math.max(40, target.clientHeight - 20) });
}

const sessionKeys: ReadonlyMap<string, string> = new Map([
  ["fileWrite", "who.sessionFile"],
  ["browserAct", "who.sessionPage"],
  ["configWrite", "who.sessionConfig"],
  ["restart", "who.sessionRestart"],
]);

function Who({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  return (
    <>
      {t("who.agent")}{" "}
      <b className="evidence">
        <CommandText text={request.agentId} />
      </b>{" "}
      {request.kind === "mcpCall" ? (
        <WantsToCall request={request} />
      ) : (
        t(sessionKeys.get(request.kind) ?? "who.session")
      )}{" "}
      <b className="evidence">
        <CommandText text={request.sessionKey} />
      </b>
      {request.callerLabel === "" ? null : (
        <span className="dim">
          {" "}
          · {t("who.via")} <CommandText text={request.callerLabel} />
        </span>
      )}
      {request.joinedCount > 1 ? <span> · {t("who.joined", { count: request.joinedCount })}</span> : null}
    </>
  );
}
