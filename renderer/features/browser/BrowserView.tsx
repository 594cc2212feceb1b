/** The managed browsers: what the page says beside what it shows, and what agents did there. */

import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { Button, EmptyState, ErrorState, Skeleton } from "../../ui/index.ts";
import { ActBar } from "./ActBar.tsx";
import { AddressBar } from "./AddressBar.tsx";
import { addressOf, placeOf } from "./browserAddress.ts";
import { ProfilesDialog } from "./ProfilesDialog.tsx";
import { RecordsPanel } from "./RecordsPanel.tsx";
import { ScreenPane } from "./ScreenPane.tsx";
import { SnapshotPane } from "./SnapshotPane.tsx";
import { StartCard } from "./StartCard.tsx";
import { TabStrip } from "./TabStrip.tsx";
import { chosenOf, useBrowser } from "./useBrowser.ts";
import { type PageLook, usePageLook } from "./usePageLook.ts";
import "./browser.css";

export default function BrowserView() {
  const t = useT("browser");
  const reason = useReason();
  const [path, navigate] = useLocation();
  const place = placeOf(path);
  const now = useBrowser();
  const { profile, tabs, tab } = chosenOf(place, now);
  const [isManaging, setIsManaging] = useState(false);
  const go = useCallback(
    (name: string, targetId: string | null) => navigate(addressOf({ profile: name, targetId })),
    [navigate],
  );
  if (now.error !== null) return <ErrorState title={t("notRead")} error={now.error} onRetry={now.retry} />;
  if (now.overview === undefined) return <Skeleton rows={6} />;
  const { overview } = now;
  const isRunning = profile?.state.kind === "running";
  return (
    <div className="browser-view">
      <Breadcrumb>{[profile?.name, tab?.targetId.slice(0, 4)].filter(Boolean).join(" › ")}</Breadcrumb>
      {overview.disabledReason === null ? null : (
        <p className="browser-off tone-ask" role="status">
          {t("disabled", { reason: reason(overview.disabledReason) })}
        </p>
      )}
      <TabStrip
        profile={profile}
        profiles={overview.profiles}
        tabs={tabs}
        current={tab}
        onGo={go}
        onManage={() => setIsManaging(true)}
      />
      {profile === null ? (
        <EmptyState
          title={t("noProfile", { name: place.profile ?? "" })}
          action={<Button onClick={() => navigate("/browser")}>{t("toDefault")}</Button>}
        />
      ) : !isRunning || tab === null ? (
        <StartCard
          profile={profile}
          guard={overview.guard}
          onOpened={(targetId) => go(profile.name, targetId)}
        />
      ) : (
        <Page key={`${profile.name} ${tab.targetId}`} profile={profile} tab={tab} guard={overview.guard} />
      )}
      {isManaging ? (
        <ProfilesDialog
          overview={overview}
          onClose={() => setIsManaging(false)}
          onGo={(name) => go(name, null)}
        />
      ) : null}
    </div>
  );
}

type PageProps = Pick<Parameters<typeof AddressBar>[0], "profile" | "tab" | "guard">;

/** One page: snapshot and screen side by side, linked by refs; below them what happened. */
function Page({ profile, tab, guard }: PageProps) {
  const look: PageLook = usePageLook(tab);
  const { picked, pick } = look;
  // A ref that the newest snapshot does not have is not picked any more.
  useEffect(() => {
    if (picked !== null && look.snapshot !== null && !look.snapshot.refs.some(({ ref }) => ref === picked)) {
      pick(null);
    }
  }, [picked, pick, look.snapshot]);
  return (
    <>
      <AddressBar profile={profile} tab={tab} guard={guard} isLooking={look.isLooking} onLook={look.take} />
      <div className="browser-panes">
        <SnapshotPane look={look} />
        <ScreenPane look={look} profile={profile} tab={tab} />
      </div>
      <ActBar look={look} tab={tab} />
      <RecordsPanel profile={profile.name} tab={tab} />
    </>
  );
}
