/** Warnings as sentences, danger first; what the eye cannot see is named here too. */

import { useMemo } from "react";
import { Trans } from "react-i18next";
import type { ApprovalRequest } from "../../../shared/contract/index.ts";
import { inspectText } from "../../../shared/exec/displayCommand.ts";
import type { MixedScriptWord } from "../../../shared/exec/types.ts";
import { vagueSigns } from "../../../shared/text/reasonText.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CommandText, codePointLabel, PlainText } from "./CommandText.tsx";
import { textOf } from "./callText.ts";
import { useCharacterName } from "./characterNames.ts";

/** Told by the sentences below from the text itself, with the very letters. */
const toldFromText = new Set(["invisibleCharacters", "mixedScript"]);
const maxPerKind = 4;

type Warning = ApprovalRequest["warnings"][number];
type Danger = "bidiControl" | "invisibleInProgram" | "lookAlikeProgram";
type OddCharacter = ReturnType<typeof inspectText>["invisible"][number];

/** What a danger says of one character or word goes into the sentence that names it, not into a second one. */
function findSubjects(
  codes: ReadonlySet<string>,
  characters: readonly OddCharacter[],
  words: readonly MixedScriptWord[],
): Map<unknown, Danger> {
  const subjects = new Map<unknown, Danger>();
  const join = (danger: Danger, candidates: readonly unknown[]) => {
    const [only, ...more] = candidates;
    if (codes.has(`hostile.${danger}`) && only !== undefined && more.length === 0) subjects.set(only, danger);
  };
  join(
    "bidiControl",
    characters.filter((one) => one.kind === "bidi"),
  );
  if (characters.length === 1 && !subjects.has(characters[0])) join("invisibleInProgram", characters);
  join("lookAlikeProgram", words);
  return subjects;
}

/** One of each, and no more than a reader can take in. */
function distinct(seen: ReturnType<typeof inspectText>): {
  words: MixedScriptWord[];
  characters: OddCharacter[];
} {
  const words = [...new Map(seen.mixedScript.map((word) => [word.word, word])).values()];
  const characters = [...new Map(seen.invisible.map((one) => [one.codePoint, one])).values()];
  return { words: words.slice(0, maxPerKind), characters: characters.slice(0, maxPerKind) };
}

/** What the eye would miss in a text, as sentences; nothing when there is nothing of the kind. */
export function UnseenWarnings({ text }: { text: string }) {
  const seen = useMemo(() => inspectText(text), [text]);
  const { words, characters } = distinct(seen);
  if (words.length + characters.length === 0) return null;
  return (
    <ul className="warnings">
      {words.map((word) => (
        <li key={`word ${word.word}`}>
          <VerdictShape kind="danger" />
          <LookAlike word={word} effect={null} />
        </li>
      ))}
      {characters.map((one) => (
        <li key={`character ${one.codePoint}`}>
          <VerdictShape kind="danger" />
          <Unseen
            one={one}
            effect={null}
            before={text.slice(0, one.span.start)}
            count={seen.invisible.filter((other) => other.codePoint === one.codePoint).length}
          />
        </li>
      ))}
    </ul>
  );
}

export function Warnings({ request }: { request: ApprovalRequest }) {
  const t = useT("approvals");
  const reason = useReason();
  const text = textOf(request);
  const seen = useMemo(() => inspectText(text), [text]);
  const sorted = [...request.warnings].sort(
    (a, b) => Number(b.level === "danger") - Number(a.level === "danger"),
  );
  const own = sorted.filter((warning) => !toldFromText.has(warning.reason.code));
  const { words, characters } = distinct(seen);
  const subjects = findSubjects(new Set(own.map(({ reason: { code } }) => code)), characters, words);
  const merged = new Set([...subjects.values()].map((danger) => `hostile.${danger}`));
  const effectOf = (subject: unknown) => {
    const danger = subjects.get(subject);
    return danger === undefined ? null : t(`warning.effect.${danger}`);
  };
  const lines = own
    .filter((warning) => !merged.has(warning.reason.code))
    .flatMap((warning) => eachSign(warning))
    .map(({ level, reason: why }) => ({ level, text: sentence(reason(why), t("fullStop")) }));
  const told = [...new Map(lines.map((line) => [line.text, line])).values()];
  if (told.length + words.length + characters.length === 0) return null;
  return (
    <ul className="warnings">
      {told.map((line) => (
        <li key={line.text}>
          <VerdictShape kind={line.level === "danger" ? "danger" : "asks"} />
          <span className={line.level === "danger" ? "tone-stop" : undefined}>
            <PlainText text={line.text} />
          </span>
        </li>
      ))}
      {words.map((word) => (
        <li key={`word ${word.word}`}>
          <VerdictShape kind={subjects.has(word) ? "danger" : "asks"} />
          <LookAlike word={word} effect={effectOf(word)} />
        </li>
      ))}
      {characters.map((one) => (
        <li key={`character ${one.codePoint}`}>
          <VerdictShape kind={subjects.has(one) ? "danger" : "asks"} />
          <Unseen
            one={one}
            effect={effectOf(one)}
            before={text.slice(0, one.span.start)}
            count={seen.invisible.filter((other) => other.codePoint === one.codePoint).length}
          />
        </li>
      ))}
    </ul>
  );
}

/** Each sign of a hidden command is a sentence of its own; what all of them say is left out by the catalogue. */
function eachSign(warning: Warning): Warning[] {
  const { ids } = warning.reason.params;
  if (warning.reason.code !== "obfuscation" || typeof ids !== "string") return [warning];
  const all = ids.split(" ");
  const exact = all.filter((id) => !vagueSigns.has(id));
  const shown = exact.length > 0 ? exact : all.slice(0, 1);
  return shown.map((id) => ({ ...warning, reason: { code: "obfuscation", params: { ids: id } } }));
}

function LookAlike({ word, effect }: { word: MixedScriptWord; effect: string | null }) {
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
      <Effect text={effect} />
    </span>
  );
}

function Effect({ text }: { text: string | null }) {
  return text === null ? null : <span className="tone-stop"> {text}</span>;
}

function Unseen(props: { one: OddCharacter; effect: string | null; before: string; count: number }) {
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
      <Effect text={props.effect} />
      {count > 1 ? <span className="dim"> {t("warning.times", { count })}</span> : null}
    </span>
  );
}

/** Reason sentences start small, because they also stand inside other sentences. */
function sentence(text: string, fullStop: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.。!?…]$/u.test(first) ? first : `${first}${fullStop}`;
}
