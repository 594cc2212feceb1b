/** The frame: top bar, rail, banners, the view, status line; and the keys that work everywhere. */

import { type ReactNode, useState } from "react";
import { ApprovalAnnouncer } from "../features/approvals/ApprovalAnnouncer.tsx";
import { useT } from "../i18n/index.ts";
import { useLive } from "../rpc/hooks.ts";
import { Banners } from "./Banners.tsx";
import { FindDialog } from "./FindDialog.tsx";
import { KeysDialog } from "./KeysDialog.tsx";
import { NavRail } from "./NavRail.tsx";
import { StatusLine } from "./StatusLine.tsx";
import { TopBar } from "./TopBar.tsx";
import { useFrameKeys } from "./useFrameKeys.ts";

export function Layout({ children }: { children: ReactNode }) {
  const t = useT("frame");
  const [dialog, setDialog] = useState<"none" | "find" | "keys">("none");
  const isLost = useLive((state) => state.connection.kind === "lost");
  useFrameKeys({ openFind: () => setDialog("find"), openKeys: () => setDialog("keys") });
  const close = () => setDialog("none");
  return (
    <div className={`frame${isLost ? " is-stale" : ""}`}>
      <button type="button" className="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        {t("skip")}
      </button>
      <ApprovalAnnouncer />
      <TopBar onFind={() => setDialog("find")} />
      <NavRail />
      <div className="banners">
        <Banners />
      </div>
      <main className="main" id="main" tabIndex={-1} data-region>
        {children}
      </main>
      <StatusLine onKeys={() => setDialog("keys")} />
      {dialog === "find" ? <FindDialog onClose={close} /> : null}
      {dialog === "keys" ? <KeysDialog onClose={close} /> : null}
    </div>
  );
}
