/** What every view may rely on: connection, request cache, language, theme, addresses, toasts. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { i18n as I18n } from "i18next";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { I18nextProvider } from "react-i18next";
import { Router } from "wouter";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { AppError } from "../../shared/errors/index.ts";
import { chooseLanguage, createI18n } from "../i18n/index.ts";
import type { PanelRpc } from "../rpc/connection.ts";
import { followInvalidation, PanelContext } from "../rpc/hooks.ts";
import { createLiveStore, type LiveState } from "../rpc/liveStore.ts";
import { ToastProvider } from "../ui/Toast.tsx";
import { useHashPath, useHashSearch } from "./hashLocation.ts";

export function Providers({ rpc, children }: { rpc: PanelRpc; children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [live] = useState(() => createLiveStore(rpc));
  const [i18n] = useState(() => createI18n(chooseLanguage("system", navigator.languages)));
  const panel = useMemo(() => ({ rpc, store: live.store }), [rpc, live]);
  useEffect(() => followInvalidation(rpc, queryClient), [rpc, queryClient]);
  useAppearance(live.store, i18n);
  return (
    <PanelContext.Provider value={panel}>
      <QueryClientProvider client={queryClient}>
        <I18nextProvider i18n={i18n}>
          <Router hook={useHashPath} searchHook={useHashSearch}>
            <ToastProvider>{children}</ToastProvider>
          </Router>
        </I18nextProvider>
      </QueryClientProvider>
    </PanelContext.Provider>
  );
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: false,
        // The panel often runs where the browser believes to be offline: loopback still works.
        networkMode: "always",
        retry: (count, error) => count < 2 && error instanceof AppError && error.code === "TIMEOUT",
      },
    },
  });
}

/** Theme, density and language of the document follow the settings. */
function useAppearance(store: StoreApi<LiveState>, i18n: I18n): void {
  const { theme, language, density } = useStore(store, (state) => state.settings);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    root.dataset.density = density;
    const chosen = chooseLanguage(language, navigator.languages);
    root.lang = chosen;
    if (i18n.language !== chosen) void i18n.changeLanguage(chosen);
  }, [theme, language, density, i18n]);
}
