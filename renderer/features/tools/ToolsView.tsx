/** Tools: the catalog, one tool at a time with a form to call it, and the history of all calls. */

import { useState } from "react";
import { useLocation } from "wouter";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useT } from "../../i18n/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";
import { EmptyState, ErrorState, Pane, Segmented, Skeleton, SplitView } from "../../ui/index.ts";
import { CallHistory } from "./CallHistory.tsx";
import { ToolCatalog } from "./ToolCatalog.tsx";
import { ToolDetail } from "./ToolDetail.tsx";
import "./tools.css";

export default function ToolsView() {
  const t = useT("tools");
  const [path, navigate] = useLocation();
  const list = useQueryRpc("tools.list", {});
  const callCount = useLive((state) => state.calls.size);
  const [, , first, second] = path.split("/");
  const isHistory = first === "calls";
  const pickedCall = isHistory && second ? decodeURIComponent(second) : null;
  const [lastTool, setLastTool] = useState<string | null>(null);
  const picked = !isHistory && first ? decodeURIComponent(first) : lastTool;
  const tools = list.data?.sections.flatMap((section) => section.tools) ?? [];
  const tool = tools.find(({ name }) => name === picked) ?? null;
  const present = tools.filter(({ presence }) => presence.kind === "registered").length;
  if (list.data === undefined) {
    return list.error === null ? (
      <Skeleton rows={10} />
    ) : (
      <ErrorState title={t("listFailed")} error={list.error} onRetry={() => void list.refetch()} />
    );
  }
  return (
    <>
      <Breadcrumb>{isHistory ? t("history") : (tool?.name ?? "")}</Breadcrumb>
      <SplitView>
        <Pane
          kind="list"
          label={t("catalog")}
          header={
            <h2 className="tools-head">
              <span className="view-title">{t("title")}</span>
              <span className="second">{t("presentOf", { present, total: tools.length })}</span>
            </h2>
          }
        >
          <ToolCatalog
            sections={list.data.sections}
            picked={isHistory ? null : picked}
            onPick={(name) => {
              setLastTool(name);
              navigate(`/tools/${encodeURIComponent(name)}`);
            }}
          />
        </Pane>
        <Pane
          label={isHistory ? t("history") : t("tool")}
          header={
            <Segmented
              label={t("parts")}
              value={isHistory ? "calls" : "tool"}
              options={[
                { value: "tool", label: t("tool") },
                { value: "calls", label: t("history"), count: callCount },
              ]}
              onChange={(value) =>
                navigate(value === "calls" ? "/tools/calls" : `/tools/${encodeURIComponent(lastTool ?? "")}`)
              }
            />
          }
        >
          {isHistory ? (
            <CallHistory
              picked={pickedCall}
              onPick={(id) =>
                navigate(id === null ? "/tools/calls" : `/tools/calls/${encodeURIComponent(id)}`, {
                  replace: true,
                })
              }
            />
          ) : tool === null ? (
            <EmptyState title={t("pickTitle")}>{t("pickText")}</EmptyState>
          ) : (
            <ToolDetail key={tool.name} tool={tool} />
          )}
        </Pane>
      </SplitView>
    </>
  );
}
