/** A context class in words. */

import type { TFunction } from "i18next";
import type { ClassLabel } from "../../../../shared/policy/debug/index.ts";

/** Names stand as they are; what is usual (model surface, main session, no sandbox) is left out. */
export function labelWords(t: TFunction, label: ClassLabel): string {
  return [
    label.agent,
    label.group,
    label.model,
    t(label.owner ? "context.owner" : "context.notOwner"),
    label.sandboxed ? t("assertions.sandboxed") : null,
    label.role === "main" ? null : t(`assertions.role.${label.role}`),
    label.surface === "http" ? t("context.surfaceHttp") : null,
    label.tools ?? null,
  ]
    .filter((part) => part !== null)
    .join(", ");
}
