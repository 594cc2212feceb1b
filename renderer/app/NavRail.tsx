/** The rail of views with their counts; only the count of approvals may be lit. */

import { Link, useLocation } from "wouter";
import { waitsForWord } from "../features/mcpServers/useServers.ts";
import { useT } from "../i18n/index.ts";
import { useLive } from "../rpc/hooks.ts";
import { Icon } from "../ui/Icon.tsx";
import { VerdictShape } from "../ui/Verdict.tsx";
import { type ViewEntry, viewOf, views } from "./views.ts";

const groups: ViewEntry["group"][] = ["work", "rules", "house", "end"];

export function NavRail() {
  const t = useT("frame");
  const [path] = useLocation();
  const current = viewOf(path);
  const pending = useLive((state) => state.pending?.length ?? state.status?.pendingApprovals ?? 0);
  const processes = useLive((state) => state.status?.runningProcesses ?? 0);
  const clients = useLive((state) => state.clients?.length ?? 0);
  const browser = useLive((state) => state.status?.runningBrowsers ?? 0);
  const unconfirmed = useLive((state) => state.mcpServers?.filter(waitsForWord).length ?? 0);
  const counts: Partial<Record<ViewEntry["id"], number>> = {
    approvals: pending,
    processes,
    browser,
    clients,
  };
  return (
    <nav className="rail" aria-label={t("rail.label")} data-region>
      {groups.map((group) => (
        <div key={group} className={`rail-group${group === "end" ? " rail-end" : ""}`}>
          {group === "rules" || group === "house" ? (
            <h2 className="rail-title">{t(`rail.${group}`)}</h2>
          ) : null}
          {views
            .filter((view) => view.group === group)
            .map((view) => {
              const count = counts[view.id] ?? 0;
              const isLit = view.id === "approvals" && count > 0;
              return (
                <Link
                  key={view.id}
                  href={view.path}
                  className="rail-link"
                  aria-current={current?.id === view.id ? "page" : undefined}
                  title={t(`views.${view.id}`)}
                  {...(current?.id === view.id ? { "data-region-start": true } : {})}
                >
                  <Icon name={view.icon} />
                  <span className="rail-word">{t(`views.${view.id}`)}</span>
                  {view.id === "clients" && unconfirmed > 0 ? (
                    <span className="rail-mark" title={t("rail.unconfirmed", { count: unconfirmed })}>
                      <VerdictShape kind="asks" size={9} />
                      <span className="sr-only">{t("rail.unconfirmed", { count: unconfirmed })}</span>
                    </span>
                  ) : null}
                  {count > 0 ? <span className={`rail-count${isLit ? " is-lit" : ""}`}>{count}</span> : null}
                </Link>
              );
            })}
        </div>
      ))}
    </nav>
  );
}
