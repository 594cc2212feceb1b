/** The panel: providers around the frame, or around the approval card alone in its own window. */

import { useLocation } from "wouter";
import { ApprovalWindow } from "../features/approvals/ApprovalWindow.tsx";
import type { PanelRpc } from "../rpc/connection.ts";
import { Layout } from "./Layout.tsx";
import { Providers } from "./Providers.tsx";
import { Routes } from "./routes.tsx";

export function App({ rpc }: { rpc: PanelRpc }) {
  return (
    <Providers rpc={rpc}>
      <Surface />
    </Providers>
  );
}

function Surface() {
  const [path] = useLocation();
  if (path === "/approval-window") return <ApprovalWindow />;
  return (
    <Layout>
      <Routes />
    </Layout>
  );
}
