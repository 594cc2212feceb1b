/** Rules as in a browser's style panel: a block per place in the config, the winner first, losers struck through. */

import type { TFunction } from "i18next";
import type { PolicyRule, PolicyTrace } from "../../../../shared/policy/types.ts";
import { LineLink } from "../LineLink.tsx";
import type { Positions } from "../model/matrixModel.ts";
import { type RuleBlock, type RuleLine, ruleBlocks } from "../model/ruleBlocks.ts";
import { Rich } from "../Rich.tsx";
import { reasonValues } from "../words.ts";

export function RuleBlocks(props: {
  t: TFunction;
  trace: PolicyTrace;
  rules: readonly PolicyRule[];
  config: unknown;
  positions: Positions;
  tool: string;
  isRemoval: boolean;
  /** Reason that is already said above; not repeated at the rule. */
  saidCode?: string | undefined;
  /** Name the file in front of line numbers. */
  showFile?: boolean;
}) {
  const blocks = ruleBlocks(props.rules, props.config, props.positions);
  if (blocks.length === 0) return null;
  return (
    <ul className="policy-rules" aria-label={props.t("detail.rules")}>
      {blocks.map((block) => (
        <li key={block.place ?? block.lines[0]?.id} className={blockClass(block, props.isRemoval)}>
          <div className="policy-rule-place">
            <span className="ellipsis">{block.place ?? props.t("detail.builtIn")}</span>
            <LineLink line={block.line} showFile={props.showFile ?? false} />
          </div>
          {block.lines.map((line) => (
            <RuleLineView key={line.id} {...props} line={line} blockLine={block.line} />
          ))}
        </li>
      ))}
    </ul>
  );
}

function blockClass(block: RuleBlock, isRemoval: boolean): string {
  if (!block.isWinner) return "policy-rule-block";
  return `policy-rule-block is-winner ${isRemoval ? "is-stop" : "is-keep"}`;
}

function RuleLineView(props: {
  t: TFunction;
  trace: PolicyTrace;
  tool: string;
  isRemoval: boolean;
  saidCode?: string | undefined;
  line: RuleLine;
  blockLine: number | null;
}) {
  const { t, line } = props;
  const lost = line.rule.lostTo;
  const why = reasonValues(t, props.trace, lost?.why ?? line.rule.why, props.tool);
  const isStop = line.rule.effect === "denies" || (props.isRemoval && line.rule.effect === "restricts");
  const hitClass = isStop ? "policy-hit is-stop" : "policy-hit";
  const isSaid = (lost?.why ?? line.rule.why).code === props.saidCode;
  const text = (
    <>
      {line.key}
      {line.isList || line.entries.length > 0 ? ": " : null}
      {line.isList ? "[" : null}
      {line.entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries of one list never move
        <span key={index}>
          {index > 0 ? ", " : null}
          {entry.isHit ? <mark className={hitClass}>{quote(entry.text)}</mark> : quote(entry.text)}
        </span>
      ))}
      {line.isList ? "]" : null}
    </>
  );
  return (
    <div className="policy-rule-line">
      {lost === undefined ? <span>{text}</span> : <s>{text}</s>}
      {line.line !== null && line.line !== props.blockLine ? (
        <>
          {" "}
          <LineLink line={line.line} />
        </>
      ) : null}
      {isSaid ? null : (
        <div className="policy-rule-why">
          <Rich t={t} k={why.key} values={why.values} />
        </div>
      )}
    </div>
  );
}

function quote(text: string): string {
  return text === "…" ? text : JSON.stringify(text);
}
