/** The banner of a failed self-test (A17): at the start no prompt could reach a person, and what to do about it. */

import { useState } from "react";
import type { AppStatus } from "../../shared/contract/index.ts";
import { useT } from "../i18n/index.ts";
import { Button } from "../ui/Button.tsx";
import { VerdictShape } from "../ui/Verdict.tsx";

/** Stays until somebody has read it: that a prompt can be seen now does not bring back what was refused before. */
export function PromptCheckBanner({ prompt, shell }: Pick<AppStatus, "prompt" | "shell">) {
  const t = useT("frame");
  const [isRead, setIsRead] = useState(false);
  // Without a window nobody is there at the start by nature; that requests are refused now is said all the same.
  const isExpected = shell === "headless" && prompt.reach !== "noPanel" && prompt.reach !== "screenLocked";
  if (prompt.checkAtStart !== "failed" || isExpected || isRead) return null;
  return (
    <section className="banner banner-ask" aria-label={t("promptCheck.label")}>
      <VerdictShape kind="asks" />
      <strong>{t("promptCheck.title")}</strong>
      <span className="grow">
        {t(`promptCheck.now.${prompt.reach}`)} {t("promptCheck.todo")}
      </span>
      <Button onClick={() => setIsRead(true)}>{t("promptCheck.read")}</Button>
    </section>
  );
}
