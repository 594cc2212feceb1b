/** Says which file is shown, that nothing of it counts, and where a broken one breaks. */

import { lazy, Suspense } from "react";
import { useT } from "../../../i18n/index.ts";
import { Button, Skeleton, VerdictShape } from "../../../ui/index.ts";
import { Rich } from "../Rich.tsx";
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
  const { parsed } = file;
  const isIncluding = parsed.kind === "includes";
  const { line, column } = isIncluding ? parsed : parsed.problem;
  const place = { line: line ?? 1, column: column ?? 1 };
  const problem = {
    ...place,
    message: isIncluding ? t("file.includes", { name: file.name }) : parsed.problem.message,
  };
  return (
    <div className="policy-broken">
      <p className="policy-problem" role="alert">
        <VerdictShape kind="danger" />
        <span>
          <strong>{isIncluding ? problem.message : t("file.broken", { name: file.name })}</strong>{" "}
          {isIncluding ? <Rich t={t} k="file.includesWhy" values={place} /> : t("whatif.problem", problem)}
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
