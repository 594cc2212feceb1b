/** What is odd about the config in this context: lists that restrict nothing, names that nobody has. */

import type { TFunction } from "i18next";
import { useEffect, useRef } from "react";
import { toolGroups } from "../../../../shared/policy/catalog.ts";
import { pathText } from "../../../../shared/policy/index.ts";
import type { PolicyFinding } from "../../../../shared/policy/types.ts";
import { VerdictShape } from "../../../ui/index.ts";
import { LineLink } from "../LineLink.tsx";
import { lineOf } from "../model/matrixModel.ts";
import { Rich } from "../Rich.tsx";
import type { TraceView } from "../usePolicyTrace.ts";

export function Findings({
  t,
  view,
  active,
}: {
  t: TFunction;
  view: TraceView;
  /** Position of the one that keys have chosen. */
  active?: number | null | undefined;
}) {
  const findings = mergedFindings(view.findings);
  if (findings.length === 0) return <p className="second">{t("detail.noWarnings")}</p>;
  return (
    <ul className="policy-findings">
      {findings.map(({ finding, columns }, index) => (
        <Finding
          key={`${finding.kind} ${finding.path} ${finding.entries.join()}`}
          t={t}
          view={view}
          finding={finding}
          columns={columns}
          isActive={index === active}
        />
      ))}
    </ul>
  );
}

/** A group that names nothing of use is another thing than a name that nobody has. */
function groupSuffix({ kind, entries }: PolicyFinding): string {
  const [entry = ""] = entries;
  if (kind !== "unknown-entry" || !entry.startsWith("group:")) return "";
  return toolGroups.has(entry) ? "_group" : "_noGroup";
}

/** One list may speak at two stages: then it is one finding, seen at both. */
export function mergedFindings(findings: readonly PolicyFinding[]) {
  const merged = new Map<string, { finding: PolicyFinding; columns: PolicyFinding["column"][] }>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.kind, finding.path, finding.entries]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { finding, columns: [finding.column] });
    else known.columns.push(finding.column);
  }
  return [...merged.values()];
}

function Finding(props: {
  t: TFunction;
  view: TraceView;
  finding: PolicyFinding;
  columns: readonly PolicyFinding["column"][];
  isActive: boolean;
}) {
  const { t, finding } = props;
  const { trace, positions } = props.view;
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (props.isActive) ref.current?.scrollIntoView({ block: "nearest" });
  }, [props.isActive]);
  const number = trace.columns.find(({ id }) => id === finding.column)?.number;
  const numbers = props.columns.flatMap(
    (id) => trace.columns.find((column) => column.id === id)?.number ?? [],
  );
  const line = lineOf(positions, finding.configPath);
  return (
    <li ref={ref} className={props.isActive ? "is-active" : ""} aria-current={props.isActive}>
      <VerdictShape kind={finding.failsOpen ? "failsOpen" : "asks"} />
      <div>
        <Rich
          t={t}
          k={`finding.${finding.kind}${groupSuffix(finding)}`}
          values={{
            entries: finding.entries.map((entry) => JSON.stringify(entry)).join(", "),
            stage: number === undefined ? finding.stage : `${number} ${finding.stage}`,
            path: finding.path,
          }}
        />{" "}
        {finding.suggestion === undefined ? null : (
          <Rich t={t} k="finding.didYouMean" values={{ name: finding.suggestion }} />
        )}{" "}
        {numbers.length < 2 ? null : t("finding.seenAt", { numbers: numbers.join(", ") })}{" "}
        <LineLink line={line} />
        {finding.failsOpen ? (
          <p className="second">{t(finding.enforced ? "detail.enforcedHere" : "detail.failsOpenThere")}</p>
        ) : null}
        {(finding.fix ?? []).map((fix) => (
          <p key={`${fix.op} ${pathText(fix.path)}`} className="second">
            <Rich
              t={t}
              k={`detail.fixEdit.${fix.op}`}
              values={{
                path: pathText(fix.path),
                value: fix.op === "remove" ? "" : JSON.stringify(fix.value),
              }}
            />
          </p>
        ))}
      </div>
    </li>
  );
}
