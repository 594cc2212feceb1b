/** The command word by word, from the local knowledge of programs. */

import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText } from "./CommandText.tsx";

const shownWords = 200;

export function ExplainList({ command }: { command: string }) {
  const t = useT("approvals");
  const explain = useT("explain");
  const { data, error } = useQueryRpc("exec.explainWords", { command }, { staleTimeMs: 600_000 });
  if (error !== null) return <p className="second">{t("explain.failed")}</p>;
  if (data === undefined) return <Skeleton rows={3} />;
  return (
    <section className="explain" aria-label={t("explain.title")}>
      <ol>
        {data.words.slice(0, shownWords).map((word) => (
          <li key={word.start} className={word.isDanger ? "is-danger" : undefined}>
            <code>
              <CommandText text={command} start={word.start} end={word.end} />
            </code>
            {word.isDanger ? <VerdictShape kind="danger" /> : <span />}
            <span className={word.codes.length === 0 ? "dim" : undefined}>
              {word.codes.length === 0
                ? explain(`role.${word.role}`)
                : word.codes.map((code) => explain(`code.${code}`)).join(explain("and"))}
            </span>
          </li>
        ))}
      </ol>
      {data.words.length > shownWords ? (
        <p className="second">{t("explain.more", { count: data.words.length - shownWords })}</p>
      ) : null}
      <p className="second">{t("explain.note")}</p>
    </section>
  );
}
