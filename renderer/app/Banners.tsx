/** Full-width notices under the top bar. They leave when their cause does; one about the past, when it was read. */

import type { AppStatus, FileProblem } from "../../shared/contract/index.ts";
import { PausedBanner } from "../features/approvals/PausedBanner.tsx";
import { useT } from "../i18n/index.ts";
import { useLive } from "../rpc/hooks.ts";
import { VerdictShape } from "../ui/Verdict.tsx";
import { BroadModeBanner } from "./BroadModeBanner.tsx";
import { PromptCheckBanner } from "./PromptCheckBanner.tsx";

export function Banners() {
  const status = useLive((state) => state.status);
  const isLost = useLive((state) => state.connection.kind === "lost");
  return (
    <>
      {isLost ? <LostBanner /> : null}
      {status === null ? null : (
        <>
          <BroadModeBanner mode={status.mode} />
          <PausedBanner />
          <PromptCheckBanner prompt={status.prompt} shell={status.shell} />
          <FileBanners status={status} />
        </>
      )}
    </>
  );
}

/** Content stays on screen, marked as old; nothing can be decided on it. */
function LostBanner() {
  const t = useT("frame");
  return (
    <div className="banner banner-ask" role="status">
      <VerdictShape kind="asks" />
      <strong>{t("lost.title")}</strong>
      <span>{t("lost.text")}</span>
    </div>
  );
}

function FileBanners({ status }: { status: AppStatus }) {
  const t = useT("frame");
  const broken: { key: string; text: string; problem: FileProblem | undefined; path: string }[] = [];
  if (status.config.state === "broken") {
    broken.push({
      key: "config",
      text: t("broken.config"),
      problem: status.config.problems[0],
      path: status.config.path,
    });
  }
  if (status.approvalsFile.state === "broken") {
    broken.push({
      key: "approvals",
      text: t("broken.approvals"),
      problem: status.approvalsFile.problems[0],
      path: status.approvalsFile.path,
    });
  }
  for (const problem of status.settingsProblems) {
    const { path, line, column, message } = problem;
    // Two problems may read alike: with equal keys the one that was mended would stay on screen.
    const key = `${path}:${line}:${column} ${message}`;
    broken.push({ key, text: t("broken.settings"), problem, path });
  }
  return (
    <>
      {broken.map(({ key, text, problem, path }) => (
        <div key={key} className="banner banner-ask" role="status">
          <VerdictShape kind="asks" />
          <strong>{text}</strong>
          <code>
            {path}
            {problem === undefined || problem.line === null
              ? ""
              : `:${problem.line}${problem.column === null ? "" : `:${problem.column}`}`}
          </code>
          {problem === undefined ? null : <span className="second">{problem.message}</span>}
        </div>
      ))}
    </>
  );
}
