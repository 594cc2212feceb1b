/** Which browser, which page: the profile with its colour, its tabs, starting and stopping. */

import { type KeyboardEvent, useRef, useState } from "react";
import type { BrowserProfileView, BrowserTab } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Icon, Picker } from "../../ui/index.ts";
import { rovingIndex } from "../../ui/rovingIndex.ts";
import { profileStateText } from "./browserWords.ts";
import { OpenPage } from "./OpenPage.tsx";

export function TabStrip(props: {
  profile: BrowserProfileView | null;
  profiles: readonly BrowserProfileView[];
  tabs: readonly BrowserTab[];
  current: BrowserTab | null;
  onGo: (profile: string, targetId: string | null) => void;
  onManage: () => void;
}) {
  const t = useT("browser");
  const { profile, tabs, current, onGo } = props;
  const [isOpening, setIsOpening] = useState(false);
  const stop = useMutationRpc("browser.stop");
  const close = useMutationRpc("browser.close");
  const failed = stop.error ?? close.error;
  return (
    <div className="browser-strip">
      <div className="browser-profile" style={profile === null ? {} : { borderLeftColor: profile.color }}>
        <Picker
          label={t("profile")}
          value={profile?.name ?? ""}
          options={props.profiles.map((one) => ({
            value: one.name,
            label: one.name,
            hint: profileStateText(t, one),
          }))}
          onChange={(name) => onGo(name, null)}
        />
        {profile === null ? null : <span className="small">{profileStateText(t, profile)}</span>}
      </div>
      <div className="browser-tabs">
        <Tabs tabs={tabs} current={current} onGo={onGo} onClose={(tab) => close.mutate(tab)} />
        {profile?.state.kind === "running" ? (
          <Button look="plain" icon="plus" aria-label={t("newTab")} onClick={() => setIsOpening(true)} />
        ) : null}
      </div>
      <Button look="plain" onClick={props.onManage}>
        {t("profiles", { count: props.profiles.length })}
      </Button>
      {profile !== null && profile.state.kind === "running" && !profile.attachOnly ? (
        <Button disabled={stop.isPending} onClick={() => stop.mutate({ profile: profile.name })}>
          {t("stop")}
        </Button>
      ) : null}
      {failed === null ? null : (
        <p className="browser-strip-error tone-stop" role="alert">
          {failed.message}
        </p>
      )}
      {isOpening && profile !== null ? (
        <OpenPage
          profile={profile.name}
          onClose={() => setIsOpening(false)}
          onOpened={(targetId) => {
            setIsOpening(false);
            onGo(profile.name, targetId);
          }}
        />
      ) : null}
    </div>
  );
}

/** A page is loaded when it is gone to, so arrows only move the focus; Enter and Space go there. */
function Tabs(props: {
  tabs: readonly BrowserTab[];
  current: BrowserTab | null;
  onGo: (profile: string, targetId: string) => void;
  onClose: (tab: { profile: string; targetId: string }) => void;
}) {
  const t = useT("browser");
  const { tabs, current } = props;
  const listRef = useRef<HTMLDivElement>(null);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  // One of them is reached by Tab: that with the focus, else the one on screen.
  const reachable = tabs.find(({ targetId }) => targetId === focusedId) ?? current ?? tabs[0] ?? null;
  const move = (event: KeyboardEvent) => {
    const row = [...(listRef.current?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const at = row.findIndex((one) => one.matches(":focus"));
    const next = rovingIndex(event.key, at, row.length);
    if (at < 0 || next === null) return;
    event.preventDefault();
    row[next]?.focus();
  };
  return (
    <div
      ref={listRef}
      className="browser-tab-list"
      role="tablist"
      tabIndex={-1}
      aria-label={t("tabs")}
      onKeyDown={move}
    >
      {tabs.map((tab) => (
        <div
          key={tab.targetId}
          role="presentation"
          className={tab === current ? "browser-tab is-current" : "browser-tab"}
        >
          <button
            type="button"
            role="tab"
            aria-selected={tab === current}
            tabIndex={tab === reachable ? 0 : -1}
            className="browser-tab-name"
            title={`${tab.title}\n${tab.url}`}
            onFocus={() => setFocusedId(tab.targetId)}
            onBlur={() => setFocusedId(null)}
            onClick={() => props.onGo(tab.profile, tab.targetId)}
          >
            <span className="ellipsis">{tab.title === "" ? tab.url : tab.title}</span>
            <code className="small">{tab.targetId.slice(0, 4)}</code>
            {tab.state === "crashed" ? <span className="tone-stop small">{t("tabCrashed")}</span> : null}
          </button>
          {tab === current ? (
            <button
              type="button"
              className="browser-tab-close"
              aria-label={t("closeTab", { title: tab.title })}
              onClick={() => props.onClose({ profile: tab.profile, targetId: tab.targetId })}
            >
              <Icon name="cross" size={10} />
            </button>
          ) : null}
        </div>
      ))}
    </div>
  );
}
