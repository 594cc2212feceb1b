/** Which tool of which server a request is about, as a part of the sentence that names the agent. */

import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { CommandText } from "./CommandText.tsx";

/** @returns what the runtime says that it is about; null when it says nothing of the kind */
export function calledTool(request: ApprovalRequest): { server: string; tool: string } | null {
  if (request.kind !== "mcpCall") return null;
  for (const { params } of request.askedBecause) {
    const { server, tool } = params;
    if (typeof server === "string" && typeof tool === "string") return { server, tool };
  }
  return null;
}

export function WantsToCall({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const called = calledTool(request);
  if (called === null) return <>{t("who.sessionCallUnnamed")}</>;
  const evidence = (text: string) => (
    <b className="evidence">
      <CommandText text={text} />
    </b>
  );
  return (
    <Trans
      t={t}
      i18nKey="who.sessionCall"
      components={{ tool: evidence(called.tool), server: evidence(called.server) }}
    />
  );
}
