/** Name of the view, find, and the annunciator. */

import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useT } from "../i18n/index.ts";
import { Kbd } from "../ui/Button.tsx";
import { Icon, Logo } from "../ui/Icon.tsx";
import { Annunciator } from "./Annunciator.tsx";
import { breadcrumbStore } from "./Breadcrumb.tsx";
import { viewOf } from "./views.ts";

export function TopBar({ onFind }: { onFind: () => void }) {
  const t = useT("frame");
  const [path] = useLocation();
  const crumb = useStore(breadcrumbStore, (state) => state.text);
  const view = viewOf(path);
  return (
    <header className="top-bar" data-region>
      <div className="brand">
        <Logo />
        <span>{t("product")}</span>
      </div>
      <div className="crumbs ellipsis">
        <h1>{view === undefined ? t("product") : t(`views.${view.id}`)}</h1>
        {crumb === null ? null : (
          <>
            <span aria-hidden="true">{t("crumbSign")}</span>
            <span className="ellipsis">{crumb}</span>
          </>
        )}
      </div>
      <button
        type="button"
        className="find-button"
        onClick={onFind}
        aria-keyshortcuts="Control+K"
        aria-label={t("find.button")}
      >
        <Icon name="search" />
        <span>{t("find.button")}</span>
        <Kbd>{t("find.key")}</Kbd>
      </button>
      <Annunciator />
    </header>
  );
}
