/** The head row of the policy view: how many tools pass, what is odd, by whose rules, and the parts of the view. */

import { useRef } from "react";
import type { PolicyContext } from "../../../shared/policy/types.ts";
import { useT } from "../../i18n/index.ts";
import { Button, Chip, Segmented, VerdictChip } from "../../ui/index.ts";
import type { AssertionCheck } from "./assertions/useAssertions.ts";
import { keptCount } from "./model/matrixModel.ts";
import { type PolicyPart, policyParts } from "./model/policyAddress.ts";
import { Rich } from "./Rich.tsx";
import type { TraceView } from "./usePolicyTrace.ts";

export function PolicyHeader(props: {
  part: PolicyPart;
  view: TraceView | null;
  context: PolicyContext;
  assertions: AssertionCheck | null;
  onPart: (part: PolicyPart) => void;
  onFile: (file: File | undefined) => void;
}) {
  const t = useT("policy");
  const fileRef = useRef<HTMLInputElement>(null);
  const count = props.assertions?.results.length ?? 0;
  return (
    <header className="policy-header">
      <h1>{t("title")}</h1>
      {props.view === null ? null : <Reach view={props.view} context={props.context} />}
      <span className="grow" />
      <input
        ref={fileRef}
        type="file"
        className="sr-only"
        tabIndex={-1}
        accept=".json,.json5,application/json"
        aria-label={t("file.choose")}
        onChange={(event) => {
          props.onFile(event.target.files?.[0]);
          // The same file may be chosen again after it was edited elsewhere.
          event.target.value = "";
        }}
      />
      <Button look="plain" onClick={() => fileRef.current?.click()}>
        {t("file.open")}
      </Button>
      <Segmented
        label={t("views.label")}
        value={props.part}
        options={policyParts.map((value) => ({
          value,
          label: t(`views.${value}`),
          ...(value === "assertions" && count > 0 ? { count } : {}),
        }))}
        onChange={props.onPart}
      />
    </header>
  );
}

function Reach({ view, context }: { view: TraceView; context: PolicyContext }) {
  const t = useT("policy");
  const { trace, findings } = view;
  const open = trace.columns.filter((column) => column.failsOpen).length;
  const held = findings.filter((finding) => finding.failsOpen && finding.enforced).length;
  // One entry may be reported at two stages; it is still one name.
  const unknown = new Set(
    findings
      .filter((finding) => finding.kind === "unknown-entry")
      .map((finding) => `${finding.path} ${finding.entries.join(" ")}`),
  ).size;
  return (
    <>
      <span className="policy-reach">
        <Rich
          t={t}
          k={context.surface === "http" ? "reachHttp" : "reach"}
          values={{ kept: keptCount(trace), total: trace.rows.length }}
        />
      </span>
      {open === 0 ? null : (
        <VerdictChip kind="failsOpen" filled>
          {t("listsFailOpen", { count: open })}
        </VerdictChip>
      )}
      {held === 0 || open > 0 ? null : <Chip>{t("listsHeld", { count: held })}</Chip>}
      {unknown === 0 ? null : (
        <VerdictChip kind="asks" filled>
          {t("unknownNames", { count: unknown })}
        </VerdictChip>
      )}
    </>
  );
}
