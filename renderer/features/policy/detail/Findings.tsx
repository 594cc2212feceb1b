/** What is odd about the config in this context: lists that restrict nothing, names that nobody has. */

import type { TFunction } from "i18next";
import type { PolicyFinding, PolicyTrace } from "../../../../shared/policy/types.ts";
import { VerdictShape } from "../../../ui/index.ts";
import { lineOf, type Positions, pathText } from "../model/matrixModel.ts";
import { Rich } from "../Rich.tsx";

export function Findings({
  t,
  trace,
  positions,
}: {
  t: TFunction;
  trace: PolicyTrace;
  positions: Positions;
}) {
  const findings = mergedFindings(trace.result.findings);
  if (findings.length === 0) return <p className="second">{t("detail.noWarnings")}</p>;
  return (
    <ul className="policy-findings">
      {findings.map(({ finding, columns }) => (
        <Finding
          key={`${finding.kind} ${finding.path} ${finding.entries.join()}`}
          t={t}
          trace={trace}
          finding={finding}
          columns={columns}
          positions={positions}
        />
      ))}
    </ul>
  );
}

/** One list may speak at two stages: then it is one finding, seen at both. */
function mergedFindings(findings: readonly PolicyFinding[]) {
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
  trace: PolicyTrace;
  finding: PolicyFinding;
  columns: readonly PolicyFinding["column"][];
  positions: Positions;
}) {
  const { t, trace, finding } = props;
  const number = trace.columns.find(({ id }) => id === finding.column)?.number;
  const numbers = props.columns.flatMap(
    (id) => trace.columns.find((column) => column.id === id)?.number ?? [],
  );
  const line = lineOf(props.positions, finding.configPath);
  const [fix] = finding.fix ?? [];
  return (
    <li>
      <VerdictShape kind={finding.failsOpen ? "failsOpen" : "asks"} />
      <div>
        <Rich
          t={t}
          k={`finding.${finding.kind}`}
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
        {line === null ? null : (
          <span className="policy-line-no" title={t("detail.line", { line })}>
            :{line}
          </span>
        )}
        {finding.failsOpen ? (
          <p className="second">{t(finding.enforced ? "detail.enforcedHere" : "detail.failsOpenThere")}</p>
        ) : null}
        {fix === undefined ? null : (
          <p className="second">
            <Rich
              t={t}
              k={`detail.fixEdit.${fix.op}`}
              values={{
                path: pathText(fix.path),
                value: fix.op === "remove" ? "" : JSON.stringify(fix.value),
              }}
            />
          </p>
        )}
      </div>
    </li>
  );
}
