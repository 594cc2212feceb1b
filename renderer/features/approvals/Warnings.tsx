/** Warnings as sentences, danger first; what the eye cannot see is named here too. */

import { useMemo } from "react";
import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { inspectText } from "../../../shared/exec/displayCommand.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, codePointLabel, PlainText } from "./CommandText.tsx";
import { useCharacterName } from "./characterNames.ts";

/** Told by the sentences below from the text itself, with the very letters. */
const toldFromText = new Set(["invisibleCharacters", "mixedScript"]);
const maxPerKind = 4;

export function Warnings({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const reason = useReason();
  const seen = useMemo(() => inspectText(request.command), [request.command]);
  const sorted = [...request.warnings].sort(
    (a, b) => Number(b.level === "danger") - Number(a.level === "danger"),
  );
  const own = sorted.filter((warning) => !toldFromText.has(warning.reason.code));
  const words = [...new Map(seen.mixedScript.map((word) => [word.word, word])).values()].slice(0, maxPerKind);
  const characters = [...new Map(seen.invisible.map((one) => [one.codePoint, one])).values()].slice(
    0,
    maxPerKind,
  );
  if (own.length + words.length + characters.length === 0) return null;
  return (
    <ul className="warnings">
      {own.map((warning) => (
        <li key={`${warning.reason.code} ${JSON.stringify(warning.reason.params)}`}>
          <VerdictShape kind={warning.level === "danger" ? "danger" : "asks"} />
          <span className={warning.level === "danger" ? "tone-stop" : undefined}>
            <PlainText text={sentence(reason(warning.reason), t("fullStop"))} />
          </span>
        </li>
      ))}
      {words.map((word) => (
        <li key={`word ${word.word}`}>
          <VerdictShape kind="asks" />
          <LookAlike word={word} />
        </li>
      ))}
      {characters.map((one) => (
        <li key={`character ${one.codePoint}`}>
          <VerdictShape kind="asks" />
          <Unseen
            one={one}
            before={request.command.slice(0, one.span.start)}
            count={seen.invisible.filter((other) => other.codePoint === one.codePoint).length}
          />
        </li>
      ))}
    </ul>
  );
}

function LookAlike({ word }: { word: ReturnType<typeof inspectText>["mixedScript"][number] }) {
  const t = useT("approvals");
  const [first] = word.letters;
  if (first === undefined) return null;
  return (
    <span>
      <Trans
        t={t}
        i18nKey="warning.lookAlike"
        values={{
          letter: first.letter,
          script: t(`script.${first.script}`, { defaultValue: first.script }),
          code: codePointLabel(first.codePoint),
        }}
        components={{
          title: <strong />,
          odd: <code className="cmd-odd-letter" />,
          word: (
            <code>
              <CommandText text={word.word} />
            </code>
          ),
        }}
      />
    </span>
  );
}

function Unseen(props: {
  one: ReturnType<typeof inspectText>["invisible"][number];
  before: string;
  count: number;
}) {
  const t = useT("approvals");
  const { one, count } = props;
  const name = useCharacterName()(one.codePoint, one.kind);
  const before = /[^\s\p{C}]{1,24}$/u.exec(props.before)?.[0] ?? "";
  return (
    <span>
      <Trans
        t={t}
        i18nKey={before === "" ? "warning.unseenAtStart" : "warning.unseen"}
        values={{ code: codePointLabel(one.codePoint), name }}
        components={{
          title: <strong />,
          before: (
            <code>
              <CommandText text={before} />
            </code>
          ),
        }}
      />
      {count > 1 ? <span className="dim"> {t("warning.times", { count })}</span> : null}
    </span>
  );
}

/** Reason sentences start small, because they also stand inside other sentences. */
function sentence(text: string, fullStop: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.。!?…]$/u.test(first) ? first : `${first}${fullStop}`;
}
