/** What an agent reads of the page, with refs that light up on the screen beside it. Page text is only ever text. */

import { type KeyboardEvent, useMemo } from "react";
import { useT } from "../../i18n/index.ts";
import { Button, EmptyState, ErrorState, Pane, Segmented, VerdictShape } from "../../ui/index.ts";
import { useNow } from "../../ui/useNow.ts";
import type { SnapshotLine } from "./snapshotLines.ts";
import type { PageLook } from "./usePageLook.ts";

const formats = ["dense", "ai", "role"] as const;
/** More would hold up the window; an agent's own limit is far below. */
const shownLines = 3_000;

export function SnapshotPane({ look }: { look: PageLook }) {
  const t = useT("browser");
  const { snapshot, lines, picked, hovered } = look;
  const nowMs = useNow(5_000);
  const order = useMemo(() => lines.flatMap(({ refs }) => refs), [lines]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || order.length === 0) return;
    event.preventDefault();
    const at = picked === null ? (step === 1 ? -1 : order.length) : order.indexOf(picked);
    const next = order[Math.min(Math.max(at + step, 0), order.length - 1)];
    if (next !== undefined) look.pick(next);
  };
  return (
    <Pane
      label={t("snapshot.label")}
      header={
        <div className="row browser-pane-head">
          <strong>{t("snapshot.title")}</strong>
          {snapshot === null ? null : (
            <span className="second nowrap">
              {t("snapshot.facts", { refs: snapshot.refs.length, tokens: snapshot.tokenEstimate })}
            </span>
          )}
          {snapshot === null ? null : look.isStale ? (
            <span className="tone-ask nowrap">{t("snapshot.stale")}</span>
          ) : (
            <span className="tone-keep nowrap">
              {t("snapshot.fresh", { seconds: Math.max(0, Math.round((nowMs - snapshot.takenAtMs) / 1000)) })}
            </span>
          )}
          <span className="grow" />
          <label className="row small">
            <input
              type="checkbox"
              checked={look.interactiveOnly}
              onChange={(event) => look.setInteractiveOnly(event.target.checked)}
            />
            {t("snapshot.interactive")}
          </label>
          <Segmented
            role="radio"
            label={t("snapshot.format")}
            value={look.format === "aria" ? "ai" : look.format}
            options={formats.map((value) => ({ value, label: value }))}
            onChange={look.setFormat}
          />
          {snapshot === null ? null : (
            <Button
              look="plain"
              icon="copy"
              aria-label={t("snapshot.copy")}
              onClick={() => void navigator.clipboard.writeText(snapshot.text)}
            />
          )}
        </div>
      }
    >
      {look.error !== null ? (
        <ErrorState
          title={t("snapshot.failed")}
          error={look.error}
          hint={look.error.message}
          onRetry={look.take}
        />
      ) : snapshot === null ? null : snapshot.text === "" ? (
        <EmptyState title={t("snapshot.empty")} />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the buttons inside
        <div
          className={look.isStale ? "snapshot-text is-stale" : "snapshot-text"}
          onKeyDown={move}
          onMouseLeave={() => look.hover(null)}
        >
          {lines.slice(0, shownLines).map((line) => (
            <Line key={line.index} line={line} picked={picked} hovered={hovered} look={look} />
          ))}
          {lines.length > shownLines ? (
            <p className="small">{t("snapshot.more", { count: lines.length - shownLines })}</p>
          ) : null}
          {snapshot.more === null ? null : <p className="tone-ask small">{snapshot.more}</p>}
        </div>
      )}
    </Pane>
  );
}

function Line(props: { line: SnapshotLine; picked: string | null; hovered: string | null; look: PageLook }) {
  const t = useT("browser");
  const { line, look } = props;
  const isLit = line.refs.some((ref) => ref === props.picked || ref === props.hovered);
  const className = ["snapshot-line", isLit ? "is-lit" : "", line.isAimedAtAgent ? "is-aimed" : ""].join(" ");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only lights the other side up
    <div className={className} onMouseEnter={() => look.hover(line.refs[0] ?? null)}>
      <span className="snapshot-words">
        {line.parts.map((part, index) =>
          part.ref === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move
            <span key={index}>{part.text}</span>
          ) : (
            <button
              key={part.ref}
              type="button"
              className="snapshot-ref"
              aria-pressed={props.picked === part.ref}
              onMouseEnter={() => look.hover(part.ref)}
              onFocus={() => look.hover(part.ref)}
              onClick={() => look.pick(props.picked === part.ref ? null : part.ref)}
            >
              {part.text}
            </button>
          ),
        )}
      </span>
      {line.isAimedAtAgent ? (
        <span className="snapshot-aimed nowrap">
          <VerdictShape kind="asks" size={9} /> {t("snapshot.aimed")}
        </span>
      ) : null}
    </div>
  );
}
