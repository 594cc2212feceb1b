/** What a grant holds, word by word: fixed words as evidence, the free one as a hole. */

import { Fragment } from "react";
import type { GrantPart } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { CommandText } from "./CommandText.tsx";

/** Exactly what is stored, in the order in which it is compared. */
export function GrantStores({ parts }: { parts: GrantPart[] }) {
  return (
    <p className="evidence grant-stores">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, only their place tells them apart
        <Fragment key={index}>
          {index === 0 ? null : " "}
          <Part part={part} />
        </Fragment>
      ))}
    </p>
  );
}

/** The same as a command: the name of the program in the place of its path. */
export function GrantWords({ parts, programs }: { parts: GrantPart[]; programs: string[] }) {
  const [first, ...rest] = parts;
  const name = programs.find((one) => first?.text.endsWith(`/${one}`)) ?? programs[0] ?? "";
  return (
    <code>
      <CommandText text={name} />
      {rest.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, only their place tells them apart
        <Fragment key={index}>
          {" "}
          <Part part={part} />
        </Fragment>
      ))}
    </code>
  );
}

function Part({ part }: { part: GrantPart }) {
  const t = useT("approvals");
  if (part.kind === "hole") return <span className="grant-hole">{t("scope.hole")}</span>;
  if (part.kind === "any") return <span className="grant-hole">{t("scope.any")}</span>;
  if (part.kind === "operator") return <span className="dim">{part.text}</span>;
  const isBare = /^[\w@%+=:,./-]+$/.test(part.text);
  return (
    <span className={part.kind === "program" ? "grant-program" : undefined}>
      <CommandText text={isBare ? part.text : `'${part.text.replaceAll("'", "'\\''")}'`} />
    </span>
  );
}
