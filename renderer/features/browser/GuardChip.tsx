/** What pages may reach, in words, and strictness in one click. */

import type { BrowserGuardSettings } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, VerdictChip } from "../../ui/index.ts";

export function GuardChip({ guard }: { guard: BrowserGuardSettings }) {
  const t = useT("browser");
  const set = useMutationRpc("browser.setStrict");
  const isStrict = guard.mode === "strict";
  return (
    <span className="row browser-guard">
      <VerdictChip kind={isStrict ? "kept" : "asks"}>{t(`guard.${guard.mode}`)}</VerdictChip>
      <Button
        look="plain"
        disabled={set.isPending}
        title={t(isStrict ? "guard.loosenHint" : "guard.tightenHint")}
        onClick={() => set.mutate({ strict: !isStrict })}
      >
        {t(isStrict ? "guard.loosen" : "guard.tighten")}
      </Button>
      {set.isError ? (
        <span className="tone-stop" role="alert">
          {set.error.message}
        </span>
      ) : null}
    </span>
  );
}
