/** What the page looks like: the picture that belongs to the snapshot with its refs, or the live page. */

import { useState } from "react";
import type {
  BrowserBox,
  BrowserProfileView,
  BrowserRef,
  BrowserScreenshot,
  BrowserTab,
} from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Pane, Segmented } from "../../ui/index.ts";
import { LiveScreen } from "./LiveScreen.tsx";
import type { PageLook } from "./usePageLook.ts";

export function ScreenPane(props: { look: PageLook; profile: BrowserProfileView; tab: BrowserTab }) {
  const t = useT("browser");
  const { look, profile, tab } = props;
  const { screenshot } = look;
  const [mode, setMode] = useState<"picture" | "live">("picture");
  const pause = useMutationRpc("browser.pause");
  return (
    <Pane
      label={t("screen.label")}
      header={
        <div className="row browser-pane-head">
          <strong>{t("screen.title")}</strong>
          {screenshot === null || mode === "live" ? null : (
            <span className="second nowrap">
              {screenshot.width}×{screenshot.height}
            </span>
          )}
          <span className="grow" />
          <Segmented
            role="radio"
            label={t("screen.mode")}
            value={mode}
            options={(["picture", "live"] as const).map((value) => ({ value, label: t(`screen.${value}`) }))}
            onChange={setMode}
          />
          <Button
            aria-pressed={profile.isPaused}
            disabled={pause.isPending}
            title={t(profile.isPaused ? "pause.backHint" : "pause.takeHint")}
            onClick={() => pause.mutate({ profile: profile.name, paused: !profile.isPaused })}
          >
            {t(profile.isPaused ? "pause.back" : "pause.take")}
          </Button>
        </div>
      }
    >
      {pause.isError ? (
        <p className="browser-none tone-stop" role="alert">
          {pause.error.message}
        </p>
      ) : null}
      {mode === "live" ? (
        <LiveScreen profile={profile.name} tab={tab} />
      ) : screenshot === null ? null : (
        <Picture screenshot={screenshot} look={look} />
      )}
    </Pane>
  );
}

function Picture({ screenshot, look }: { screenshot: BrowserScreenshot; look: PageLook }) {
  const t = useT("browser");
  // Only what the snapshot's text names: a box that has no place on the other side would explain nothing.
  const shown = new Set(look.lines.flatMap(({ refs }) => refs));
  const named = new Map(look.snapshot?.refs.map((one) => [one.ref, one]));
  return (
    <div className={look.isStale ? "screen-holder is-stale" : "screen-holder"}>
      <div className="screen-picture">
        <img
          src={`data:${screenshot.mimeType};base64,${screenshot.base64}`}
          width={screenshot.width}
          height={screenshot.height}
          alt={t("screen.alt", { title: screenshot.title })}
        />
        {screenshot.boxes.map((box) => {
          const element = named.get(box.ref);
          return element === undefined || !shown.has(box.ref) ? null : (
            <RefBox key={box.ref} box={box} element={element} screenshot={screenshot} look={look} />
          );
        })}
      </div>
      {look.isStale ? <p className="screen-stale tone-ask">{t("screen.changed")}</p> : null}
    </div>
  );
}

function RefBox(props: {
  box: BrowserBox;
  element: BrowserRef;
  screenshot: BrowserScreenshot;
  look: PageLook;
}) {
  const { box, element, screenshot, look } = props;
  const isPicked = look.picked === box.ref;
  const isLit = isPicked || look.hovered === box.ref;
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`screen-box${isLit ? " is-lit" : ""}${isPicked ? " is-picked" : ""}`}
      style={{
        left: share(box.x, screenshot.width),
        top: share(box.y, screenshot.height),
        width: share(box.width, screenshot.width),
        height: share(box.height, screenshot.height),
      }}
      aria-label={`${box.ref} ${element.role} ${element.name ?? ""}`}
      onMouseEnter={() => look.hover(box.ref)}
      onMouseLeave={() => look.hover(null)}
      onClick={() => look.pick(isPicked ? null : box.ref)}
    >
      <span className="screen-tag">{box.ref}</span>
    </button>
  );
}
