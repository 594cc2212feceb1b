/** "Always" for a tool of an MCP server: exactly what is stored, and what ends it. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "./CommandText.tsx";

export type McpToolOffer = NonNullable<Extract<ApprovalRequest["always"], { kind: "offered" }>["mcpTool"]>;

/** @returns the tool that "always" would store; null for every other request */
export function toolOffer({ always }: ApprovalRequest): McpToolOffer | null {
  return always.kind === "offered" ? (always.mcpTool ?? null) : null;
}

export function CallAlways({ offer }: { offer: McpToolOffer }) {
  const t = useT("approvals");
  const { server, tool, agentId, definitionDigest } = offer;
  return (
    <>
      <div className="scope-stores">
        <h4>{t("scope.stores")}</h4>
        <div>
          <p className="evidence">
            <CommandText text={`tool = ${tool}`} />
            {" · "}
            <CommandText text={`server = ${server}`} />
            {" · "}
            <CommandText text={`agent = ${agentId}`} />
            {" · "}
            {t("callAlways.anyArguments")}
          </p>
          <p className="evidence" title={definitionDigest}>
            {t("callAlways.definition", {
              digest: t("facts.hash", {
                start: definitionDigest.slice(0, 8),
                end: definitionDigest.slice(-4),
              }),
            })}
          </p>
          <p className="second">{t("callAlways.until")}</p>
        </div>
      </div>
      <p className="always-line">
        <VerdictShape kind="asks" />
        <span>{t("callAlways.warning")}</span>
      </p>
    </>
  );
}
