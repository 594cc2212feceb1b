/** What the edited text changes in this context, in numbers and names. */

import { useT } from "../../../i18n/index.ts";
import { VerdictChip } from "../../../ui/index.ts";
import type { RowDifference } from "../model/differences.ts";
import { Rich } from "../Rich.tsx";

export function Difference(props: {
  diffs: readonly RowDifference[];
  kept: number;
  total: number;
  isEdited: boolean;
}) {
  const t = useT("policy");
  const names = (direction: RowDifference["direction"]) =>
    props.diffs.filter((diff) => diff.direction === direction).map((diff) => diff.name);
  const [opened, closed, moved] = [names("widens"), names("narrows"), names("same")];
  return (
    <div className="policy-versus" aria-live="polite">
      <span>
        <Rich t={t} k="reach" values={{ kept: props.kept, total: props.total }} />
      </span>
      {!props.isEdited ? <span className="second">{t("whatif.unchanged")}</span> : null}
      {opened.length === 0 ? null : (
        <span title={opened.join(", ")}>
          <VerdictChip kind="kept" filled>
            {t("whatif.opens", { count: opened.length })}
          </VerdictChip>
        </span>
      )}
      {closed.length === 0 ? null : (
        <span title={closed.join(", ")}>
          <VerdictChip kind="removed" filled>
            {t("whatif.closes", { count: closed.length })}
          </VerdictChip>
        </span>
      )}
      {props.isEdited && props.diffs.length === 0 ? <span className="second">{t("whatif.same")}</span> : null}
      <span className="second policy-versus-names">
        {opened.length === 0 ? null : <Rich t={t} k="whatif.opened" values={{ tools: list(opened) }} />}{" "}
        {closed.length === 0 ? null : <Rich t={t} k="whatif.closed" values={{ tools: list(closed) }} />}{" "}
        {moved.length === 0 ? null : <Rich t={t} k="whatif.moved" values={{ tools: list(moved) }} />}
      </span>
    </div>
  );
}

function list(names: readonly string[]): string {
  return names.length <= 6 ? names.join(", ") : `${names.slice(0, 6).join(", ")} +${names.length - 6}`;
}
