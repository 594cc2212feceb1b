/** Addresses of the views. The policy, processes and tools views are loaded when they are opened. */

import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { ApprovalsView } from "../features/approvals/ApprovalsView.tsx";
import { HistoryView } from "../features/approvals/HistoryView.tsx";
import { RulesRoute } from "../features/approvals/RulesView.tsx";
import { ClientsView } from "../features/clients/ClientsView.tsx";
import { SettingsView } from "../features/settings/SettingsView.tsx";
import { ErrorBoundary } from "../ui/ErrorBoundary.tsx";
import { Skeleton } from "../ui/Skeleton.tsx";

const BrowserView = lazy(() => import("../features/browser/BrowserView.tsx"));
const PolicyView = lazy(() => import("../features/policy/PolicyView.tsx"));
const ProcessesView = lazy(() => import("../features/processes/ProcessesView.tsx"));
const ToolsView = lazy(() => import("../features/tools/ToolsView.tsx"));

export function Routes() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Skeleton rows={8} />}>
        <Switch>
          <Route path="/approvals" component={ApprovalsView} />
          <Route path="/approvals/history" component={HistoryView} />
          <Route path="/approvals/:list" component={RulesRoute} />
          <Route path="/policy/*?" component={PolicyView} />
          <Route path="/processes/*?" component={ProcessesView} />
          <Route path="/browser/*?" component={BrowserView} />
          <Route path="/tools/*?" component={ToolsView} />
          <Route path="/clients/*?" component={ClientsView} />
          <Route path="/settings" component={SettingsView} />
          <Route>
            <Redirect to="/approvals" replace />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
