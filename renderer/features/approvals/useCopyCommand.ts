/** Copies the command as it is, and says so when it holds characters that cannot be seen. */

import { inspectText } from "../../../shared/exec/displayCommand.ts";
import { useT } from "../../i18n/index.ts";

export function useCopyCommand(command: string, say: (text: string) => void): () => void {
  const t = useT("approvals");
  return () => {
    const count = inspectText(command).invisible.length;
    navigator.clipboard.writeText(command).then(
      () => say(count > 0 ? t("copiedWithEscapes", { count }) : t("copiedPlain")),
      () => say(t("copyRefused")),
    );
  };
}
