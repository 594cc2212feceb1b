/** Verified repairs, fewest side effects first; the first one stands open with its edits. */

import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { enumerateContexts } from "../../../../shared/policy/debug/index.ts";
import { compilePolicy, normalizeAgentId, pathText } from "../../../../shared/policy/index.ts";
import type { ConfigEdit } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { useRpc } from "../../../rpc/hooks.ts";
import { Button, VerdictShape } from "../../../ui/index.ts";
import { type AssertionCheck, refutedOf } from "../assertions/useAssertions.ts";
import { editedText } from "../model/lineDiff.ts";
import type { Semantics } from "../model/semantics.ts";
import {
  type AskedFor,
  askedAgent,
  contextSquares,
  type Repair,
  type SideEffects,
  sideEffects,
} from "../model/sideEffects.ts";
import { Rich } from "../Rich.tsx";
import type { Subject } from "../source/subject.ts";
import { askedConfig } from "../usePolicyTrace.ts";
import { EffectText } from "./EffectText.tsx";
import { RepairDiff } from "./RepairDiff.tsx";

const squares = { inAll: 24, perAgent: 8 };

export function RepairList(props: {
  repairs: readonly Repair[];
  tool: string;
  isKept: boolean;
  agentId: string;
  subject: Subject;
  semantics: Semantics;
  assertions: AssertionCheck | null;
  onPropose: (edits: readonly ConfigEdit[], isReviewing: boolean) => void;
}) {
  const t = useT("policy");
  const { repairs, subject, tool, agentId } = props;
  const [open, setOpen] = useState(0);
  const classes = useMemo(
    () => enumerateContexts(compilePolicy(subject.config, { hardening: new Set() })),
    [subject.config],
  );
  const agentCount = new Set(classes.map(({ label }) => label.agent)).size;
  const limit = Math.max(2, Math.min(squares.perAgent, Math.floor(squares.inAll / agentCount)));
  const broken = useBrokenAssertions(props);
  const asked: AskedFor = { tool, agent: askedAgent(subject.config, agentId), isKept: props.isKept };
  return (
    <ol className="policy-repairs">
      {repairs.map((repair, index) => {
        const isOpen = open === index;
        const effects = sideEffects(repair, asked);
        return (
          <li
            key={JSON.stringify(repair.edits)}
            className={isOpen ? "policy-repair is-open" : "policy-repair"}
          >
            <button
              type="button"
              className="policy-repair-head"
              aria-expanded={isOpen}
              onClick={() => setOpen(isOpen ? -1 : index)}
            >
              <span className="policy-repair-no">{index + 1}</span>
              <strong>{title(t, repair, agentId, subject.config)}</strong>
              <span className="second">{t("missing.edits", { count: repair.edits.length })}</span>
              <span className="policy-squares" aria-hidden="true">
                {contextSquares(classes, repair, asked, limit).map((group) => (
                  <span key={group.agent} title={group.agent}>
                    {group.squares.map((square, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: squares of one group never move
                      <i key={at} className={`is-${square}`} />
                    ))}
                  </span>
                ))}
              </span>
              <span className={effects.isClean ? "tone-keep" : "tone-stop"}>
                {summary(t, effects, asked, repair)}
              </span>
            </button>
            {isOpen ? <RepairDiff text={subject.text} edits={repair.edits} /> : null}
            <SideEffectLines effects={effects} repair={repair} broken={broken[index] ?? []} />
            {isOpen ? (
              <div className="policy-repair-foot">
                <span className="grow" />
                <Button onClick={() => props.onPropose(repair.edits, false)}>{t("missing.try")}</Button>
                <Button look="filled" onClick={() => props.onPropose(repair.edits, true)}>
                  {t("missing.review")}
                </Button>
              </div>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}

/** Texts of saved assertions that hold now and would not with a repair, by repair. */
function useBrokenAssertions(props: {
  repairs: readonly Repair[];
  subject: Subject;
  semantics: Semantics;
  assertions: AssertionCheck | null;
}): string[][] {
  const rpc = useRpc();
  const { subject, semantics, assertions } = props;
  const now = new Set(refutedOf(assertions).map((result) => result.line));
  const hasAny = (assertions?.results.length ?? 0) > 0;
  const results = useQueries({
    queries: props.repairs.map((repair) => {
      const configText = subject.text === null ? null : editedText(subject.text, repair.edits);
      return {
        queryKey: ["policy.check", "repair", semantics, configText],
        enabled: hasAny && configText !== null,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          rpc.call("policy.check", askedConfig({ semantics, configText: configText ?? "" }), { signal }),
      };
    }),
  });
  return results.map(({ data }) =>
    refutedOf(data ?? null)
      .filter((result) => !now.has(result.line))
      .map((result) => result.text),
  );
}

type T = ReturnType<typeof useT>;

function title(t: T, repair: Repair, agent: string, config: unknown): string {
  const liftsProfile = repair.edits.some(({ path }) => path.at(-1) === "profile");
  if (liftsProfile) return t("missing.repairTitle.profile");
  const isOwn = repair.edits.every(({ path }) => isAgentPath(path, agent, config));
  if (isOwn && agent !== "") return t("missing.repairTitle.agent", { agent });
  const isGlobal = repair.edits.every(({ path }) => path[0] === "tools");
  if (isGlobal) return t("missing.repairTitle.global");
  const places = new Set(repair.edits.map(({ path }) => agentAt(path, config) ?? pathText(path.slice(0, 2))));
  return t("missing.repairTitle.other", { path: [...places].join(", ") });
}

function agentAt(path: readonly (string | number)[], config: unknown): string | null {
  const [agents, list, index] = path;
  if (agents !== "agents" || list !== "list" || typeof index !== "number") return null;
  const entries = (config as { agents?: { list?: unknown } } | null)?.agents?.list;
  const entry = Array.isArray(entries) ? (entries[index] as { id?: unknown } | undefined) : undefined;
  return typeof entry?.id === "string" ? entry.id : null;
}

/** An entry without a known id is the one that the repair adds for this agent. */
function isAgentPath(path: readonly (string | number)[], agent: string, config: unknown): boolean {
  const owner = agentAt(path, config) ?? agent;
  return path[0] === "agents" && path[1] === "list" && normalizeAgentId(owner) === normalizeAgentId(agent);
}

function summary(t: T, effects: SideEffects, { tool, isKept }: AskedFor, { takesFrom }: Repair): string {
  const { here, sameAgent, elsewhere } = effects;
  const parts: string[] = takesFrom.length === 0 ? [] : [t("missing.takesFrom", { count: takesFrom.length })];
  const opened = here.opens.length + sameAgent.opens.length;
  const closed = here.closes.length + sameAgent.closes.length;
  if (opened > 0) parts.push(t("missing.alsoTools", { count: opened }));
  if (closed > 0) parts.push(t("missing.lessTools", { count: closed }));
  // Of those that only lose something the first part speaks.
  const others = takesFrom.length === 0 ? elsewhere : elsewhere.filter(({ opens }) => opens.length > 0);
  const [first] = others;
  const contexts = others.reduce((sum, other) => sum + other.contexts, 0);
  if (first !== undefined)
    parts.push(
      others.length === 1
        ? t("missing.alsoAgent", { agent: first.agent, count: contexts })
        : t("missing.alsoContexts", { count: contexts }),
    );
  const text =
    parts.length > 0 ? parts.join(", ") : t(isKept ? "missing.onlyThisAway" : "missing.onlyThis", { tool });
  return effects.isSample ? t("missing.inSample", { text }) : text;
}

function SideEffectLines(props: { effects: SideEffects; repair: Repair; broken: readonly string[] }) {
  const t = useT("policy");
  const { effects, repair, broken } = props;
  return (
    <>
      {broken.map((text) => (
        <p key={text} className="policy-side second">
          <VerdictShape kind="denied" />
          <span>
            <Rich t={t} k="missing.breaks" values={{ text }} />
          </span>
        </p>
      ))}
      {repair.isValid ? null : (
        <p className="policy-side second">
          <VerdictShape kind="danger" />
          <span>{t("missing.notValid")}</span>
        </p>
      )}
      {effects.isClean ? null : (
        <p className="policy-side second">
          <VerdictShape kind="danger" />
          <span>
            <EffectText effects={effects} />
          </span>
        </p>
      )}
    </>
  );
}
