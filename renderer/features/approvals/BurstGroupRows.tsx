/** One group of a burst: its shape with holes, and its rows when it is open. */

import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useSessionName } from "../../rpc/useSessionName.ts";
import { Button } from "../../ui/Button.tsx";
import { Chip } from "../../ui/Chip.tsx";
import { clockText, useNow } from "../../ui/useNow.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { BurstMembers } from "./BurstMembers.tsx";
import type { BurstGroup } from "./burstGroups.ts";
import { CommandText, PlainText } from "./CommandText.tsx";
import { useHeadline } from "./useHeadline.ts";

export interface BurstGroupRowsProps {
  group: BurstGroup;
  isOpen: boolean;
  isBusy: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onReview: (id: string) => void;
  onDecide: (decision: "allow-once" | "deny", requests: ApprovalRequest[]) => void;
}

export function BurstGroupRows(props: BurstGroupRowsProps) {
  const t = useT("approvals");
  const { group, isOpen } = props;
  const { first } = group;
  const headline = useHeadline();
  const nowMs = useNow();
  const sessionName = useSessionName();
  const count = group.rows.length;
  const requests = group.rows.map((row) => row.request);
  const expiresAtMs = Math.min(...requests.map((request) => request.expiresAtMs));
  const danger = first.warnings.some((warning) => warning.level === "danger");
  return (
    <tbody>
      <tr
        className={`burst-group${isOpen ? " is-open" : ""}`}
        data-group={group.key}
        tabIndex={0}
        onFocus={props.onFocus}
      >
        <td className={`burst-count evidence${count === 1 ? " dim" : ""}`}>{count}</td>
        <td className="evidence burst-command">
          <div className="burst-shape">
            <Shape group={group} />
          </div>
        </td>
        <td className="evidence burst-agent" title={first.sessionKey}>
          <CommandText text={`${first.agentId} · ${sessionName(first.sessionKey)}`} />
        </td>
        <td className={`burst-why${danger ? " tone-stop" : ""}`}>
          {danger ? <VerdictShape kind="danger" /> : null} <PlainText text={headline(first)} />
        </td>
        <td className="burst-time evidence dim">{clockText(nowMs - first.createdAtMs)}</td>
        <td className="burst-time evidence dim">{clockText(expiresAtMs - nowMs)}</td>
        <td>
          <div className="row burst-acts">
            <Button disabled={props.isBusy} onClick={() => props.onDecide("deny", requests)}>
              {count === 1 ? t("deny") : t("burst.deny", { count })}
            </Button>
            {count === 1 ? (
              <Button onClick={() => props.onReview(first.id)}>{t("burst.reviewOne")}</Button>
            ) : (
              <Button aria-expanded={isOpen} onClick={props.onToggle}>
                {isOpen ? t("burst.close") : t("burst.review", { count })}
              </Button>
            )}
          </div>
        </td>
      </tr>
      {isOpen && count > 1 ? (
        <tr className="burst-open">
          <td colSpan={7}>
            <BurstMembers
              group={group}
              isBusy={props.isBusy}
              onReview={props.onReview}
              onDecide={props.onDecide}
            />
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function Shape({ group }: { group: BurstGroup }) {
  const t = useT("approvals");
  const { shape, first, rows } = group;
  if (shape === null || group.isIdentical || rows.length === 1) {
    return (
      <>
        <CommandText text={first.command} />
        {rows.length > 1 ? <span className="dim"> {t("burst.identical")}</span> : null}
      </>
    );
  }
  const holes = shape.filter((word) => word === null).length;
  return (
    <>
      {shape.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words stand at fixed places and may be equal
        <span key={index}>
          {word === null ? <Chip tone="run">{t("burst.hole")}</Chip> : <CommandText text={word} />}{" "}
        </span>
      ))}
      <span className="dim">{t("burst.differ", { count: holes })}</span>
    </>
  );
}
