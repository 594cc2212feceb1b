/** What may run without asking: grants of our own and entries of exec-approvals.json, as two tabs of one view. */

import { Link, Redirect } from "wouter";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { navigateTo } from "../../app/hashLocation.ts";
import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Segmented } from "../../ui/Segmented.tsx";
import { ViewHeader } from "../../ui/ViewHeader.tsx";
import { AllowlistPane } from "./AllowlistPane.tsx";
import { GrantsPane } from "./GrantsPane.tsx";
import "./approvals.css";
import "./rules.css";
import "./scope.css";

const lists = ["grants", "allowlist"] as const;
export type RuleList = (typeof lists)[number];

export function RulesRoute({ params }: { params: { list?: string | undefined } }) {
  const list = lists.find((one) => one === params.list);
  return list === undefined ? <Redirect to="/approvals" replace /> : <RulesView list={list} />;
}

export function RulesView({ list }: { list: RuleList }) {
  const t = useT("approvals");
  const grants = useQueryRpc("grants.list", {});
  const file = useQueryRpc("exec.approvals.get", {});
  const counts = {
    grants: grants.data?.grants.length,
    allowlist: file.data?.state === "broken" ? undefined : file.data?.entries.length,
  };
  return (
    <div className="view">
      <Breadcrumb>{t(`${list}.crumb`)}</Breadcrumb>
      <ViewHeader
        title={t("allowlist.tabs")}
        sub={
          <Segmented
            label={t("allowlist.tabs")}
            value={list}
            options={lists.map((value) => {
              const count = counts[value];
              return { value, label: t(`${value}.title`), ...(count === undefined ? {} : { count }) };
            })}
            onChange={(next) => navigateTo(`/approvals/${next}`, { replace: true })}
          />
        }
        actions={
          <Link href="/approvals" className="button button-plain button-small">
            {t("history.back")}
          </Link>
        }
      />
      {list === "grants" ? <GrantsPane query={grants} /> : <AllowlistPane query={file} />}
    </div>
  );
}
