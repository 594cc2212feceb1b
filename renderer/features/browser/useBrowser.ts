/** Profiles and tabs as they are now: read once, then kept by events. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { BrowserOverview, BrowserProfileView, BrowserTab } from "../../../shared/contract/index.ts";
import { useQueryRpc, useRpcEvent } from "../../rpc/hooks.ts";
import type { BrowserPlace } from "./browserAddress.ts";

export interface BrowserNow {
  /** Absent until tabs are known as well: without them a running browser would look empty. */
  overview: BrowserOverview | undefined;
  error: Error | null;
  tabs: readonly BrowserTab[];
  retry: () => void;
}

export function useBrowser(): BrowserNow {
  const queryClient = useQueryClient();
  const overview = useQueryRpc("browser.profiles", {});
  const tabs = useQueryRpc("browser.tabs", {});
  const take = useCallback(
    (changed: { overview: BrowserOverview; tabs: BrowserTab[] }) => {
      queryClient.setQueryData(["browser.profiles", {}], changed.overview);
      queryClient.setQueryData(["browser.tabs", {}], { tabs: changed.tabs });
    },
    [queryClient],
  );
  useRpcEvent("browser.changed", take);
  return {
    overview: tabs.data === undefined ? undefined : overview.data,
    error: overview.error ?? tabs.error,
    tabs: tabs.data?.tabs ?? [],
    retry: () => {
      void overview.refetch();
      void tabs.refetch();
    },
  };
}

export interface Chosen {
  profile: BrowserProfileView | null;
  /** Tabs of that profile. */
  tabs: readonly BrowserTab[];
  tab: BrowserTab | null;
}

/** What an address means now: never another profile than the named one, a gone tab falls back to the last used. */
export function chosenOf(place: BrowserPlace, now: BrowserNow): Chosen {
  const profiles = now.overview?.profiles ?? [];
  const profile =
    place.profile === null
      ? (profiles.find(({ isDefault }) => isDefault) ?? null)
      : (profiles.find(({ name }) => name === place.profile) ?? null);
  const tabs = profile === null ? [] : now.tabs.filter((tab) => tab.profile === profile.name);
  const tab =
    tabs.find(({ targetId }) => targetId === place.targetId) ??
    tabs.find(({ isLastUsed }) => isLastUsed) ??
    tabs[0] ??
    null;
  return { profile, tabs, tab };
}
