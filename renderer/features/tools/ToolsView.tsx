/** Tools: the catalog, one tool at a time with a form to call it, and the history of all calls. */

import { useState } from "react";
import { useLocation } from "wouter";
import { Breadcrumb } from "../../app/Breadcrumb.tsx";
import { useT } from "../../i18n/index.ts";
import { useLive, useQueryRpc } from "../../rpc/hooks.ts";
import { EmptyState, ErrorState, Pane, Segmented, Skeleton, SplitView } from "../../ui/index.ts";
import { CallHistory } from "./CallHistory.tsx";
import { SkillDetail } from "./SkillDetail.tsx";
import { SkillList } from "./SkillList.tsx";
import { ToolCatalog } from "./ToolCatalog.tsx";
import { ToolDetail } from "./ToolDetail.tsx";
import "./tools.css";

export default function ToolsView() {
  const t = useT("tools");
  const [path, navigate] = useLocation();
  const list = useQueryRpc("tools.list", {});
  const callCount = useLive((state) => state.calls.size);
  const [lastPlace, setLastPlace] = useState("");
  const [, , ...place] = path.split("/");
  // Coming back to the view without a place shows what was looked at last.
  const [first, second] = place.join("") === "" ? lastPlace.split("/") : place;
  const isHistory = first === "calls";
  const isSkill = first === "skills";
  const pickedCall = isHistory && second ? decodeURIComponent(second) : null;
  const pickedSkill = isSkill && second ? decodeURIComponent(second) : null;
  const [skillAgent, setSkillAgent] = useState<string | null>(null);
  const skills = useQueryRpc("skills.list", skillAgent === null ? {} : { agentId: skillAgent }, {
    keepPrevious: true,
  });
  const skill = skills.data?.skills.find(({ name }) => name === pickedSkill) ?? null;
  const picked = isHistory || isSkill || !first ? null : decodeURIComponent(first);
  const pick = (next: string) => {
    setLastPlace(next);
    navigate(`/tools/${next}`);
  };
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
      <Breadcrumb>{isHistory ? t("history") : (skill?.name ?? tool?.name ?? "")}</Breadcrumb>
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
            picked={picked}
            onPick={(name) => pick(encodeURIComponent(name))}
            below={(filter) => (
              <SkillList
                agentId={skillAgent}
                filter={filter}
                picked={pickedSkill}
                onPick={(name) => pick(`skills/${encodeURIComponent(name)}`)}
                onAgent={setSkillAgent}
              />
            )}
          />
        </Pane>
        <Pane
          label={isHistory ? t("history") : isSkill ? t("skill.one") : t("tool")}
          header={
            <Segmented
              label={t("parts")}
              value={isHistory ? "calls" : "tool"}
              options={[
                { value: "tool", label: isSkill ? t("skill.one") : t("tool") },
                { value: "calls", label: t("history"), count: callCount },
              ]}
              onChange={(value) => navigate(value === "calls" ? "/tools/calls" : `/tools/${lastPlace}`)}
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
          ) : isSkill && skills.data !== undefined ? (
            skill === null ? (
              <EmptyState title={t("skill.goneTitle")}>{t("skill.goneText")}</EmptyState>
            ) : (
              <SkillDetail
                key={`${skills.data.agentId} ${skill.name}`}
                skill={skill}
                agentId={skills.data.agentId}
              />
            )
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
