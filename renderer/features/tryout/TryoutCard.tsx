/** "Try it": a scripted agent that shows the whole way of a call in a minute. */

import { Link, useLocation } from "wouter";
import { useT } from "../../i18n/index.ts";
import { useLive, useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictChip, type VerdictKind } from "../../ui/Verdict.tsx";
import { CommandText } from "../approvals/CommandText.tsx";
import "./tryout.css";

const shapes: Record<"waiting" | "running" | "done" | "denied" | "failed", VerdictKind> = {
  waiting: "skipped",
  running: "running",
  done: "done",
  denied: "denied",
  failed: "danger",
};

/** The agent of every run; the runtime keeps it in memory only. */
const tryoutAgentId = "tryout";

export function TryoutCard() {
  const t = useT("tryout");
  const run = useLive((state) => state.tryout);
  const start = useMutationRpc("tryout.start");
  const stop = useMutationRpc("tryout.stop");
  const isRunning = run?.isRunning === true;
  const waiting = useLive((state) => state.pending?.find(({ agentId }) => agentId === tryoutAgentId));
  const [path] = useLocation();
  const isFinished = run !== null && !isRunning && run.steps.every(({ state }) => state !== "waiting");
  return (
    <section className="tryout" aria-label={t("title")}>
      <div className="row">
        <div className="grow">
          <h2>{t("title")}</h2>
          <p className="second">{t("text")}</p>
          {path.startsWith("/clients") ? null : (
            <p className="second tryout-other">
              <Link href="/clients">{t("orConnect")}</Link>
            </p>
          )}
        </div>
        {isRunning ? (
          <Button disabled={stop.isPending} onClick={() => stop.mutate({})}>
            {t("stop")}
          </Button>
        ) : (
          <Button
            size="primary"
            look={run === null ? "filled" : "outlined"}
            icon="play"
            disabled={start.isPending}
            onClick={() => start.mutate({})}
          >
            {run === null ? t("start") : t("again")}
          </Button>
        )}
      </div>
      {start.isError ? <ErrorState title={t("failed")} error={start.error} /> : null}
      {run === null ? null : (
        <ol className="tryout-steps" aria-live="polite">
          {run.steps.map((step, index) => (
            <li key={step.step} className="tryout-step">
              <span className="evidence dim">{index + 1}</span>
              <div className="grow">
                <p>{t(`step.${step.step}`)}</p>
                {step.detail === "" ? null : (
                  <pre className="tryout-detail">
                    <CommandText text={step.detail} />
                  </pre>
                )}
                {step.state === "running" && waiting !== undefined ? (
                  <p className="row">
                    <span className="tone-ask">{t("answerNow")}</span>
                    <Link href={`/approvals?id=${encodeURIComponent(waiting.id)}`}>{t("answer")}</Link>
                  </p>
                ) : null}
              </div>
              <VerdictChip kind={shapes[step.state]}>{t(`state.${step.state}`)}</VerdictChip>
            </li>
          ))}
        </ol>
      )}
      {isFinished ? <p className="second tryout-other">{t("finished")}</p> : null}
    </section>
  );
}
