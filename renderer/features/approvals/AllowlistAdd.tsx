/** Adding an entry by hand: what is found in the pattern stands there before anything is saved. */

import { useId, useState } from "react";
import type { Reason } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useQueryRpc, useRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { Picker } from "../../ui/Picker.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { useSettled } from "../policy/useSettled.ts";
import { PlainText } from "./CommandText.tsx";

export interface AllowlistAddProps {
  /** Agents that have entries; those of the config are added. */
  agents: readonly string[];
  onAdded: () => void;
}

const settleMs = 250;
/** An entry that can never match, or that stands there, is no entry to add. */
const useless: ReadonlySet<string> = new Set(["entry.neverMatches"]);
/** What lets through more than one program deserves a second look. */
const wide: ReadonlySet<string> = new Set(["entry.tooBroad", "entry.runsOthers"]);

export function AllowlistAdd({ agents, onAdded }: AllowlistAddProps) {
  const t = useT("approvals");
  const rpc = useRpc();
  const hintId = useId();
  const contexts = useQueryRpc("policy.contexts", {});
  const [pattern, setPattern] = useState("");
  const [agentId, setAgentId] = useState("*");
  /** `asked`: the pattern is wide, and one more press adds it. */
  const [phase, setPhase] = useState<"open" | "asked" | "busy" | "failed">("open");
  const typed = pattern.trim();
  const settled = useSettled(typed, settleMs);
  const check = useQueryRpc(
    "exec.approvals.allowlistCheck",
    { pattern: settled, agentId },
    { enabled: settled !== "", staleTimeMs: 0 },
  );
  // Only an answer about exactly what stands in the field counts.
  const found = settled === typed && typed !== "" && !check.isFetching ? check.data : undefined;
  const isUseless = found?.findings.some(({ code }) => useless.has(code)) === true;
  const isWide = found?.findings.some(({ code }) => wide.has(code)) === true;
  const mayAdd = found !== undefined && !found.isListed && !isUseless && phase !== "busy";
  const known = [...new Set(["*", ...(contexts.data?.agents.map(({ id }) => id) ?? []), ...agents])];
  const add = () => {
    if (!mayAdd) return;
    if (isWide && phase !== "asked") return setPhase("asked");
    setPhase("busy");
    rpc
      .call("exec.approvals.allowlistAdd", { pattern: typed, agentId })
      .then(() => {
        setPattern("");
        setPhase("open");
        onAdded();
      })
      .catch(() => setPhase("failed"));
  };
  return (
    <form
      className="entry-add"
      aria-label={t("allowlist.add")}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="entry-add-row">
        <Field label={t("allowlist.pattern")}>
          {(control) => (
            <input
              {...control}
              aria-describedby={hintId}
              className="input"
              spellCheck={false}
              autoComplete="off"
              value={pattern}
              onChange={(event) => {
                setPattern(event.target.value);
                setPhase("open");
              }}
            />
          )}
        </Field>
        <Picker
          look="field"
          label={t("allowlist.for")}
          value={agentId}
          options={known.map((id) => ({ value: id, label: id === "*" ? t("grants.allAgents") : id }))}
          onChange={(id) => {
            setAgentId(id);
            setPhase("open");
          }}
          allowOther
        />
        <Button
          type="submit"
          look={phase === "asked" ? "danger" : "outlined"}
          aria-disabled={!mayAdd}
          onClick={(event) => {
            if (event.detail > 1) event.preventDefault();
          }}
        >
          {t(phase === "asked" ? "allowlist.addAnyway" : "allowlist.add")}
        </Button>
      </div>
      <p className="small" id={hintId}>
        {t("allowlist.patternHint")}
      </p>
      <div role="status" className="entry-findings">
        {found === undefined ? null : <Found isListed={found.isListed} findings={found.findings} />}
        {check.error !== null && settled !== "" ? (
          <p className="tone-stop second">{t("allowlist.checkFailed")}</p>
        ) : null}
        {phase === "failed" ? <p className="tone-stop second">{t("allowlist.addFailed")}</p> : null}
      </div>
    </form>
  );
}

function Found({ isListed, findings }: { isListed: boolean; findings: readonly Reason[] }) {
  const t = useT("approvals");
  const reason = useReason();
  if (isListed) return <p className="second">{t("allowlist.isListed")}</p>;
  if (findings.length === 0) return <p className="second tone-keep">{t("allowlist.nothingFound")}</p>;
  return (
    <ul>
      {findings.map((finding) => (
        <li key={`${finding.code} ${JSON.stringify(finding.params)}`} className="second">
          <VerdictShape kind={useless.has(finding.code) ? "denied" : "asks"} />
          <span>
            <PlainText text={reason(finding)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
