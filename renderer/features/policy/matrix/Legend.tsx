/** The signs of the matrix in words, and the choice of matrix or list. */

import type { TFunction } from "i18next";
import { Button, VerdictShape } from "../../../ui/index.ts";

export function Legend(props: { t: TFunction; asList: boolean; onAsList: (asList: boolean) => void }) {
  const { t } = props;
  return (
    <div className="policy-legend" aria-label={t("grid.legend")} role="note">
      <span>
        <VerdictShape kind="kept" /> {t("effect.kept")}
      </span>
      <span>
        <VerdictShape kind="removed" /> {t("effect.removed")}
      </span>
      <span>
        <VerdictShape kind="wouldRemove" /> {t("effect.wouldRemove")}
      </span>
      <span>
        <VerdictShape kind="skipped" /> {t("legend.skipped")}
      </span>
      <span>
        <VerdictShape kind="failsOpen" /> {t("legend.failsOpen")}
      </span>
      <span>
        <VerdictShape kind="withoutEffect" /> {t("effect.withoutEffect")}
      </span>
      <span className="grow" />
      <Button aria-pressed={props.asList} onClick={() => props.onAsList(!props.asList)}>
        {t("views.list")}
      </Button>
    </div>
  );
}
