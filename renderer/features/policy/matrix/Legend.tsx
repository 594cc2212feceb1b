/** The signs of the matrix in words, and its keys. */

import type { TFunction } from "i18next";
import { Kbd, VerdictShape } from "../../../ui/index.ts";

export function Legend({ t }: { t: TFunction }) {
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
      <span className="policy-keys">
        <Kbd>↑ ↓ ← →</Kbd> {t("grid.keys")} <Kbd>Enter</Kbd> {t("grid.keyOpen")} <Kbd>W</Kbd>{" "}
        {t("grid.keyWhy")}
      </span>
    </div>
  );
}
