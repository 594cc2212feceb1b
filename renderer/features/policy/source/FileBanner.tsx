/** Says which file is shown, that nothing of it counts, and where a broken one breaks. */

import { lazy, Suspense } from "react";
import { useT } from "../../../i18n/index.ts";
import { Button, Skeleton, VerdictShape } from "../../../ui/index.ts";
import { discardFileDraft } from "../whatif/draft.ts";
import type { OpenedFile } from "./subject.ts";
import "../whatif/whatif.css";

const TextEditor = lazy(() => import("../whatif/TextEditor.tsx"));

export function FileBanner({ file, onClose }: { file: OpenedFile; onClose: () => void }) {
  const t = useT("policy");
  return (
    <div className="policy-file" role="status">
      <VerdictShape kind="asks" />
      <span>
        <code>{file.name}</code> <strong>{t("file.readOnly")}</strong>
      </span>
      <span className="grow" />
      <Button
        onClick={() => {
          discardFileDraft();
          onClose();
        }}
      >
        {t("file.close")}
      </Button>
    </div>
  );
}

export function BrokenFile({ file }: { file: OpenedFile }) {
  const t = useT("policy");
  if (file.parsed.kind === "ok") return null;
  if (file.parsed.kind === "tooLarge")
    return <p className="policy-problem">{t("file.tooLarge", { name: file.name })}</p>;
  const { line, column, message } = file.parsed.problem;
  const problem = { line: line ?? 1, column: column ?? 1, message };
  return (
    <div className="policy-broken">
      <p className="policy-problem" role="alert">
        <VerdictShape kind="danger" />
        <span>
          <strong>{t("file.broken", { name: file.name })}</strong> {t("whatif.problem", problem)}
        </span>
      </p>
      <Suspense fallback={<Skeleton rows={10} />}>
        <TextEditor
          value={file.text}
          label={file.name}
          problems={[problem]}
          isReadOnly
          revealLine={problem.line}
          onChange={() => undefined}
        />
      </Suspense>
    </div>
  );
}
